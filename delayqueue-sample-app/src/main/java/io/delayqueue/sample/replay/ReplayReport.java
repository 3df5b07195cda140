package io.delayqueue.sample.replay;

import io.delayqueue.sample.replay.ReplayCounters.Counts;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;

/**
 * How the orders of a replay ended.
 *
 * @param orders orders to replay
 * @param payable orders that are paid before their timeout
 * @param lost orders that are neither paid nor closed
 * @param counts counted from the events of the shop
 * @param redis counted by Redis
 */
record ReplayReport(long orders, long payable, long lost, Counts counts, RedisCounts redis) {

    private static final DateTimeFormatter CLOCK =
            DateTimeFormatter.ofPattern("HH:mm", Locale.ROOT).withZone(ZoneOffset.UTC);

    /** Whether each order ended exactly once, and Redis agrees. */
    boolean isSound() {
        return lost == 0
                && counts.failures() == 0
                && counts.placed() == orders
                && counts.open() == 0
                && counts.duplicates() == 0
                && redis.accepted() == orders
                && redis.unaccounted() == 0;
    }

    /** One line on the progress of a replay. */
    static String progress(Instant timeOfDay, Counts counts) {
        return String.format(
                Locale.ROOT,
                "%s  placed %,6d   paid %,6d   closed %,6d   open %,4d   lateness p50 %.1f ms, p99 %.1f ms",
                CLOCK.format(timeOfDay),
                counts.placed(),
                counts.paid(),
                counts.closed(),
                counts.open(),
                counts.lateness().quantile(0.5),
                counts.lateness().quantile(0.99));
    }

    /** The report, line by line. */
    List<String> lines() {
        return List.of(
                "",
                row("orders", counts.placed(), "of " + grouped(orders)),
                row(
                        "paid",
                        counts.paid(),
                        grouped(payable) + " customers were in time; payments within ms of the limit are races"),
                row(
                        "  in the last ms",
                        counts.paidInFlight(),
                        "their timeout was in flight already, and found the order paid"),
                row("closed", counts.closed(), "not paid in time"),
                row("  paid too late", counts.paidTooLate(), "the order was closed, so the payment was refused"),
                row("late", counts.late(), "closed later than the tolerance"),
                row("duplicates", counts.duplicates(), "timeouts delivered for an order already closed"),
                row("failures", counts.failures(), "placing or paying threw an exception"),
                row("lost", lost, "neither paid nor closed"),
                "",
                String.format(
                        Locale.ROOT,
                        "lateness of closing: p50 %.1f ms, p99 %.1f ms, max %.1f ms (the replay itself was at most %.1f ms behind)",
                        counts.lateness().quantile(0.5),
                        counts.lateness().quantile(0.99),
                        counts.lateness().quantile(1),
                        counts.behind().toNanos() / 1e6),
                redis.line(),
                "",
                isSound() ? "every order ended exactly once" : "NOT every order ended exactly once");
    }

    private static String row(String name, long count, String remark) {
        return String.format(Locale.ROOT, "%-18s %,7d   %s", name, count, remark);
    }

    private static String grouped(long count) {
        return String.format(Locale.ROOT, "%,d", count);
    }
}
