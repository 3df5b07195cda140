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

/** Counts what becomes of the orders. Safe for use by several threads. */
final class Tally {

    private final LongAdder placed = new LongAdder();
    private final LongAdder paid = new LongAdder();
    private final LongAdder paidInFlight = new LongAdder();
    private final LongAdder paidTooLate = new LongAdder();
    private final LongAdder duplicates = new LongAdder();
    private final LongAdder failures = new LongAdder();
    private final Queue<Long> latenessMicros = new ConcurrentLinkedQueue<>();
    private final AtomicLong behindNanos = new AtomicLong();

    void add(OrderEvent event) {
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

    /** An order could not be placed or paid, for technical reasons. */
    void failure() {
        failures.increment();
    }

    /** The replay itself was late by so much in taking a step. */
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
     * The counts at some instant.
     *
     * @param paidInFlight those of {@code paid} whose timeout had been taken by the listener already
     * @param paidTooLate payments refused because the order was closed
     * @param late closed later than tolerated
     * @param duplicates timeouts that came for an order already closed
     * @param failures orders that could not be placed or paid because of an exception
     * @param behind the most by which the replay itself was late
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
