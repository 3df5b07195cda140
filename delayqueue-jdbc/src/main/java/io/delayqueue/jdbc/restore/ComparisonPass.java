package io.delayqueue.jdbc.restore;

import io.delayqueue.Survey;
import io.delayqueue.jdbc.MessageStatus;
import io.delayqueue.jdbc.restore.RecordedMessages.Position;
import io.delayqueue.jdbc.restore.RecordedMessages.Range;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Walks through a topic's unfinished messages in the order of their due times, and repairs those that Redis lacks or has in another state.
 * It does so at once, or after a second look at them, for which the caller asks.
 */
final class ComparisonPass {

    /** As many as a survey takes. */
    private static final int PAGE = Survey.MAX_IDS;

    /** Messages that are left to the outbox and kept for another look, without their contents. */
    private static final int MOST_WAITING = 10_000;

    /** Audits that hang must not keep messages back for ever. */
    static final Duration LONGEST_WAIT_FOR_ENDS = Duration.ofMinutes(1);

    /** A change is seen when it is committed, and has the time at which it was made. */
    private static final long LONGEST_RECORD_MICROS = Duration.ofSeconds(10).toNanos() / 1_000;

    private final RestoreContext context;
    private final MessageComparison comparison;
    private final String topic;
    private final Survey survey;
    private final RestoreWork work;
    private final Repair repair;
    private final boolean looksOnce;
    private final SuspiciousMessages suspicious;
    private final Map<String, RecordedMessage> waiting = new LinkedHashMap<>();
    private @Nullable Set<Integer> only;
    private @Nullable ComparisonPass second;
    private UnaryOperator<Set<String>> mayHaveEnded = ids -> ids;
    private LongConsumer reached = dueMicros -> {};
    private boolean waitingIsComplete = true;

    /** Does something about messages that differ. */
    interface Repair {

        /**
         * Repairs the differences. Messages that got changes of their own meanwhile are added to those that wait.
         *
         * @return the number of messages that were written to the outbox
         */
        int apply(MessageComparison.Found found);
    }

    /**
     * A pass over a topic.
     *
     * @param betweenLooks a message counts as missing if it is so twice, this long apart; zero if one look is enough
     */
    ComparisonPass(
            RestoreContext context,
            String topic,
            Survey survey,
            RestoreWork work,
            Duration betweenLooks,
            Repair repair) {
        this.context = context;
        this.comparison = new MessageComparison(context.recorded());
        this.topic = topic;
        this.survey = survey;
        this.work = work;
        this.looksOnce = betweenLooks.isZero();
        this.suspicious = new SuspiciousMessages(betweenLooks, System::nanoTime);
        this.repair = repair;
    }

    /** Leaves all others out than those of some partitions; null for none. */
    ComparisonPass only(@Nullable Set<Integer> partitions) {
        this.only = partitions;
        return this;
    }

    /**
     * Tells how far a walk will be with the next page, before it repairs anything.
     *
     * @param dueMicros gets the due time of the page's last message; {@link Long#MAX_VALUE} if messages of all due times were passed
     */
    ComparisonPass telling(LongConsumer dueMicros) {
        this.reached = dueMicros;
        return this;
    }

    /**
     * Leaves missing messages that are due to another pass, which looks twice: somebody may have handled them, and the record of that may
     * be on its way. The others are repaired at once.
     *
     * @param ended tells which of these ids Redis may have had, with messages that ended; it is asked after a look
     */
    ComparisonPass leavingDueTo(ComparisonPass other, UnaryOperator<Set<String>> ended) {
        this.second = other;
        this.mayHaveEnded = ended;
        return this;
    }

    /** Looks at all messages. */
    void walk() {
        walk(Range.ALL);
    }

    /**
     * Looks once more at messages that were changed since a walk began. One that got an earlier due time, or another status, may have come
     * to a place that was passed already.
     */
    void walkChangedSince(long beganMicros) {
        walk(Range.ALL, beganMicros - LONGEST_RECORD_MICROS);
    }

    /** Looks at all messages that are due until a time by the database's clock. */
    void walkUntil(long dueUntilMicros) {
        walk(Range.until(dueUntilMicros));
    }

    /** Looks at some messages. */
    void walk(Range range) {
        walk(range, Long.MIN_VALUE);
    }

    /** Page by page, those that did not change too: one statement that looks for the others would take minutes, and hold up a stop. */
    private void walk(Range range, long updatedSinceMicros) {
        for (MessageStatus status : RecordedMessages.UNFINISHED) {
            Position position = range.beginning();
            while (true) {
                List<RecordedMessage> page =
                        context.recorded().page(topic, status, position, range.dueUntilMicros(), PAGE);
                if (page.isEmpty()) {
                    break;
                }
                RecordedMessage last = page.get(page.size() - 1);
                position = new Position(last.dueMicros(), last.id());
                Position next = position;
                LongSupplier remaining = () -> remaining(status, next, range.dueUntilMicros());
                List<RecordedMessage> some = page.stream()
                        .filter(message -> message.updatedMicros() >= updatedSinceMicros)
                        .toList();
                work.tally.scanned.addAndGet(some.size());
                reached.accept(status == RecordedMessages.UNFINISHED.get(0) ? last.dueMicros() : Long.MAX_VALUE);
                work.step(some.isEmpty() ? 0 : compare(ofPartitions(some)), remaining);
                while (suspicious.areMost()) {
                    lookAgain(remaining);
                }
                if (second != null) {
                    second.lookAgainInTime(remaining);
                }
            }
        }
    }

    /** Looks again at the messages that are suspicious for long enough, which must not wait for the end of another pass' walk. */
    private void lookAgainInTime(LongSupplier rest) {
        while (suspicious.isTimeToLook()) {
            lookAgain(rest);
        }
    }

    private List<RecordedMessage> ofPartitions(List<RecordedMessage> page) {
        if (only == null) {
            return page;
        }
        Set<String> ids = survey.idsIn(
                only, page.stream().map(RecordedMessage::id).distinct().toList());
        return page.stream().filter(message -> ids.contains(message.id())).toList();
    }

    private long remaining(MessageStatus status, Position reached, long dueUntilMicros) {
        return context.recorded().count(topic, status, reached, dueUntilMicros, RestoreProgress.MOST_COUNTED);
    }

    /** Looks at given messages. */
    void lookAt(List<RecordedMessage> messages) {
        for (int from = 0; from < messages.size(); from += PAGE) {
            List<RecordedMessage> some = messages.subList(from, Math.min(from + PAGE, messages.size()));
            work.tally.scanned.addAndGet(some.size());
            work.step(compare(some), () -> 0);
        }
    }

    private int compare(List<RecordedMessage> page) {
        MessageComparison.Found found = comparison.compare(survey, topic, page);
        if (second != null && !found.due().isEmpty()) {
            second.suspicious.add(found.take(mayHaveEnded.apply(found.due())));
        }
        if (looksOnce) {
            return repaired(found);
        }
        keepWaiting(found);
        suspicious.add(found.messages());
        return 0;
    }

    /** Number of messages that wait for the second look. */
    int suspicious() {
        return suspicious.size();
    }

    /** Repairs messages that still differ at a second look. */
    void compareSuspiciousAgain() {
        while (!suspicious.isEmpty()) {
            lookAgain(() -> 0);
        }
    }

    private void lookAgain(LongSupplier rest) {
        work.await(suspicious.untilNext());
        List<RecordedMessage> all = suspicious.take();
        // an end just before the first look is recorded by then, or on its way no more
        work.await(context.pendingEnds().written(), LONGEST_WAIT_FOR_ENDS);
        for (int from = 0; from < all.size(); from += PAGE) {
            int to = Math.min(from + PAGE, all.size());
            List<RecordedMessage> some = all.subList(from, to);
            int left = all.size() - to + suspicious.size();
            work.step(
                    repaired(comparison.compare(survey, topic, some)),
                    () -> Math.min(RestoreProgress.MOST_COUNTED, left + rest.getAsLong()));
        }
    }

    private int repaired(MessageComparison.Found found) {
        MessageComparison.count(topic, found, work.tally);
        int changed = repair.apply(found);
        // behind the repair, which leaves more messages to the outbox
        keepWaiting(found);
        return changed;
    }

    private void keepWaiting(MessageComparison.Found found) {
        for (RecordedMessage message : found.waiting()) {
            if (waiting.size() < MOST_WAITING || waiting.containsKey(message.id())) {
                waiting.put(message.id(), message);
            } else {
                waitingIsComplete = false;
            }
        }
    }

    /** Messages that were left to the outbox: of {@link #MOST_WAITING} or more, some. */
    List<RecordedMessage> waiting() {
        return List.copyOf(waiting.values());
    }

    /** Whether those are all. */
    boolean waitingIsComplete() {
        return waitingIsComplete;
    }

    /** Looks at the messages again that were left to the outbox, until there are none, or so many times, twice at each that differs. */
    void lookAtWaiting(int times) {
        for (int i = 0; i < times && !waiting.isEmpty(); i++) {
            work.await(TopicRefill.SENT_MEANWHILE);
            lookAtWaiting();
            compareSuspiciousAgain();
        }
    }

    /** Looks at the messages again that were left to the outbox. */
    void lookAtWaiting() {
        List<RecordedMessage> before = waiting();
        waiting.clear();
        lookAt(before);
    }
}
