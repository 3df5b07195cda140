package io.delayqueue.jdbc.restore;

import io.delayqueue.Survey;
import io.delayqueue.jdbc.MessageStatus;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** One topic of a restore that an operator asked for, step by step. Where the two differ, the journal takes precedence over Redis. */
final class RequestedTopic {

    private final RestoreContext context;
    private final String topic;
    private final RestoreRequest request;
    private final boolean dryRun;
    private final RestoreWork work;
    private final TopicRestore restore;
    private final Survey survey;
    private final ComparisonPass pass;
    private Map<Integer, String> toRemove = Map.of();
    private Map<Integer, String> toRefill = Map.of();

    RequestedTopic(RestoreContext context, String topic, RestoreRequest request, boolean dryRun, RestoreWork work) {
        this.context = context;
        this.topic = topic;
        this.request = request;
        this.dryRun = dryRun;
        this.work = work;
        this.restore = new TopicRestore(context, topic);
        this.survey = context.client().survey(topic);
        Repairs repairs = new Repairs(context, topic, survey, work.tally);
        this.pass = new ComparisonPass(
                context, topic, survey, work, context.settings().settleTime(), dryRun ? found -> 0 : repairs::restore);
    }

    String topic() {
        return topic;
    }

    private boolean isWhole() {
        return request.id() == null && !request.onlyOverdue();
    }

    /** Looks at all messages. */
    void walk() {
        String id = request.id();
        if (id != null) {
            lookAt(id);
        } else if (request.onlyOverdue()) {
            pass.walkUntil(context.recorded().now());
        } else {
            toRemove = restore.lost(KnownPartitions.REMOVE);
            toRefill = restore.lost(KnownPartitions.REFILL);
            if (!dryRun && !toRefill.isEmpty()) {
                new TopicRefill(context, topic, work).noteLostKeys(toRefill.keySet());
            }
            long began = context.recorded().now();
            pass.walk();
            pass.walkChangedSince(began);
        }
    }

    private void lookAt(String id) {
        Optional<RecordedMessage> present = RecordedMessages.present(
                context.recorded().ofIds(topic, Set.of(id)).getOrDefault(id, List.of()));
        if (present.isEmpty() || present.get().hasEnded()) {
            return;
        }
        RecordedMessage message = present.get();
        if (message.status() == MessageStatus.DEAD) {
            redrive(message);
        } else if (RecordedMessages.UNFINISHED.contains(message.status())) {
            pass.lookAt(List.of(message));
        }
    }

    private void redrive(RecordedMessage dead) {
        work.tally.scanned.incrementAndGet();
        if (survey.find(List.of(dead.id())).messages().stream().allMatch(there -> there.state() == null)) {
            work.tally.found(Difference.Kind.ONLY_IN_JOURNAL, topic, dead.id(), dead.generation(), "journal: DEAD");
            if (!dryRun) {
                work.tally.restored(context.writer().redrive(topic, dead));
            }
        }
    }

    /** Number of messages that wait for the second look. */
    int suspicious() {
        return pass.suspicious();
    }

    /** Deletes messages that ended and are in Redis: they may have ids of others that are missing. */
    void dropEnded() {
        if (isWhole()) {
            restore.dropEnded(dryRun, work);
        }
    }

    /** Repairs messages that differ for the second time. */
    void compareSuspiciousAgain() {
        pass.compareSuspiciousAgain();
    }

    /** Whether messages were left to changes that are still to be sent, or were so at the last look. */
    boolean isWaiting() {
        return waiting() > 0;
    }

    int waiting() {
        return pass.waiting().size();
    }

    /** Looks at those messages again. */
    void lookAtWaiting() {
        pass.lookAtWaiting();
    }

    /** A loss is repaired once all of its topic was restored. */
    void end() {
        if (!dryRun && isWhole() && !isWaiting()) {
            restore.done(KnownPartitions.REMOVE, toRemove);
            restore.done(KnownPartitions.REFILL, toRefill);
        }
    }
}
