package io.delayqueue.sample.replay;

import io.delayqueue.CancelOutcome;
import io.delayqueue.sample.order.Order.State;
import io.delayqueue.sample.order.OrderEvent;
import java.time.Duration;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** Counts how the orders of one replay end. Safe for use by several threads. */
final class ReplayCounters {

    private final String idPrefix;
    private final LongAdder placed = new LongAdder();
    private final LongAdder paid = new LongAdder();
    private final LongAdder paidInFlight = new LongAdder();
    private final LongAdder paidTooLate = new LongAdder();
    private final LongAdder duplicates = new LongAdder();
    private final LongAdder failures = new LongAdder();
    private final Queue<Long> latenessMicros = new ConcurrentLinkedQueue<>();
    private final AtomicLong behindNanos = new AtomicLong();

    /** @param idPrefix begins the ids of this replay's orders, and of no others */
    ReplayCounters(String idPrefix) {
        this.idPrefix = idPrefix;
    }

    /** Counts an event, unless it is about an order of another replay. */
    void add(OrderEvent event) {
        if (!event.orderId().startsWith(idPrefix)) {
            return;
        }
        if (event instanceof OrderEvent.Placed) {
            placed.increment();
        } else if (event instanceof OrderEvent.Paid payment) {
            paid.increment();
            if (payment.timeout() != CancelOutcome.CANCELLED) {
                paidInFlight.increment();
            }
        } else if (event instanceof OrderEvent.PaidTooLate) {
            paidTooLate.increment();
        } else if (event instanceof OrderEvent.Closed closed) {
            latenessMicros.add(closed.lateness().toNanos() / 1_000);
        } else if (event instanceof OrderEvent.TimeoutIgnored ignored
                && ignored.order() != null
                && ignored.order().state() == State.CLOSED) {
            duplicates.increment();
        }
    }

    /** Counts an order that could not be placed or paid because of an exception. */
    void failure() {
        failures.increment();
    }

    /** Records by how much the replay itself was late with a step. */
    void behind(long nanos) {
        behindNanos.accumulateAndGet(nanos, Math::max);
    }

    Counts counts(Duration tolerance) {
        long[] sorted =
                latenessMicros.stream().mapToLong(Long::longValue).sorted().toArray();
        long late = Arrays.stream(sorted)
                .filter(micros -> micros > tolerance.toNanos() / 1_000)
                .count();
        return new Counts(
                placed.sum(),
                paid.sum(),
                paidInFlight.sum(),
                sorted.length,
                paidTooLate.sum(),
                late,
                duplicates.sum(),
                failures.sum(),
                new Lateness(sorted),
                Duration.ofNanos(behindNanos.get()));
    }

    /**
     * The counts at one instant.
     *
     * @param paidInFlight of {@code paid}, orders whose timeout was in flight already
     * @param paidTooLate payments refused because the order was closed
     * @param late orders closed later than the tolerance
     * @param duplicates timeouts delivered for an order already closed
     * @param failures orders that could not be placed or paid because of an exception
     * @param behind the largest delay of the replay itself
     */
    record Counts(
            long placed,
            long paid,
            long paidInFlight,
            long closed,
            long paidTooLate,
            long late,
            long duplicates,
            long failures,
            Lateness lateness,
            Duration behind) {

        /** Neither paid nor closed. */
        long open() {
            return placed - paid - closed;
        }
    }

    /** How late orders were closed. */
    record Lateness(long[] sortedMicros) {

        /** In milliseconds; 0 if nothing was closed. */
        double quantile(double q) {
            int last = sortedMicros.length - 1;
            return last < 0 ? 0 : sortedMicros[(int) Math.round(q * last)] / 1e3;
        }
    }
}
