package io.delayqueue.jdbc.restore;

import io.delayqueue.Survey;
import io.delayqueue.jdbc.restore.JournalRestore.Outcome;
import io.delayqueue.jdbc.restore.RecordedMessages.Range;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Schedules messages of one topic again that Redis lost, in the partitions that lost some. */
final class TopicRefill {

    /** Most changes that wait are just being sent, which takes milliseconds. */
    static final Duration SENT_MEANWHILE = Duration.ofSeconds(1);

    /** Times that a restore looks at messages whose changes wait, before it leaves them to a repetition. */
    static final int LOOKS_AT_WAITING = 3;

    private final RestoreContext context;
    private final String topic;
    private final TopicRestore restore;
    private final Survey survey;
    private final RestoreWork work;

    TopicRefill(RestoreContext context, String topic, RestoreWork work) {
        this.context = context;
        this.topic = topic;
        this.restore = new TopicRestore(context, topic);
        this.survey = context.client().survey(topic);
        this.work = work;
    }

    /**
     * Schedules unfinished messages again. Ends that were on their way at the loss are recorded first, those of other instances too, as far
     * as the settling time goes. It counts from the loss: topics that were lost together wait for it together. The loss of a partition ends
     * when none of its messages is left.
     *
     * @param refill keeps what is left to be done
     * @param age time since the loss was found
     * @return {@link Outcome#AGAIN} if some have changes that are still to be sent: the refill has to be repeated when these are
     */
    Outcome run(OpenRefill refill, Duration age) {
        Map<Integer, String> lost = restore.lost(KnownPartitions.REFILL);
        if (lost.isEmpty()) {
            return Outcome.NOTHING;
        }
        work.await(context.settings().settleTime().minus(age));
        work.await(context.pendingEnds().written(), ComparisonPass.LONGEST_WAIT_FOR_ENDS);
        Map<Integer, String> toWalk = refill.toWalk(lost);
        ComparisonPass twice = passOver(lost.keySet(), context.settings().settleTime());
        twice.lookAt(refill.left());
        boolean complete = toWalk.isEmpty() || walk(toWalk, twice);
        // messages that came back since the refill began may be handled already: hence two looks
        twice.compareSuspiciousAgain();
        twice.lookAtWaiting(LOOKS_AT_WAITING);
        refill.keep(twice, toWalk, complete);
        Map<Integer, String> done = done(refill);
        restore.done(KnownPartitions.REFILL, done);
        return done.keySet().containsAll(lost.keySet()) ? Outcome.DONE : Outcome.AGAIN;
    }

    /** Whether the pass has all messages that were left to the outbox. */
    private boolean walk(Map<Integer, String> lost, ComparisonPass twice) {
        noteLostKeys(lost.keySet());
        long began = context.recorded().now();
        // 1. by two looks those that another instance may have scheduled again, or this one in an attempt that failed:
        // handled meanwhile
        //    and not recorded yet
        long refilled = refilled(lost);
        twice.walk(Range.until(refilled));
        ComparisonPass once = passOver(lost.keySet(), Duration.ZERO)
                .leavingDueTo(twice, ids -> mayHaveEnded(lost, ids))
                .telling(dueMicros -> context.known().refilling(topic, lost, Math.max(refilled, dueMicros)));
        if (refilled < Long.MAX_VALUE) {
            // 2. by one look the others, but for those that are due: since the loss they may have been sent, and
            // handled
            once.walk(Range.after(refilled));
            context.known().refilling(topic, lost, Long.MAX_VALUE);
        }
        // 3. by two looks those that changed their place in the walk meanwhile
        twice.walkChangedSince(began);
        // 4. those that were left to the outbox
        twice.lookAt(once.waiting());
        return once.waitingIsComplete();
    }

    /**
     * The ids whose messages Redis may have had, and that ended. The others are lost, and need no second look. Counters of a partition that
     * lost nothing don't tell since when: a former number of partitions, or the present one, may have put a message there.
     */
    private Set<String> mayHaveEnded(Map<Integer, String> lost, Set<String> ids) {
        TopicMarks marks = TopicMarks.of(survey, lost.keySet());
        if (hasOthersThanRedis()
                || lost.entrySet().stream().anyMatch(each -> marks.mayHaveEnded(each.getKey(), each.getValue()))) {
            return ids;
        }
        Set<Integer> intact = IntStream.range(0, TopicMarks.count(survey))
                .boxed()
                .filter(part -> !lost.containsKey(part))
                .collect(Collectors.toSet());
        return intact.isEmpty() ? Set.of() : survey.idsIn(intact, ids);
    }

    private long refilled(Map<Integer, String> lost) {
        Map<Integer, KnownPartition> known = context.known().of(topic);
        return lost.keySet().stream()
                .mapToLong(
                        part -> known.getOrDefault(part, KnownPartition.UNKNOWN).refilledMicros())
                .max()
                .orElse(KnownPartition.NOT_BEGUN);
    }

    /** Partitions that were walked through, and have none of the messages that are left. */
    private Map<Integer, String> done(OpenRefill refill) {
        Map<Integer, String> done = new TreeMap<>(refill.walked());
        List<String> left = refill.left().stream().map(RecordedMessage::id).toList();
        if (!left.isEmpty() && hasOthersThanRedis()) {
            return Map.of();
        }
        for (int from = 0; from < left.size() && !done.isEmpty(); from += Survey.MAX_IDS) {
            List<String> some = left.subList(from, Math.min(from + Survey.MAX_IDS, left.size()));
            done.keySet().removeIf(part -> !survey.idsIn(Set.of(part), some).isEmpty());
        }
        return done;
    }

    /** The journal has messages of partitions that Redis does not have any more: they are in one of the present ones. */
    private boolean hasOthersThanRedis() {
        int count = TopicMarks.count(survey);
        return context.known().of(topic).keySet().stream().anyMatch(part -> part >= count);
    }

    /**
     * Redis' counters of partitions that it lost began anew, or went back: comparisons find keys that get lost from now on. Of other
     * partitions, those that got lost since the last comparison would be among these, so then none are.
     */
    void noteLostKeys(Set<Integer> lost) {
        boolean isAll = lost.size() >= TopicMarks.count(survey);
        new LastComparison(context, topic)
                .note(
                        isAll
                                ? new Repairs(context, topic, survey, new RestoreTally(new AtomicLong())).lostKeys()
                                : LastComparison.UNKNOWN);
    }

    private ComparisonPass passOver(Set<Integer> lost, Duration betweenLooks) {
        Repairs repairs = new Repairs(context, topic, survey, work.tally);
        // where nothing was lost, Redis' word holds: its due times, and the ends that it counted
        return new ComparisonPass(context, topic, survey, work, betweenLooks, repairs::restore)
                .only(hasOthersThanRedis() ? null : lost);
    }
}
