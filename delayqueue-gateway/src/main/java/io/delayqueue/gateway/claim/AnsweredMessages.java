package io.delayqueue.gateway.claim;

/**
 * Messages on their way to a client: other clients don't get them until the answer is written, and get them at once if it can't be. The
 * first of {@link #confirm} and {@link #release} counts. Safe for use by several threads.
 */
public interface AnsweredMessages {

    /** Whether there are none: then nothing has to be renewed or released. */
    boolean isEmpty();

    /** The answer takes long to write: the client is slow, but there. Waits for nothing, since a timer calls it. */
    void renew();

    /**
     * The last bytes of the answer are written next: the client's own lease begins. Not later, or that might come behind a change by the
     * client, and undo it.
     */
    void beginLease();

    /** The answer was written. */
    void confirm();

    /** The answer can't be written. Waits for nothing, since a timer calls it. */
    void release();

    /** No messages: of an answer that has none. */
    static AnsweredMessages none() {
        return NoMessages.NONE;
    }
}
