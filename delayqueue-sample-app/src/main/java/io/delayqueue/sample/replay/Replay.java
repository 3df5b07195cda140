package io.delayqueue.sample.replay;

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
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * Replays orders as if customers were there: each is placed at its time and, if the file says so, paid at its time, all
 * squeezed by the same factor, the time that a customer has to pay included.
 */
@Component
public class Replay {

    private static final Logger log = LoggerFactory.getLogger("replay");

    /** How long to wait for what should have happened. */
    private static final Duration PATIENCE = Duration.ofSeconds(15);

    private final Orders orders;
    private final DelayQueueClient queue;
    private final SampleProperties.Replay settings;
    private volatile @Nullable Tally running;

    Replay(Orders orders, DelayQueueClient queue, SampleProperties properties) {
        this.orders = orders;
        this.queue = queue;
        this.settings = properties.replay();
    }

    /** Replays the file of the settings and prints the report. Returns whether every order was accounted for. */
    public boolean run() {
        try {
            ReplayReport report = run(OrderFile.read(settings.file()), settings.speed());
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

    ReplayReport run(List<RecordedOrder> recorded, double speed) throws InterruptedException {
        List<Timeline.Step> steps = Timeline.steps(recorded);
        if (steps.isEmpty()) {
            throw new IllegalArgumentException("there is no order in the file");
        }
        Tally tally = new Tally();
        running = tally;
        Timeline timeline = new Timeline(steps.get(0).at(), speed);
        Duration paymentTimeout = timeline.squeezed(settings.paymentTimeout());
        announce(steps, timeline, paymentTimeout);
        Customers customers = new Customers(orders, timeline, paymentTimeout, tally);
        customers.start(steps);
        await(customers::areGone, Duration.ofDays(365), timeline, tally);
        await(() -> tally.counts(settings.tolerance()).open() == 0, paymentTimeout.plus(PATIENCE), timeline, tally);
        await(() -> queue.stats(Orders.TIMEOUT_TOPIC).inFlight() == 0, PATIENCE, timeline, tally);
        running = null;
        return report(recorded, tally);
    }

    @EventListener
    void on(OrderEvent event) {
        Tally tally = running;
        if (tally != null) {
            tally.add(event);
        }
    }

    private void announce(List<Timeline.Step> steps, Timeline timeline, Duration paymentTimeout) {
        Instant first = steps.get(0).at();
        Instant last = steps.get(steps.size() - 1).at();
        Duration span = Duration.between(first, last);
        log.info(String.format(
                Locale.ROOT,
                "%s: %,d events from %s to %s, replayed in %d s",
                settings.file(),
                steps.size(),
                first,
                last,
                timeline.squeezed(span).toSeconds() + 1));
        log.info(
                "an order is closed after {} min unless it is paid; here after {} ms",
                settings.paymentTimeout().toMinutes(),
                paymentTimeout.toMillis());
    }

    /** Waits for something, and says every second how far it is. */
    private void await(BooleanSupplier what, Duration atMost, Timeline timeline, Tally tally)
            throws InterruptedException {
        long began = System.nanoTime();
        long told = began;
        while (!what.getAsBoolean() && System.nanoTime() - began < atMost.toNanos()) {
            TimeUnit.MILLISECONDS.sleep(20);
            if (System.nanoTime() - told >= 1_000_000_000L) {
                told = System.nanoTime();
                log.info(ReplayReport.progress(timeline.now(), tally.counts(settings.tolerance())));
            }
        }
    }

    private ReplayReport report(List<RecordedOrder> recorded, Tally tally) {
        long payable = recorded.stream()
                .filter(order -> order.isPaidWithin(settings.paymentTimeout()))
                .count();
        long lost = orders.all().stream()
                .filter(order -> order.state() == Order.State.PLACED)
                .count();
        return new ReplayReport(
                recorded.size(), payable, lost, tally.counts(settings.tolerance()), queue.stats(Orders.TIMEOUT_TOPIC));
    }
}
