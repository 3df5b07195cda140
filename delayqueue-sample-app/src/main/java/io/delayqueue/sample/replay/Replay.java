package io.delayqueue.sample.replay;

import static io.delayqueue.sample.SampleProperties.Replay.GENERATED;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.sample.SampleProperties;
import io.delayqueue.sample.order.Order;
import io.delayqueue.sample.order.OrderEvent;
import io.delayqueue.sample.order.Orders;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;
import org.springframework.transaction.event.TransactionalEventListener;

/**
 * Replays a day of orders: each is placed, and paid if it ever is, at its time of the day. The day, and the time that a customer
 * has to pay, are shortened by the same factor.
 */
@Component
public class Replay {

    private static final Logger log = LoggerFactory.getLogger("replay");

    /** Limit for the last orders to end; only a bug or an overloaded machine needs it. */
    private static final Duration PATIENCE = Duration.ofSeconds(15);

    private final Orders orders;
    private final DelayQueueClient queue;
    private final SampleProperties.Replay settings;
    private volatile @Nullable ReplayCounters running;

    Replay(Orders orders, DelayQueueClient queue, SampleProperties properties) {
        this.orders = orders;
        this.queue = queue;
        this.settings = properties.replay();
    }

    /** Replays the orders of the settings and prints a report. Returns whether each order ended exactly once. */
    public boolean run() {
        try {
            ReplayReport report = run(readOrders(), settings.speed());
            report.lines().forEach(System.out::println);
            return report.isSound();
        } catch (IOException | IllegalArgumentException e) {
            log.error("can't replay: {}", e.getMessage());
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private List<ReplayOrder> readOrders() throws IOException {
        return settings.orders().equals(GENERATED) ? GeneratedDay.orders() : OrderFile.read(settings.orders());
    }

    ReplayReport run(List<ReplayOrder> day, double speed) throws InterruptedException {
        List<Timeline.Step> steps = Timeline.steps(day);
        if (steps.isEmpty()) {
            throw new IllegalArgumentException(settings.orders() + " has no orders");
        }
        // a topic can have messages of former replays, of this process or an earlier one
        String idPrefix = Long.toString(System.nanoTime(), Character.MAX_RADIX) + "-";
        RedisCounts before = RedisCounts.of(queue.stats(Orders.TIMEOUT_TOPIC));
        ReplayCounters counters = new ReplayCounters(idPrefix);
        running = counters;
        Timeline timeline = new Timeline(steps.get(0).at(), speed);
        Duration paymentTimeout = timeline.scaled(settings.paymentTimeout());
        announce(steps, timeline, paymentTimeout);
        Customers customers = new Customers(orders, timeline, paymentTimeout, idPrefix, counters);
        customers.start(steps);
        await(customers::areFinished, Duration.ofDays(365), timeline, counters);
        await(
                () -> counters.counts(settings.tolerance()).open() == 0,
                paymentTimeout.plus(PATIENCE),
                timeline,
                counters);
        await(() -> queue.stats(Orders.TIMEOUT_TOPIC).inFlight() == 0, PATIENCE, timeline, counters);
        running = null;
        return report(day, idPrefix, counters, before);
    }

    @TransactionalEventListener(fallbackExecution = true)
    void on(OrderEvent event) {
        ReplayCounters counters = running;
        if (counters != null) {
            counters.add(event);
        }
    }

    private void announce(List<Timeline.Step> steps, Timeline timeline, Duration paymentTimeout) {
        Instant first = steps.get(0).at();
        Instant last = steps.get(steps.size() - 1).at();
        Duration span = Duration.between(first, last);
        log.info(String.format(
                Locale.ROOT,
                "%s: %,d events from %s to %s, replayed in %d s",
                settings.orders(),
                steps.size(),
                first,
                last,
                timeline.scaled(span).toSeconds() + 1));
        log.info(
                "an order is closed after {} min unless it is paid; in the replay after {} ms",
                settings.paymentTimeout().toMinutes(),
                paymentTimeout.toMillis());
    }

    /** Waits for a condition and logs the progress every second. */
    private void await(BooleanSupplier condition, Duration atMost, Timeline timeline, ReplayCounters counters)
            throws InterruptedException {
        long began = System.nanoTime();
        long logged = began;
        while (!condition.getAsBoolean() && System.nanoTime() - began < atMost.toNanos()) {
            TimeUnit.MILLISECONDS.sleep(20);
            if (System.nanoTime() - logged >= 1_000_000_000L) {
                logged = System.nanoTime();
                log.info(ReplayReport.progress(timeline.now(), counters.counts(settings.tolerance())));
            }
        }
    }

    private ReplayReport report(List<ReplayOrder> day, String idPrefix, ReplayCounters counters, RedisCounts before) {
        long payable = day.stream()
                .filter(order -> order.isPaidWithin(settings.paymentTimeout()))
                .count();
        long lost = orders.all().stream()
                .filter(order -> order.id().startsWith(idPrefix) && order.state() == Order.State.PLACED)
                .count();
        RedisCounts now = RedisCounts.of(queue.stats(Orders.TIMEOUT_TOPIC));
        return new ReplayReport(day.size(), payable, lost, counters.counts(settings.tolerance()), now.since(before));
    }
}
