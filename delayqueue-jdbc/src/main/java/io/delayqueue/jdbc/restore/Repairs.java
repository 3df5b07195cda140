package io.delayqueue.jdbc.restore;

import io.delayqueue.Survey;
import io.delayqueue.TopicStats;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Writes what makes Redis agree with the journal: schedules missing messages again, corrects due times. */
final class Repairs {

    private final RestoreContext context;
    private final String topic;
    private final Survey survey;
    private final RestoreTally tally;
    private long evicted;

    Repairs(RestoreContext context, String topic, Survey survey, RestoreTally tally) {
        this.context = context;
        this.topic = topic;
        this.survey = survey;
        this.tally = tally;
    }

    /**
     * The journal's word holds, as Redis lost data: schedules missing messages again, and corrects due times. Whether those have ended
     * whose ids were used again is left to a comparison with a Redis that lost nothing.
     */
    int restore(MessageComparison.Found found) {
        int restored = schedule(found);
        int rescheduled = reschedule(
                found.otherDue().stream()
                        .map(MessageComparison.OtherDue::message)
                        .toList(),
                found);
        return restored + rescheduled + revive(found);
    }

    private int reschedule(List<RecordedMessage> messages, MessageComparison.Found found) {
        Set<String> rescheduled = context.writer().reschedule(topic, messages);
        tally.rescheduled.addAndGet(rescheduled.size());
        waitForOthers(messages, rescheduled, found);
        return rescheduled.size();
    }

    /** Those that got changes of their own meanwhile, committed or not. */
    private static void waitForOthers(
            List<RecordedMessage> messages, Set<String> written, MessageComparison.Found found) {
        messages.stream().filter(message -> !written.contains(message.id())).forEach(found.waiting()::add);
    }

    /** Redis keeps no mark that would show the loss of a redrive: times tell which of dead-lettering and redrive was the last. */
    private int revive(MessageComparison.Found found) {
        Map<Boolean, List<MessageComparison.DeadLetter>> letters =
                found.dead().stream().collect(Collectors.partitioningBy(MessageComparison.DeadLetter::isRevived));
        context.writer().takeOverDeadLetters(topic, letters.getOrDefault(false, List.of()));
        return reschedule(
                letters.getOrDefault(true, List.of()).stream()
                        .map(MessageComparison.DeadLetter::message)
                        .toList(),
                found);
    }

    private int schedule(MessageComparison.Found found) {
        if (found.missing().isEmpty()) {
            return 0;
        }
        if (!found.unreachable().isEmpty()) {
            // what is left of a message would keep it out
            survey.drop(found.unreachable());
        }
        long deletedAt = context.known().deletedAt(topic);
        List<RecordedMessage> missing = found.missing().stream()
                .filter(message -> message.updatedMicros() > deletedAt)
                .toList();
        Set<String> restored = context.writer().schedule(topic, missing);
        tally.restored(restored.size());
        // of these Redis counts a lost body when it gets them
        evicted += restored.stream()
                .filter(id ->
                        found.evicted().contains(id) && !found.unreachable().containsKey(id))
                .count();
        waitForOthers(missing, restored, found);
        return restored.size();
    }

    /**
     * Redis' word holds, as it lost nothing. A message of which it has a part was not handled. One of which it has nothing is scheduled
     * again unless Redis' own counters are those of the last comparison; then it ended, and the record of it was lost: it must not be
     * delivered again. Fewer lost keys than before tell nothing either: these counters began anew.
     */
    int reconcile(MessageComparison.Found found, long lostKeysBefore) {
        context.writer().takeOverDue(topic, found.otherDue());
        finish(found.superseded());
        List<RecordedMessage> gone = found.missing().stream()
                .filter(message -> !found.evicted().contains(message.id()))
                .toList();
        if (!gone.isEmpty() && lostKeys() == lostKeysBefore) {
            finish(gone);
            found.missing().removeAll(gone);
        }
        return schedule(found) + revive(found);
    }

    /** Messages that were scheduled again of which Redis had the place and not the body: they become lost keys. */
    long evicted() {
        return evicted;
    }

    private void finish(List<RecordedMessage> ended) {
        tally.unrecorded.addAndGet(context.writer().unrecorded(topic, ended));
    }

    /** Messages that Redis counted as accepted, and whose keys were deleted or evicted: those cleaned up, and those that are not yet. */
    long lostKeys() {
        TopicStats stats = context.client().stats(topic);
        return stats.unaccounted() + stats.totals().orphaned();
    }
}
