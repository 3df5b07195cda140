package io.delayqueue.internal.engine.consume;

import io.delayqueue.internal.FutureErrors;
import io.delayqueue.internal.engine.shared.ConsumerContext;
import io.delayqueue.internal.engine.shared.ThrottledLog;
import io.delayqueue.internal.store.ClaimAnswer;
import io.delayqueue.internal.store.OrphanScanStep;
import io.delayqueue.internal.store.Partition;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks through a partition's messages for those that are neither scheduled nor leased nor dead, step by step between claims. It
 * runs only after Redis was found to have such messages. A step that fails ends it until they are found again: claims must not
 * suffer.
 */
final class OrphanScan {

    private static final Logger log = LoggerFactory.getLogger("io.delayqueue");

    /** Between two steps, so that Redis has time for others. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final String REASON =
            "its due time or its lease is missing: another program deleted its keys, or Redis evicted them";

    private final ConsumerContext context;
    private final Partition partition;
    private final ThrottledLog unscheduled;
    private String cursor = OrphanScanStep.BEGIN;
    private boolean underWay;

    OrphanScan(ConsumerContext context, Partition partition) {
        this.context = context;
        this.partition = partition;
        this.unscheduled = new ThrottledLog("Topic " + partition);
    }

    /** Begins, or goes on where it ended. */
    void goOn() {
        underWay = true;
    }

    /** Takes the next step, if the scan is under way. The answer is how long to sleep in ns at most. */
    CompletableFuture<Long> step(long sleepNanos) {
        if (!underWay) {
            return CompletableFuture.completedFuture(sleepNanos);
        }
        long beganNanos = System.nanoTime();
        return next().handle((step, error) ->
                error == null ? took(step, beganNanos, sleepNanos) : failed(error, sleepNanos));
    }

    private CompletableFuture<OrphanScanStep> next() {
        try {
            return context.client().store().scanOrphans(partition, cursor);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private long took(OrphanScanStep step, long beganNanos, long sleepNanos) {
        cursor = step.cursor();
        underWay = !step.isLast();
        report(step.deadLettered(), Duration.ofNanos(System.nanoTime() - beganNanos));
        return underWay ? Math.min(sleepNanos, PAUSE_NANOS) : sleepNanos;
    }

    private long failed(Throwable error, long sleepNanos) {
        underWay = false;
        log.warn(
                "Topic {} could not be searched for messages that lost their due time or lease; the search goes on in a minute: {}",
                partition,
                FutureErrors.unwrap(error).toString());
        return sleepNanos;
    }

    private void report(List<ClaimAnswer.DeadLettered> found, Duration ago) {
        if (found.isEmpty()) {
            return;
        }
        unscheduled.found(
                found.size(),
                "messages had neither a due time nor a lease any more: another program deleted their keys, or Redis evicted them;"
                        + " they are dead letters now: redrive or purge them");
        String topic = context.topic();
        var observer = context.client().observer();
        observer.call(told -> told.orphaned(topic, found.size()));
        found.forEach(dead -> observer.call(told -> told.deadLettered(topic, dead.id(), dead.attempts(), REASON, ago)));
    }
}
