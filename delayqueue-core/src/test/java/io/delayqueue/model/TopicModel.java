package io.delayqueue.model;

import io.delayqueue.CancelOutcome;
import io.delayqueue.DuplicatePolicy;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.RescheduleOutcome;
import io.delayqueue.ScheduleOutcome;
import io.delayqueue.internal.store.Lease;
import io.delayqueue.internal.store.Retry;
import io.delayqueue.model.ModelMessage.State;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A topic by its contract: messages in one of three states, and the counters of the equation. */
final class TopicModel {

    final Map<String, ModelMessage> messages = new TreeMap<>();
    private final int maxPending;
    long accepted;
    long acked;
    long cancelled;
    long expired;
    long purged;
    long retried;
    long postponed;
    long deadLettered;
    long redriven;
    boolean paused;

    TopicModel(int maxPending) {
        this.maxPending = maxPending;
    }

    List<ModelMessage> in(State state) {
        return messages.values().stream().filter(each -> each.state == state).toList();
    }

    /** The outcomes of a batch; null where the topic is full. Only messages that were pending before the batch count for that. */
    List<@Nullable ScheduleOutcome> schedule(List<OutgoingMessage> batch, TimeWindow when) {
        long capacity = maxPending - in(State.PENDING).size();
        List<@Nullable ScheduleOutcome> answers = new ArrayList<>();
        for (OutgoingMessage message : batch) {
            ModelMessage old = messages.get(message.id());
            if (old != null && old.sent == message) {
                answers.add(old.firstAnswer);
            } else if (old != null && replacesDeadLetter(message, old) && capacity-- <= 0) {
                answers.add(null);
            } else if (old != null) {
                answers.add(scheduleDuplicate(message, old, when));
            } else if (capacity-- > 0) {
                accepted++;
                put(message, ScheduleOutcome.SCHEDULED, when);
                answers.add(ScheduleOutcome.SCHEDULED);
            } else {
                answers.add(null);
            }
        }
        return answers;
    }

    private static boolean replacesDeadLetter(OutgoingMessage message, ModelMessage old) {
        return old.state == State.DEAD && message.duplicatePolicy() != DuplicatePolicy.REJECT;
    }

    private ScheduleOutcome scheduleDuplicate(OutgoingMessage message, ModelMessage old, TimeWindow when) {
        if (message.duplicatePolicy() == DuplicatePolicy.KEEP && old.state != State.DEAD) {
            return ScheduleOutcome.KEPT;
        }
        if (message.duplicatePolicy() == DuplicatePolicy.REJECT || old.state == State.LEASED) {
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

    /** Whether the receipt is the deadline itself, and not one that an extension kept. */
    boolean isLeasedUntil(Lease lease) {
        return holds(lease) && messages.get(lease.id()).receipt == lease.receipt();
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
    boolean retry(Retry retry, TimeWindow when) {
        boolean held = holds(retry.lease());
        if (held) {
            ModelMessage message = messages.get(retry.lease().id());
            message.failedAttempts = retry.attempts();
            message.suspicion = 0;
            if (retry.delay() == null) {
                message.deadLetter(retry.error());
                deadLettered++;
            } else {
                message.dueAgain(when.plus(retry.delay()));
                if (retry.postponed()) {
                    postponed++;
                } else {
                    retried++;
                }
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

    /**
     * The lease expired: an attempt unless the message was merely in flight, after which it is due at once or dead. Returns whether it
     * is dead.
     */
    boolean expireLease(ModelMessage message, int defaultAttempts, TimeWindow when) {
        int most = message.allowedAttempts(defaultAttempts);
        int made = message.failedAttempts + 1;
        boolean unbegun = message.receipt % 2 == 1;
        boolean alone = message.receipt % 4 == 2;
        if (made < most) {
            message.failedAttempts = made;
            message.suspicion = message.suspicion > 0 || made + 1 >= most ? 2 : 1;
        } else if (most == 1 && unbegun && message.suspicion < 10) {
            message.suspicion++;
        } else if (most > 1 && message.suspicion < 2) {
            message.suspicion = 2;
        } else if (most > 1 && !alone && message.suspicion < 4) {
            message.suspicion++;
        } else {
            message.failedAttempts = made;
            message.suspicion = 0;
            message.deadLetter("lease expired");
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
        if (message.state == State.LEASED) {
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
        if (message.state == State.LEASED) {
            return RescheduleOutcome.IN_FLIGHT;
        }
        if (message.state == State.DEAD) {
            resetAttempts(message);
        }
        message.dueAgain(due);
        return RescheduleOutcome.RESCHEDULED;
    }

    /** Redrives the dead ones among the ids, and returns their number. */
    long redrive(Collection<String> ids, TimeWindow when) {
        List<ModelMessage> dead = dead(ids);
        for (ModelMessage message : dead) {
            resetAttempts(message);
            message.dueAgain(when);
        }
        return dead.size();
    }

    private void resetAttempts(ModelMessage message) {
        message.failedAttempts = 0;
        message.suspicion = 0;
        message.error = null;
        redriven++;
    }

    /** Purges the dead ones among the ids, and returns their number. */
    long purge(Collection<String> ids) {
        List<ModelMessage> dead = dead(ids);
        dead.forEach(message -> messages.remove(message.sent.id()));
        purged += dead.size();
        return dead.size();
    }

    /** Purges the pending ones among the ids, and returns their number. */
    long purgePending(Collection<String> ids) {
        List<ModelMessage> pending = in(State.PENDING, ids);
        pending.forEach(message -> messages.remove(message.sent.id()));
        purged += pending.size();
        return pending.size();
    }

    private List<ModelMessage> dead(Collection<String> ids) {
        return in(State.DEAD, ids);
    }

    private List<ModelMessage> in(State state, Collection<String> ids) {
        return in(state).stream()
                .filter(message -> ids.contains(message.sent.id()))
                .toList();
    }
}
