package io.delayqueue.jdbc.restore;

import io.delayqueue.Survey;
import io.delayqueue.TopicStats;
import java.util.List;
import java.util.Set;

/** Writes what makes Redis agree with the journal: schedules missing messages again, corrects due times. */
final class Repairs {

    private final RestoreContext context;
    private final String topic;
    private final Survey survey;
    private final RestoreTally tally;

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
        int rescheduled = context.writer()
                .reschedule(
                        topic,
                        found.otherDue().stream()
                                .map(MessageComparison.OtherDue::message)
                                .toList());
        tally.rescheduled.addAndGet(rescheduled);
        return restored + rescheduled;
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
        // those that got changes of their own meanwhile
        missing.stream().filter(message -> !restored.contains(message.id())).forEach(found.waiting()::add);
        return restored.size();
    }

    /**
     * Redis' word holds, as it lost nothing. Only if its own counters show that more keys were deleted or evicted since the last
     * comparison, missing messages are scheduled again; else they ended, and the record of it was lost: they must not be delivered again.
     */
    int reconcile(MessageComparison.Found found, long lostKeysBefore) {
        context.writer().takeOverDue(topic, found.otherDue());
        finish(found.superseded());
        if (!found.missing().isEmpty() && lostKeys() <= lostKeysBefore) {
            finish(found.missing());
            return 0;
        }
        return schedule(found);
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
