package io.delayqueue.model;

import io.delayqueue.CancelOutcome;
import io.delayqueue.DuplicatePolicy;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.RescheduleOutcome;
import io.delayqueue.ScheduleOutcome;
import io.delayqueue.internal.store.Lease;
import io.delayqueue.model.ModelMessage.Place;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What a topic is by its contract: messages in one of three places, and the counters of the equation. */
final class TopicModel {

    final Map<String, ModelMessage> messages = new TreeMap<>();
    private final int maxPending;
    long accepted;
    long acked;
    long cancelled;
    long expired;
    long purged;
    long retried;
    long deadLettered;
    long redriven;
    boolean paused;

    TopicModel(int maxPending) {
        this.maxPending = maxPending;
    }

    List<ModelMessage> in(Place place) {
        return messages.values().stream().filter(each -> each.place == place).toList();
    }

    /** The answers to a batch; null where the topic is full, which it is by what was pending before the batch. */
    List<@Nullable ScheduleOutcome> schedule(List<OutgoingMessage> batch, TimeWindow when) {
        long room = maxPending - in(Place.PENDING).size();
        List<@Nullable ScheduleOutcome> answers = new ArrayList<>();
        for (OutgoingMessage message : batch) {
            ModelMessage old = messages.get(message.id());
            if (old != null && old.sent == message) {
                answers.add(old.firstAnswer);
            } else if (old != null) {
                answers.add(scheduleDuplicate(message, old, when));
            } else if (room-- > 0) {
                accepted++;
                put(message, ScheduleOutcome.SCHEDULED, when);
                answers.add(ScheduleOutcome.SCHEDULED);
            } else {
                answers.add(null);
            }
        }
        return answers;
    }

    private ScheduleOutcome scheduleDuplicate(OutgoingMessage message, ModelMessage old, TimeWindow when) {
        if (message.duplicatePolicy() == DuplicatePolicy.KEEP) {
            return ScheduleOutcome.KEPT;
        }
        if (message.duplicatePolicy() == DuplicatePolicy.REJECT || old.place == Place.LEASED) {
            return ScheduleOutcome.REJECTED_DUPLICATE;
        }
        put(message, ScheduleOutcome.REPLACED, when);
        return ScheduleOutcome.REPLACED;
    }

    private void put(OutgoingMessage message, ScheduleOutcome outcome, TimeWindow when) {
        messages.put(message.id(), new ModelMessage(message, outcome, Times.due(message.delay(), when)));
    }

    boolean holds(Lease lease) {
        ModelMessage message = messages.get(lease.id());
        return message != null && message.isHeldBy(lease.receipt());
    }

    boolean ack(Lease lease) {
        boolean held = holds(lease);
        if (held) {
            messages.remove(lease.id());
            acked++;
        }
        return held;
    }

    /** Ends an attempt; a delay of null dead-letters. */
    boolean retry(Lease lease, int attempts, @Nullable Duration delay, String error, TimeWindow when) {
        boolean held = holds(lease);
        if (held) {
            ModelMessage message = messages.get(lease.id());
            message.failedAttempts = attempts;
            if (delay == null) {
                message.die(error);
                deadLettered++;
            } else {
                message.dueAgain(when.plus(delay));
                retried++;
            }
        }
        return held;
    }

    boolean release(Lease lease, long dueMicros) {
        boolean held = holds(lease);
        if (held) {
            messages.get(lease.id()).dueAgain(TimeWindow.exactly(dueMicros));
        }
        return held;
    }

    /** A consumer crashed on it: an attempt, and due at once or dead. Returns whether it became a dead letter. */
    boolean leaseRanOut(ModelMessage message, int defaultAttempts, TimeWindow when) {
        message.failedAttempts++;
        if (message.failedAttempts >= message.allowedAttempts(defaultAttempts)) {
            message.die("lease expired");
            deadLettered++;
            return true;
        }
        message.dueAgain(new TimeWindow(message.receipt, when.to()));
        retried++;
        return false;
    }

    void expire(String id) {
        messages.remove(id);
        expired++;
    }

    CancelOutcome cancel(String id) {
        ModelMessage message = messages.get(id);
        if (message == null) {
            return CancelOutcome.NOT_FOUND;
        }
        if (message.place == Place.LEASED) {
            return CancelOutcome.IN_FLIGHT;
        }
        messages.remove(id);
        cancelled++;
        return CancelOutcome.CANCELLED;
    }

    RescheduleOutcome reschedule(String id, TimeWindow due) {
        ModelMessage message = messages.get(id);
        if (message == null) {
            return RescheduleOutcome.NOT_FOUND;
        }
        if (message.place == Place.LEASED) {
            return RescheduleOutcome.IN_FLIGHT;
        }
        if (message.place == Place.DEAD) {
            revive(message);
        }
        message.dueAgain(due);
        return RescheduleOutcome.RESCHEDULED;
    }

    /** Redrives those that are dead; how many were. */
    long redrive(Collection<String> ids, TimeWindow when) {
        List<ModelMessage> dead = dead(ids);
        for (ModelMessage message : dead) {
            revive(message);
            message.dueAgain(when);
        }
        return dead.size();
    }

    private void revive(ModelMessage message) {
        message.failedAttempts = 0;
        message.error = null;
        redriven++;
    }

    /** Purges those that are dead; how many were. */
    long purge(Collection<String> ids) {
        List<ModelMessage> dead = dead(ids);
        dead.forEach(message -> messages.remove(message.sent.id()));
        purged += dead.size();
        return dead.size();
    }

    private List<ModelMessage> dead(Collection<String> ids) {
        return in(Place.DEAD).stream()
                .filter(message -> ids.contains(message.sent.id()))
                .toList();
    }
}
