package io.delayqueue.jdbc.restore;

import io.delayqueue.MessageState;
import io.delayqueue.Survey;
import io.delayqueue.Survey.DueCorrection;
import io.delayqueue.SurveyedMessage;
import io.delayqueue.jdbc.restore.Difference.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Looks for messages in Redis that ended in the journal, which an older dump brings back, and deletes them. After a loss it corrects the
 * due times of messages that were rescheduled since the dump: with the due time of the dump they would be delivered early.
 */
final class RevivedMessages {

    /** H2's clock counts milliseconds. If clocks ran apart since the message was sent, it is corrected by that, which does no harm. */
    private static final long SAME_DUE_MICROS = Duration.ofMillis(1).toNanos() / 1_000;

    private final RecordedMessages recorded;
    private final boolean correctsDue;

    /** @param correctsDue whether the journal's due times hold, as Redis lost data */
    RevivedMessages(RecordedMessages recorded, boolean correctsDue) {
        this.recorded = recorded;
        this.correctsDue = correctsDue;
    }

    /** Bounds for how much Redis' clock is ahead of the database's: a pause between the looks at them, however long, lies between these. */
    private record Ahead(long leastMicros, long mostMicros) {}

    /**
     * Walks through the messages of a partition. Those that the journal does not know are counted and left alone, as those that were
     * dead-lettered or refused: a dead letter that is pending again is tried again.
     *
     * @param dryRun whether to count only
     * @param step called after each page, may throw to end the walk
     */
    void dropFrom(Survey survey, String topic, int partition, boolean dryRun, RestoreTally tally, Runnable step) {
        String cursor = null;
        do {
            long dbTime = recorded.now();
            Survey.Page page = survey.page(partition, cursor);
            Ahead ahead = new Ahead(page.timeMicros() - recorded.now(), page.timeMicros() - dbTime);
            List<SurveyedMessage> messages = page.messages();
            for (int from = 0; from < messages.size(); from += Survey.MAX_IDS) {
                int to = Math.min(from + Survey.MAX_IDS, messages.size());
                look(survey, topic, messages.subList(from, to), ahead, dryRun, tally);
            }
            cursor = page.next();
            step.run();
        } while (cursor != null);
    }

    private void look(
            Survey survey,
            String topic,
            List<SurveyedMessage> messages,
            Ahead ahead,
            boolean dryRun,
            RestoreTally tally) {
        // after the look at Redis: one that ends meanwhile is not there any more, and dropping it does nothing
        Map<String, List<RecordedMessage>> known =
                recorded.ofIds(topic, messages.stream().map(SurveyedMessage::id).toList());
        Map<String, String> toDrop = new HashMap<>();
        List<DueCorrection> toCorrect = new ArrayList<>();
        for (SurveyedMessage message : messages) {
            Optional<RecordedMessage> same = known.getOrDefault(message.id(), List.of()).stream()
                    .filter(each -> each.generation().equals(message.generation()))
                    .findFirst();
            if (same.isEmpty()) {
                tally.found(Kind.ONLY_IN_REDIS, topic, message.id(), message.generation(), "Redis: " + message.state());
            } else if (same.get().hasEnded()) {
                tally.found(
                        Kind.OTHER_STATUS,
                        topic,
                        message.id(),
                        message.generation(),
                        "Redis: " + message.state() + ", journal: " + same.get().status());
                toDrop.put(message.id(), message.generation());
            } else if (correctsDue && isTooEarly(message, same.get(), ahead)) {
                toCorrect.add(new DueCorrection(
                        message.id(),
                        message.generation(),
                        message.dueMicros(),
                        dueInRedis(same.get(), ahead.mostMicros())));
            }
        }
        tally.scanned.addAndGet(messages.size());
        if (!toDrop.isEmpty() && !dryRun) {
            tally.dropped.addAndGet(survey.drop(toDrop));
        }
        if (!toCorrect.isEmpty() && !dryRun) {
            tally.rescheduled.addAndGet(survey.correctDue(toCorrect));
        }
    }

    private static long dueInRedis(RecordedMessage message, long redisAheadMicros) {
        return message.dueIsInstant() ? message.dueMicros() : message.dueMicros() + redisAheadMicros;
    }

    private static boolean isTooEarly(SurveyedMessage there, RecordedMessage here, Ahead ahead) {
        return (there.state() == MessageState.SCHEDULED || there.state() == MessageState.READY)
                && there.attempts() == 0
                && RecordedMessages.UNFINISHED.contains(here.status())
                && there.dueMicros() < dueInRedis(here, ahead.leastMicros()) - SAME_DUE_MICROS;
    }
}
