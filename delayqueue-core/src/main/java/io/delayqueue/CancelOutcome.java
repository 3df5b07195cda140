package io.delayqueue;

/** Outcome of a {@code cancel} call. */
public enum CancelOutcome {

    /** The message was removed and will not be handled, or not again. */
    CANCELLED,

    /** The message is leased to a consumer and was not changed. */
    IN_FLIGHT,

    /** No message has this id: it was never scheduled, or is finished. */
    NOT_FOUND,

    /**
     * Not known yet: the call is made after the commit of the caller's transaction. Only a template that is transaction-aware or has a
     * journal answers this, never a {@link DelayQueueClient}.
     */
    AFTER_COMMIT
}
