package io.delayqueue.internal.engine.consume;

import io.delayqueue.DelayQueueException;
import io.delayqueue.internal.engine.shared.ConsumerContext;
import io.delayqueue.internal.engine.shared.ThrottledLog;
import io.delayqueue.internal.store.ClaimAnswer;
import io.delayqueue.internal.store.Partition;
import java.time.Duration;
import java.util.function.IntConsumer;

/** Reports what a claim found beside the messages it leased, and begins the work that this calls for. */
final class ClaimFindings {

    /** A claim of this many early messages is a sign of load: the next claim comes soon, and needs an exact clock. */
    private static final int MIN_EARLY_FOR_CLOCK = 2;

    private final ConsumerContext context;
    private final Partition partition;
    private final ClaimCalls calls;
    private final OrphanScan orphanScan;
    private final IntConsumer partitionCount;
    private final ClaimReport report;
    private final ThrottledLog problems;

    /** @param partitionCount takes the number of the topic's partitions */
    ClaimFindings(
            ConsumerContext context,
            Partition partition,
            ClaimCalls calls,
            OrphanScan orphanScan,
            IntConsumer partitionCount) {
        this.context = context;
        this.partition = partition;
        this.calls = calls;
        this.orphanScan = orphanScan;
        this.partitionCount = partitionCount;
        this.report = new ClaimReport(context, partition);
        this.problems = new ThrottledLog("Topic " + partition);
    }

    /**
     * Never fails: the claim itself succeeded, and the next one must not wait for what else it found.
     *
     * @param ago time since the claim began
     */
    void handle(ClaimAnswer answer, Duration ago) {
        try {
            report.report(answer, ago);
            if (answer.unscheduled() > 0) {
                orphanScan.goOn();
            }
            if (answer.deadPastRetention() > 0) {
                context.client().retention().purge(partition);
            }
            if (answer.claimedEarly() >= MIN_EARLY_FOR_CLOCK) {
                calls.updateClock();
            }
            partitionCount.accept(answer.partitions());
        } catch (RuntimeException | Error e) {
            if (e instanceof DelayQueueException) {
                problems.failed(e);
            } else {
                problems.failed("the follow-up work of a claim failed; claims go on", e);
            }
        }
    }
}
