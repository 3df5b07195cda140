package io.delayqueue.jdbc.restore;

import io.delayqueue.MessageState;
import io.delayqueue.Survey;
import io.delayqueue.SurveyedMessage;
import io.delayqueue.jdbc.restore.Difference.Kind;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Looks for messages in Redis that ended in the journal, which an older dump brings back, and deletes them. Behind a loss those that were
 * put off since, too: with the due time of the dump they would be delivered early. The refill schedules these again.
 */
final class RevivedMessages {

    /** Clocks of database and Redis run apart, and their times are read one after the other. */
    private static final long SAME_DUE_MICROS = Duration.ofSeconds(1).toNanos() / 1_000;

    private final RecordedMessages recorded;
    private final boolean tooEarlyOnesToo;

    /** @param tooEarlyOnesToo whether a refill follows, so that those that are due too early may be deleted */
    RevivedMessages(RecordedMessages recorded, boolean tooEarlyOnesToo) {
        this.recorded = recorded;
        this.tooEarlyOnesToo = tooEarlyOnesToo;
    }

    /**
     * Walks through the messages of a partition. Those that the journal does not know are counted and left alone, as those that died or
     * were refused: a dead letter that is pending again is tried again.
     *
     * @param dryRun whether to count only
     * @param step called after each page, may throw to end the walk
     */
    void dropFrom(Survey survey, String topic, int partition, boolean dryRun, RestoreTally tally, Runnable step) {
        String cursor = null;
        do {
            long dbTime = recorded.now();
            Survey.Page page = survey.page(partition, cursor);
            long redisAheadMicros = page.timeMicros() - dbTime;
            List<SurveyedMessage> messages = page.messages();
            for (int from = 0; from < messages.size(); from += Survey.MAX_IDS) {
                int to = Math.min(from + Survey.MAX_IDS, messages.size());
                look(survey, topic, messages.subList(from, to), redisAheadMicros, dryRun, tally);
            }
            cursor = page.next();
            step.run();
        } while (cursor != null);
    }

    private void look(
            Survey survey,
            String topic,
            List<SurveyedMessage> messages,
            long redisAheadMicros,
            boolean dryRun,
            RestoreTally tally) {
        // after the look at Redis: one that ends meanwhile is not there any more, and dropping it does nothing
        Map<String, List<RecordedMessage>> known =
                recorded.ofIds(topic, messages.stream().map(SurveyedMessage::id).toList());
        Map<String, String> toDrop = new HashMap<>();
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
            } else if (tooEarlyOnesToo && isTooEarly(message, same.get(), redisAheadMicros)) {
                toDrop.put(message.id(), message.generation());
            }
        }
        tally.scanned.addAndGet(messages.size());
        if (!toDrop.isEmpty() && !dryRun) {
            tally.dropped.addAndGet(survey.drop(toDrop));
        }
    }

    private static boolean isTooEarly(SurveyedMessage there, RecordedMessage here, long redisAheadMicros) {
        long expected = here.dueIsInstant() ? here.dueMicros() : here.dueMicros() + redisAheadMicros;
        return (there.state() == MessageState.SCHEDULED || there.state() == MessageState.READY)
                && there.attempts() == 0
                && RecordedMessages.UNFINISHED.contains(here.status())
                && there.dueMicros() < expected - SAME_DUE_MICROS;
    }
}
