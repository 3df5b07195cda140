package io.delayqueue.sample.replay;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** What happens when in a replay: the file's times, squeezed, on this process' monotonic clock. */
final class Timeline {

    /** Somebody places or pays an order. */
    record Step(Instant at, RecordedOrder order, boolean isPayment) {}

    private final Instant from;
    private final double speed;
    private final long startedNanos;

    /** Starts now. */
    Timeline(Instant from, double speed) {
        this.from = from;
        this.speed = speed;
        this.startedNanos = System.nanoTime();
    }

    /** The steps of these orders in the order of their times. */
    static List<Step> steps(List<RecordedOrder> orders) {
        List<Step> steps = new ArrayList<>(2 * orders.size());
        for (RecordedOrder order : orders) {
            steps.add(new Step(order.placedAt(), order, false));
            if (order.paidAt() != null) {
                steps.add(new Step(order.paidAt(), order, true));
            }
        }
        steps.sort(Comparator.comparing(Step::at));
        return steps;
    }

    /** So long in the file is how long here. */
    Duration squeezed(Duration inFile) {
        return Duration.ofNanos((long) (inFile.toNanos() / speed));
    }

    /** Which time it is in the file. */
    Instant now() {
        return from.plusNanos((long) ((System.nanoTime() - startedNanos) * speed));
    }

    /** Waits until it is this time in the file. Returns by how many nanoseconds that was missed. */
    long await(Instant inFile) throws InterruptedException {
        long at = startedNanos + squeezed(Duration.between(from, inFile)).toNanos();
        for (long left = at - System.nanoTime(); left > 0; left = at - System.nanoTime()) {
            LockSupport.parkNanos(left);
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        }
        return System.nanoTime() - at;
    }
}
