package io.delayqueue.sample.replay;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Maps the times of a day to this process' monotonic clock, faster by a factor. */
final class Timeline {

    /** An order is placed or paid. */
    record Step(Instant at, ReplayOrder order, boolean isPayment) {}

    private final Instant from;
    private final double speed;
    private final long startedNanos;

    /** Starts now. */
    Timeline(Instant from, double speed) {
        this.from = from;
        this.speed = speed;
        this.startedNanos = System.nanoTime();
    }

    /** The steps of these orders, sorted by time. */
    static List<Step> steps(List<ReplayOrder> orders) {
        List<Step> steps = new ArrayList<>(2 * orders.size());
        for (ReplayOrder order : orders) {
            steps.add(new Step(order.placedAt(), order, false));
            if (order.paidAt() != null) {
                steps.add(new Step(order.paidAt(), order, true));
            }
        }
        steps.sort(Comparator.comparing(Step::at));
        return steps;
    }

    /** A duration of the day as it is in the replay. */
    Duration scaled(Duration ofDay) {
        return Duration.ofNanos((long) (ofDay.toNanos() / speed));
    }

    /** The present time of the day. */
    Instant now() {
        return from.plusNanos((long) ((System.nanoTime() - startedNanos) * speed));
    }

    /** Waits for this time of the day. Returns by how many nanoseconds it was missed. */
    long await(Instant timeOfDay) throws InterruptedException {
        long at = startedNanos + scaled(Duration.between(from, timeOfDay)).toNanos();
        for (long left = at - System.nanoTime(); left > 0; left = at - System.nanoTime()) {
            LockSupport.parkNanos(left);
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        }
        return System.nanoTime() - at;
    }
}
