package io.delayqueue;

/** Outcome of {@link PullConsumer#retry}. */
public enum RetryOutcome {

    /** Another attempt follows after the delay. */
    RETRIED,

    /** It was the last attempt: the message is dead-lettered. */
    DEAD_LETTERED,

    /** The lease was over, or the message was settled before. Nothing changed. */
    LEASE_LOST
}
