package io.delayqueue.jdbc.restore;

import io.delayqueue.PartitionMark;
import io.delayqueue.Survey;
import io.delayqueue.jdbc.restore.LossDetector.Finding;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/** Repairs what Redis lost of one topic, under its lease. Each step may be done twice. */
final class LossRepair {

    private final RestoreContext context;
    private final String topic;
    private final Survey survey;
    private final RestoreWork work;

    LossRepair(RestoreContext context, String topic, RestoreWork work) {
        this.context = context;
        this.topic = topic;
        this.survey = context.client().survey(topic);
        this.work = work;
    }

    /**
     * Looks for losses, and deletes what an older Redis brought back.
     *
     * @param told gets each loss before it is repaired
     * @return whether unfinished messages are to be scheduled again
     */
    boolean removeRevived(Consumer<RedisLossDetectedEvent> told) {
        LossDetector detector = new LossDetector(context.known(), context.seen());
        List<Finding> findings = detector.look(topic, survey::marks);
        for (Finding finding : findings) {
            if (finding.loss() != Loss.NONE) {
                told.accept(new RedisLossDetectedEvent(topic, finding.mark().partition(), finding.loss()));
            }
        }
        if (context.settings().mode() != RestoreMode.AUTOMATIC) {
            return false;
        }
        boolean refill = false;
        for (Finding finding : findings) {
            if (finding.loss() != Loss.NONE) {
                removeRevived(finding);
                refill = true;
            }
            refill |= finding.refill();
        }
        return refill;
    }

    /**
     * Deletes what ended. A new epoch comes first: it refuses changes that relays read before, and shows if Redis is set back again
     * meanwhile. Claims go on when the journal has the epoch.
     */
    private void removeRevived(Finding finding) {
        int partition = finding.mark().partition();
        PartitionMark begun = survey.beginEpoch(partition, finding.mark().epoch());
        new RevivedMessages(context.recorded())
                .dropFrom(survey, topic, partition, false, work.tally, () -> work.step(0, () -> 0));
        PartitionMark now = survey.marks().get(partition);
        if (!Objects.equals(now.epoch(), begun.epoch())) {
            throw new RestoreEndedException("Redis lost data of topic '" + topic + "' again; the restore begins anew");
        }
        context.known().agree(begun);
    }

    /**
     * Schedules unfinished messages again. What was acked shortly before the loss is recorded first.
     *
     * @return whether anything was to be done
     */
    boolean refill() {
        Map<Integer, KnownPartition> known = context.known().of(topic);
        if (known.values().stream().noneMatch(KnownPartition::refill)) {
            return false;
        }
        work.await(context.settings().settleTime());
        Repairs repairs = new Repairs(context, topic, survey, work.tally);
        new ComparisonPass(context, topic, survey, work, Duration.ZERO, repairs::restore).run(Long.MAX_VALUE);
        known.forEach((partition, before) -> {
            if (before.refill()) {
                context.known().refilled(new PartitionMark(topic, partition, before.agreed(), 0, 0));
            }
        });
        return true;
    }
}
