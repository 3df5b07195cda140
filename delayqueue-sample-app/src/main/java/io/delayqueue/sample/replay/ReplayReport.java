package io.delayqueue.sample.replay;

import io.delayqueue.TopicStats;
import io.delayqueue.sample.replay.Tally.Counts;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;

/**
 * What became of the orders.
 *
 * @param orders how many the file has
 * @param payable how many of them the file says are paid within the time
 * @param lost how many are neither paid nor closed
 * @param counts what was seen happening
 * @param stats what Redis counted in the topic
 */
record ReplayReport(long orders, long payable, long lost, Counts counts, TopicStats stats) {

    private static final DateTimeFormatter CLOCK =
            DateTimeFormatter.ofPattern("HH:mm", Locale.ROOT).withZone(ZoneOffset.UTC);

    /** Whether each order ended exactly once, and Redis agrees. */
    boolean isSound() {
        return lost == 0
                && counts.failures() == 0
                && counts.placed() == orders
                && counts.open() == 0
                && stats.unaccounted() == 0;
    }

    /** One line on how far a replay is. */
    static String progress(Instant inFile, Counts counts) {
        return String.format(
                Locale.ROOT,
                "%s  placed %,6d   paid %,6d   closed %,6d   open %,4d   lateness p50 %.1f ms, p99 %.1f ms",
                CLOCK.format(inFile),
                counts.placed(),
                counts.paid(),
                counts.closed(),
                counts.open(),
                counts.lateness().quantile(0.5),
                counts.lateness().quantile(0.99));
    }

    /** The result, to be printed. */
    List<String> lines() {
        return List.of(
                "",
                row("orders", counts.placed(), "of " + grouped(orders) + " in the file"),
                row(
                        "paid",
                        counts.paid(),
                        "the file says " + grouped(payable) + "; those within ms of the limit are races"),
                row("  in the last ms", counts.paidInFlight(), "their timeout was out already, and found them paid"),
                row("closed", counts.closed(), "unpaid when their time was over"),
                row("  paid too late", counts.paidTooLate(), "closed, then the customer came and was refused"),
                row("late", counts.late(), "closed later than tolerated"),
                row("duplicates", counts.duplicates(), "timeouts that came for an order already closed"),
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
                String.format(
                        Locale.ROOT,
                        "Redis counted: %,d accepted = %,d acked + %,d cancelled + %,d pending + %,d in flight + %,d dead%s",
                        stats.totals().accepted(),
                        stats.totals().acked(),
                        stats.totals().cancelled(),
                        stats.pending().total(),
                        stats.inFlight(),
                        stats.dead(),
                        stats.unaccounted() == 0 ? "" : "; " + stats.unaccounted() + " UNACCOUNTED"),
                "",
                isSound() ? "every order ended exactly once" : "NOT every order ended exactly once");
    }

    private static String row(String what, long count, String remark) {
        return String.format(Locale.ROOT, "%-18s %,7d   %s", what, count, remark);
    }

    private static String grouped(long count) {
        return String.format(Locale.ROOT, "%,d", count);
    }
}
