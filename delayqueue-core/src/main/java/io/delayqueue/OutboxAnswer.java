package io.delayqueue;

import org.jspecify.annotations.Nullable;

/**
 * The outcome of one change that an {@link Outbox} sent.
 *
 * @param outcome what Redis did
 * @param repeated whether an earlier call applied the change: the outcome is that of the earlier call
 * @param failure why the change failed, if {@link Outcome#FAILED}
 */
public record OutboxAnswer(
        Outcome outcome, boolean repeated, @Nullable DelayQueueException failure) {

    /** The effect of a change in Redis. */
    public enum Outcome {
        /** The message was scheduled. */
        SCHEDULED,
        /** The message was scheduled and replaced one with the same id. */
        REPLACED,
        /** A message with the same id was kept. */
        KEPT,
        /** A message with the same id exists, so this one was refused. */
        REJECTED_DUPLICATE,
        /** The message was cancelled. */
        CANCELLED,
        /** The message has its new due time. */
        RESCHEDULED,
        /** The message is leased to a consumer and was not changed. */
        IN_FLIGHT,
        /** No message has the id. */
        NOT_FOUND,
        /** The change came too late after it was read, or Redis lost data since, and it was not applied: read it again. */
        LATE,
        /** The change failed, see {@link OutboxAnswer#failure()}; it may have been applied, and can be sent again. */
        FAILED
    }

    /** An outcome that is not a failure. */
    public static OutboxAnswer of(Outcome outcome, boolean repeated) {
        return new OutboxAnswer(outcome, repeated, null);
    }

    /** A failure. Its type tells Redis' failures from those of the change: {@link RedisUnavailableException} and others. */
    public static OutboxAnswer failed(DelayQueueException failure) {
        return new OutboxAnswer(Outcome.FAILED, false, failure);
    }

    /** Whether Redis has applied the change, so that it needs not be sent again. */
    public boolean isApplied() {
        return outcome != Outcome.LATE && outcome != Outcome.FAILED;
    }
}
