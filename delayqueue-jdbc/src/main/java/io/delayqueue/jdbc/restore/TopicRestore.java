package io.delayqueue.jdbc.restore;

import io.delayqueue.PartitionMark;
import io.delayqueue.Survey;
import io.delayqueue.jdbc.restore.JournalRestore.Outcome;
import io.delayqueue.jdbc.restore.LossDetector.Finding;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/** Notices losses of one topic, and repairs them step by step. Each step may be done twice, and by several instances. */
final class TopicRestore {

    /** Most changes that wait are just being sent, which takes milliseconds. */
    static final Duration SENT_MEANWHILE = Duration.ofSeconds(1);

    /** Times that a restore looks at messages whose changes wait, before it leaves them to a repetition. */
    static final int LOOKS_AT_WAITING = 3;

    private final RestoreContext context;
    private final String topic;
    private final Survey survey;

    TopicRestore(RestoreContext context, String topic) {
        this.context = context;
        this.topic = topic;
        this.survey = context.client().survey(topic);
    }

    List<Finding> check() {
        return detector().compare(topic, survey::marks);
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

    /** Has the journal expect epochs that are new, and records losses. Those that this call recorded. */
    List<RedisLossDetectedEvent> recordLosses(List<Finding> findings) {
        List<RedisLossDetectedEvent> recorded = new ArrayList<>();
        for (Finding finding : findings) {
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
                continue;
            }
            // an epoch that was left must not come back: another server may have it still
            if (mark.epoch() == null || mark.epoch().equals(expectedEpoch) || finding.loss() == Loss.OTHER_EPOCH) {
                mark = survey.beginEpoch(mark.partition(), mark.epoch());
            }
            Optional<Loss> decided = context.known().decide(mark, expectedEpoch, finding.loss());
            if (decided.isPresent() && decided.get() != Loss.NONE) {
                context.seen().forget(topic, mark.partition(), expectedEpoch);
                recorded.add(new RedisLossDetectedEvent(topic, mark.partition(), decided.get()));
            }
        }
        return recorded;
    }

    /** Deletes messages that ended from partitions that may have them again, and corrects times that were put off. Then claims go on. */
    void removeRevived(RestoreWork work) {
        Map<Integer, String> lost = lost(KnownPartitions.REMOVE);
        if (lost.isEmpty()) {
            return;
        }
        // an ack that is not recorded yet would let its message through
        work.await(context.pendingEnds().written(), ComparisonPass.LONGEST_WAIT_FOR_ENDS);
        int partitions = survey.marks().size();
        lost.forEach((part, epoch) -> {
            if (part < partitions) {
                dropEnded(part, true, false, work);
            }
            done(KnownPartitions.REMOVE, Map.of(part, epoch));
        });
    }

    /**
     * Partitions whose losses are to be repaired on the server that this process talks to, which may not be the one that lost data; and
     * those that it has no more. With the losses' epochs.
     */
    Map<Integer, String> lost(String work) {
        Map<Integer, KnownPartition> known = context.known().of(topic);
        List<PartitionMark> marks = survey.marks();
        Map<Integer, String> lost = new TreeMap<>();
        known.forEach((part, partition) -> {
            String epoch = partition.since(work);
            if (epoch != null
                    && (part >= marks.size() || epoch.equals(marks.get(part).epoch()))) {
                lost.put(part, epoch);
            }
        });
        return lost;
    }

    /** Work is done that was to be done before it began, if it still is. */
    void done(String work, Map<Integer, String> before) {
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
        int partitions = survey.marks().size();
        for (int partition = 0; partition < partitions; partition++) {
            dropEnded(partition, false, dryRun, work);
        }
    }

    /**
     * Schedules unfinished messages again that Redis lost. Ends that were on their way at the loss are recorded first, those of other
     * instances too, as far as the settling time goes. It counts from the loss: topics that were lost together wait for it together.
     *
     * @param refill keeps what is left to be done
     * @param age time since the loss was found
     * @return {@link Outcome#AGAIN} if some have changes that are still to be sent: the refill has to be repeated when these are
     */
    Outcome refill(OpenRefill refill, RestoreWork work, Duration age) {
        Map<Integer, String> lost = lost(KnownPartitions.REFILL);
        if (lost.isEmpty()) {
            return Outcome.NOTHING;
        }
        BooleanSupplier written = context.pendingEnds().written();
        work.await(context.settings().settleTime().minus(age));
        work.await(written, ComparisonPass.LONGEST_WAIT_FOR_ENDS);
        refill.begin(lost);
        ComparisonPass twice = refillOf(lost.keySet(), context.settings().settleTime(), work);
        boolean complete = true;
        if (refill.isWalked()) {
            twice.lookAt(refill.left());
        } else {
            noteLostKeys(lost.keySet());
            // 1. all messages, by one look: nobody handled them since the loss
            ComparisonPass atOnce = refillOf(lost.keySet(), Duration.ZERO, work);
            long began = context.recorded().now();
            atOnce.walk();
            // 2. those that changed their place in the walk meanwhile, by two looks
            twice.walkChangedSince(began);
            // 3. those that were left to the outbox
            twice.lookAt(atOnce.waiting());
            complete = atOnce.waitingIsComplete();
        }
        // messages that came back since the refill began may be handled already: hence two looks
        twice.lookAgain();
        for (int i = 0; i < LOOKS_AT_WAITING && !twice.waiting().isEmpty(); i++) {
            work.await(SENT_MEANWHILE);
            twice.lookAtWaiting();
            twice.lookAgain();
        }
        refill.keep(twice, complete);
        if (!refill.isDone()) {
            return Outcome.AGAIN;
        }
        done(KnownPartitions.REFILL, lost);
        return Outcome.DONE;
    }

    /**
     * Redis' counters of partitions that it lost began anew, or went back: comparisons find keys that get lost from now on. Of other
     * partitions, those that got lost since the last comparison would be among these, so then none are.
     */
    void noteLostKeys(Set<Integer> lost) {
        boolean isAll = lost.size() >= survey.marks().size();
        new ComparisonLease(context, topic)
                .note(
                        isAll
                                ? new Repairs(context, topic, survey, new RestoreTally(new AtomicLong())).lostKeys()
                                : ComparisonLease.UNKNOWN);
    }

    private ComparisonPass refillOf(Set<Integer> lost, Duration betweenLooks, RestoreWork work) {
        Repairs repairs = new Repairs(context, topic, survey, work.tally);
        // where nothing was lost, Redis' word holds: its due times, and the ends that it counted
        boolean isAll = survey.marks().size()
                <= Collections.max(context.known().of(topic).keySet());
        return new ComparisonPass(context, topic, survey, work, betweenLooks, repairs::restore)
                .only(isAll ? null : lost);
    }

    /**
     * Compares all messages with a Redis that lost nothing, and repairs the differences: messages that are gone are scheduled again
     * if Redis has a part of them or knows that it lost keys, and are finished else; due times of Redis hold; messages that ended are
     * deleted.
     *
     * @param lostKeysBefore number of messages whose keys Redis knew to have lost at the last comparison
     * @return the number for the next one; empty if Redis may have lost data
     */
    Optional<Long> compare(RestoreWork work, boolean dryRun, long lostKeysBefore) {
        List<Finding> before = check();
        if (!before.stream().allMatch(Finding::isIntact)) {
            return Optional.empty();
        }
        IntactRedis intact = new IntactRedis(this, before);
        Repairs repairs = new Repairs(context, topic, survey, work.tally);
        long lostKeys = repairs.lostKeys();
        ComparisonPass pass = new ComparisonPass(
                context, topic, survey, work, context.settings().settleTime(), found -> {
                    if (dryRun || found.isEmpty()) {
                        return 0;
                    }
                    intact.check();
                    return repairs.reconcile(found, lostKeysBefore);
                });
        pass.walk();
        pass.lookAgain();
        intact.check();
        dropEnded(dryRun, work);
        return Optional.of(lostKeys + repairs.evicted());
    }

    /** Shows that what was read from Redis since was all there. */
    private record IntactRedis(TopicRestore restore, List<Finding> before) {

        void check() {
            List<Finding> now = restore.check();
            boolean same = now.size() == before.size() && now.stream().allMatch(Finding::isIntact);
            for (int i = 0; same && i < now.size(); i++) {
                same = now.get(i).hasEpochOf(before.get(i));
            }
            if (!same) {
                throw new RestoreEndedException("Redis may have lost data of topic '" + restore.topic + "' meanwhile");
            }
        }
    }
}
