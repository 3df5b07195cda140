package io.delayqueue;

/**
 * Refuses messages that could not be handled, before they are scheduled. Called for each message by the thread that schedules it, also
 * inside transactions that schedule at their commit. Must be quick and safe for use by many threads.
 */
@FunctionalInterface
public interface MessageCheck {

    /** A check that accepts every message. */
    MessageCheck NONE = message -> {};

    /**
     * Refuses a message by an exception; then nothing is sent, no other message of the same call either.
     *
     * @throws IllegalArgumentException if the message may not be scheduled; the text is shown to the caller
     */
    void check(OutgoingMessage message);
}
