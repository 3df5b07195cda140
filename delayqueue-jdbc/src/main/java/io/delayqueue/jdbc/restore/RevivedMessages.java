package io.delayqueue.jdbc.restore;

import io.delayqueue.Survey;
import io.delayqueue.SurveyedMessage;
import io.delayqueue.jdbc.restore.Difference.Kind;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Looks for messages in Redis that ended in the journal, which an older dump brings back, and deletes them. */
final class RevivedMessages {

    private final RecordedMessages recorded;

    RevivedMessages(RecordedMessages recorded) {
        this.recorded = recorded;
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
            Survey.Page page = survey.page(partition, cursor);
            List<SurveyedMessage> messages = page.messages();
            for (int from = 0; from < messages.size(); from += Survey.MAX_IDS) {
                int to = Math.min(from + Survey.MAX_IDS, messages.size());
                look(survey, topic, messages.subList(from, to), dryRun, tally);
            }
            cursor = page.next();
            step.run();
        } while (cursor != null);
    }

    private void look(Survey survey, String topic, List<SurveyedMessage> messages, boolean dryRun, RestoreTally tally) {
        // after the look at Redis: one that ends meanwhile is not there any more, and dropping it does nothing
        Map<String, List<RecordedMessage>> known =
                recorded.ofIds(topic, messages.stream().map(SurveyedMessage::id).toList());
        Map<String, String> ended = new HashMap<>();
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
                ended.put(message.id(), message.generation());
            }
        }
        tally.scanned.addAndGet(messages.size());
        if (!ended.isEmpty() && !dryRun) {
            tally.dropped.addAndGet(survey.drop(ended));
        }
    }
}
