package io.delayqueue.jdbc.restore;

import io.delayqueue.Survey;
import io.delayqueue.jdbc.MessageStatus;
import io.delayqueue.jdbc.restore.RecordedMessages.Position;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Walks through a topic's unfinished messages in the order of their due times, and repairs those that Redis has not, or otherwise. */
final class ComparisonPass {

    /** As many as a survey takes. */
    private static final int PAGE = Survey.MAX_IDS;

    /** Messages that are kept for a second look, without their contents. */
    private static final int MOST_KEPT = 10_000;

    private final RestoreContext context;
    private final MissingMessages missing;
    private final String topic;
    private final Survey survey;
    private final RestoreWork work;
    private final Repair repair;
    private final Duration betweenComparisons;
    private final List<RecordedMessage> suspicious = new ArrayList<>();
    private @Nullable Set<Integer> only;
    private long lastFoundNanos;
    private long waiting;

    /** What is done about messages that differ. */
    interface Repair {

        /** The number of messages that were written to the outbox. */
        int apply(MissingMessages.Found found);
    }

    /**
     * A pass over a topic.
     *
     * @param betweenComparisons a message counts as missing if it is so twice, this long apart; zero if one look is enough
     */
    ComparisonPass(
            RestoreContext context,
            String topic,
            Survey survey,
            RestoreWork work,
            Duration betweenComparisons,
            Repair repair) {
        this.context = context;
        this.missing = new MissingMessages(context.recorded());
        this.topic = topic;
        this.survey = survey;
        this.work = work;
        this.betweenComparisons = betweenComparisons;
        this.repair = repair;
    }

    /** Leaves all others out than those of some partitions; null for none. */
    ComparisonPass only(@Nullable Set<Integer> partitions) {
        this.only = partitions;
        return this;
    }

    /**
     * Compares all messages that are due until a time by the database's clock.
     *
     * @return number of messages that were left to the outbox
     */
    long run(long dueUntilMicros) {
        for (MessageStatus status : RecordedMessages.UNFINISHED) {
            Position position = Position.FIRST;
            while (true) {
                List<RecordedMessage> page = context.recorded().page(topic, status, position, dueUntilMicros, PAGE);
                if (page.isEmpty()) {
                    break;
                }
                RecordedMessage last = page.get(page.size() - 1);
                position = new Position(last.dueMicros(), last.id());
                Position reached = position;
                LongSupplier remaining = () -> remaining(status, reached, dueUntilMicros);
                work.tally.scanned.addAndGet(page.size());
                work.step(compare(ofPartitions(page)), remaining);
                if (suspicious.size() >= MOST_KEPT) {
                    compareAgain(remaining);
                }
            }
        }
        compareAgain(() -> 0);
        return waiting;
    }

    private List<RecordedMessage> ofPartitions(List<RecordedMessage> page) {
        if (only == null) {
            return page;
        }
        Set<String> ids = survey.idsIn(
                only, page.stream().map(RecordedMessage::id).distinct().toList());
        return page.stream().filter(message -> ids.contains(message.id())).toList();
    }

    /** Compares given messages. */
    void run(List<RecordedMessage> messages) {
        work.tally.scanned.addAndGet(messages.size());
        work.step(compare(messages), () -> 0);
        compareAgain(() -> 0);
    }

    private long remaining(MessageStatus status, Position reached, long dueUntilMicros) {
        return context.recorded().count(topic, status, reached, dueUntilMicros, RestoreProgress.MOST_COUNTED);
    }

    private int compare(List<RecordedMessage> page) {
        MissingMessages.Found found = missing.compare(survey, topic, page);
        if (betweenComparisons.isZero()) {
            return repaired(found);
        }
        waiting += found.waiting().get();
        if (!found.isEmpty()) {
            suspicious.addAll(found.messages());
            lastFoundNanos = System.nanoTime();
        }
        return 0;
    }

    /** What was acked just before the first look is recorded by now, or on its way no more. */
    private void compareAgain(LongSupplier rest) {
        if (suspicious.isEmpty()) {
            return;
        }
        work.await(betweenComparisons.minusNanos(System.nanoTime() - lastFoundNanos));
        for (int from = 0; from < suspicious.size(); from += PAGE) {
            int to = Math.min(from + PAGE, suspicious.size());
            List<RecordedMessage> some = List.copyOf(suspicious.subList(from, to));
            int left = suspicious.size() - to;
            work.step(
                    repaired(missing.compare(survey, topic, some)),
                    () -> Math.min(RestoreProgress.MOST_COUNTED, left + rest.getAsLong()));
        }
        suspicious.clear();
    }

    private int repaired(MissingMessages.Found found) {
        MissingMessages.count(topic, found, work.tally);
        int changed = repair.apply(found);
        waiting += found.waiting().get();
        return changed;
    }
}
