package io.delayqueue.jdbc.restore;

import io.delayqueue.DelayQueueException;
import io.delayqueue.PartitionMark;
import io.delayqueue.Survey;
import io.delayqueue.jdbc.restore.LossDetector.Finding;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * Notices losses of one topic, partition by partition, and removes ended messages that came back. Each step may be done twice, and by
 * several instances. A partition that fails holds up no other.
 */
final class TopicRestore {

    private final RestoreContext context;
    private final String topic;
    private final Survey survey;

    TopicRestore(RestoreContext context, String topic) {
        this.context = context;
        this.topic = topic;
        this.survey = context.client().survey(topic);
    }

    /**
     * The findings of a look at all partitions.
     *
     * @param findings of those that answered
     * @param failures of the others
     */
    record Check(List<Finding> findings, List<DelayQueueException> failures) {

        /** Whether all partitions answered, and lost nothing that was not repaired. */
        boolean isIntact() {
            return failures.isEmpty() && findings.stream().allMatch(Finding::isIntact);
        }
    }

    Check check() {
        // before Redis tells the marks, whose counters grow meanwhile
        LossDetector.Expected expected = detector().expected(topic);
        TopicMarks marks = TopicMarks.ofAll(survey, expected.count(), expected::isPresent);
        return new Check(marks.present().stream().map(expected::compare).toList(), marks.failures());
    }

    private LossDetector detector() {
        return new LossDetector(context.known(), context.seen());
    }

    /** Whether partitions must not be claimed now, as their servers answer: none is waited for. */
    Map<Integer, CompletionStage<Boolean>> holdsClaims(Collection<Integer> partitions) {
        LossDetector.Expected expected = detector().expected(topic);
        Map<Integer, CompletionStage<Boolean>> answers = new HashMap<>();
        for (int partition : partitions) {
            answers.put(
                    partition,
                    survey.mark(partition)
                            .thenApply(mark -> expected.compare(mark).holdsClaims()));
        }
        return answers;
    }

    /**
     * Has the journal expect epochs that are new, and records losses.
     *
     * @param recorded gets those that this call recorded
     */
    void recordLosses(List<Finding> findings, Consumer<RedisLossDetectedEvent> recorded) {
        eachPartition(findings, finding -> record(finding).ifPresent(recorded));
    }

    private Optional<RedisLossDetectedEvent> record(Finding finding) {
        PartitionMark mark = finding.mark();
        PartitionMark former = mark.former();
        if (finding.known().isLost() && former != null) {
            context.seen().forget(topic, mark.partition(), former.epoch());
        }
        String expectedEpoch = finding.known().expectedEpoch();
        if (expectedEpoch == null && mark.epoch() != null) {
            context.known().expect(mark);
        }
        if (expectedEpoch == null || finding.isExpected()) {
            return Optional.empty();
        }
        // an epoch that was left must not come back: another server may have it still
        if (mark.epoch() == null || mark.epoch().equals(expectedEpoch) || finding.loss() == Loss.OTHER_EPOCH) {
            mark = survey.beginEpoch(mark.partition(), mark.epoch());
        }
        Optional<Loss> decided = context.known().decide(mark, expectedEpoch, finding.loss());
        if (decided.isEmpty() || decided.get() == Loss.NONE) {
            return Optional.empty();
        }
        context.seen().forget(topic, mark.partition(), expectedEpoch);
        return Optional.of(new RedisLossDetectedEvent(topic, mark.partition(), decided.get()));
    }

    /** Deletes messages that ended from partitions that may have them again, and corrects times that were put off. Then claims go on. */
    void removeRevived(RestoreWork work) {
        Map<Integer, String> lost = lost(KnownPartitions.REMOVE);
        if (lost.isEmpty()) {
            return;
        }
        // an ack that is not recorded yet would let its message through
        work.await(context.pendingEnds().written(), longestWaitForEnds());
        eachPartition(lost.entrySet(), partition -> {
            if (!TopicMarks.of(survey, List.of(partition.getKey())).isGone(partition.getKey())) {
                dropEnded(partition.getKey(), true, false, work);
            }
            done(KnownPartitions.REMOVE, Map.of(partition.getKey(), partition.getValue()));
        });
    }

    /** The wait is no progress, for which claims are held: if it took all their time, everything that came back would be delivered. */
    private Duration longestWaitForEnds() {
        Duration half = context.settings().holdTimeout().dividedBy(2);
        return half.compareTo(ComparisonPass.LONGEST_WAIT_FOR_ENDS) < 0 ? half : ComparisonPass.LONGEST_WAIT_FOR_ENDS;
    }

    /** A partition whose server is silent, or whose keys are those of others, holds up none of the others. */
    private static <T> void eachPartition(Collection<T> partitions, Consumer<T> work) {
        List<DelayQueueException> failures = new ArrayList<>();
        for (T partition : partitions) {
            try {
                work.accept(partition);
            } catch (DelayQueueException e) {
                failures.add(e);
            }
        }
        if (!failures.isEmpty()) {
            throw failures.get(0);
        }
    }

    /**
     * Partitions whose losses are to be repaired on the server that this process talks to, with the losses' epochs. It may not be the
     * server that lost data. Partitions that it has no more are among them. Those of a silent server come later.
     */
    Map<Integer, String> lost(String work) {
        Map<Integer, String> lost = new TreeMap<>();
        context.known().of(topic).forEach((part, partition) -> {
            String epoch = partition.since(work);
            if (epoch != null) {
                lost.put(part, epoch);
            }
        });
        if (!lost.isEmpty()) {
            TopicMarks marks = TopicMarks.of(survey, lost.keySet());
            lost.entrySet()
                    .removeIf(each ->
                            !marks.isGone(each.getKey()) && !each.getValue().equals(marks.epoch(each.getKey())));
        }
        return lost;
    }

    /** Work is done that was to be done before it began, if it still is. */
    void done(String work, Map<Integer, String> before) {
        if (before.isEmpty()) {
            return;
        }
        Map<Integer, String> now = lost(work);
        before.forEach((part, epoch) -> {
            if (epoch.equals(now.get(part))) {
                context.known().done(topic, part, work, epoch);
            }
        });
    }

    private void dropEnded(int partition, boolean correctsDue, boolean dryRun, RestoreWork work) {
        new RevivedMessages(context.recorded(), correctsDue)
                .dropFrom(survey, topic, partition, dryRun, work.tally, () -> work.step(0, () -> 0));
    }

    void dropEnded(boolean dryRun, RestoreWork work) {
        int partitions = TopicMarks.count(survey);
        for (int partition = 0; partition < partitions; partition++) {
            dropEnded(partition, false, dryRun, work);
        }
    }
}
