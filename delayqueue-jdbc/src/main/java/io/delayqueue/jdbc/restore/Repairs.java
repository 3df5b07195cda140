package io.delayqueue.jdbc.restore;

import io.delayqueue.Survey;
import io.delayqueue.TopicStats;
import java.util.List;

/** The repairs of a topic's messages. */
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

    /** Schedules missing messages again, and corrects due times. */
    int restore(MissingMessages.Found found) {
        if (!found.unreachable().isEmpty()) {
            // what is left of a message would keep it out
            survey.drop(found.unreachable());
        }
        int restored = context.outbox().schedule(topic, found.missing());
        int rescheduled = context.outbox().reschedule(topic, found.otherDue());
        tally.restored.addAndGet(restored);
        tally.rescheduled.addAndGet(rescheduled);
        return restored + rescheduled;
    }

    /**
     * As {@link #restore} if Redis' own counters show that keys were deleted or evicted. If they add up, missing messages ended in Redis,
     * and only the record of it was lost: they must not be delivered again.
     */
    int restoreUnlessEnded(MissingMessages.Found found) {
        if (found.missing().isEmpty() || hasLostKeys()) {
            return restore(found);
        }
        tally.unrecorded.addAndGet(context.outbox().unrecorded(topic, found.missing()));
        return restore(new MissingMessages.Found(List.of(), found.otherDue(), found.unreachable()));
    }

    private boolean hasLostKeys() {
        TopicStats stats = context.client().stats(topic);
        return stats.unaccounted() > 0 || stats.totals().orphaned() > 0;
    }
}
