package io.delayqueue.benchmarks.peer;

/** What each message is handed to. When it returns, the message is to be acked. */
@FunctionalInterface
public interface Handler {

    /** Given for a due time that the peer doesn't tell. */
    long NOT_TOLD = 0;

    /**
     * Takes a message.
     *
     * @param payload as scheduled
     * @param dueMicros when it was due in µs since the epoch, by the server's clock, if the peer tells, else {@link #NOT_TOLD}
     */
    void handle(byte[] payload, long dueMicros);
}
