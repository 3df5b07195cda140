package io.delayqueue.internal.engine;

import io.delayqueue.internal.store.ClaimAnswer;
import io.delayqueue.internal.store.OrphanScanStep;
import io.delayqueue.internal.store.Partition;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks through a partition's messages for those that have neither a due time nor a lease any more, step by step between
 * claims. A step that fails ends it until the store is found to have such messages again: claims must not suffer.
 */
final class OrphanScan {

    private static final Logger log = LoggerFactory.getLogger("io.delayqueue");

    /** Between the steps, so that Redis has time for others. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final String REASON = "its due time or its lease is gone: somebody deleted or evicted keys";

    private final ConsumerContext context;
    private final Partition partition;
    private final Sightings strays;
    private String cursor = OrphanScanStep.BEGIN;
    private boolean underWay;

    OrphanScan(ConsumerContext context, Partition partition) {
        this.context = context;
        this.partition = partition;
        this.strays = new Sightings("messages of topic " + partition
                + " had neither a due time nor a lease any more: somebody deleted or evicted keys; they are dead letters"
                + " now, to be redriven or purged");
    }

    /** Begins, or takes up where it ended. */
    void goOn() {
        underWay = true;
    }

    /** Takes the next step, if it is under way. Returns how long to sleep in ns at most. */
    long step(long sleepNanos) throws InterruptedException {
        OrphanScanStep step = underWay ? next() : null;
        if (step == null) {
            return sleepNanos;
        }
        cursor = step.cursor();
        underWay = !step.isLast();
        tell(step.deadLettered());
        return underWay ? Math.min(sleepNanos, PAUSE_NANOS) : sleepNanos;
    }

    private @Nullable OrphanScanStep next() throws InterruptedException {
        try {
            return context.store().scanOrphans(partition, cursor).get();
        } catch (ExecutionException | RuntimeException e) {
            underWay = false;
            log.warn(
                    "Messages of topic {} that lost their due time or lease could not be looked for; trying again in a"
                            + " minute: {}",
                    partition,
                    Failures.cause(e).toString());
            return null;
        }
    }

    private void tell(List<ClaimAnswer.DeadLettered> found) {
        if (found.isEmpty()) {
            return;
        }
        strays.seen(found.size());
        String topic = context.topic();
        context.observers().tell(observer -> observer.orphaned(topic, found.size()));
        found.forEach(dead ->
                context.observers().tell(observer -> observer.deadLettered(topic, dead.id(), dead.attempts(), REASON)));
    }
}
