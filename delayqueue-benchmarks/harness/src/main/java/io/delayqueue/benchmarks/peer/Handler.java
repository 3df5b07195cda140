package io.delayqueue.benchmarks.peer;

/** Takes messages. When it returns, the peer acks the message. */
@FunctionalInterface
public interface Handler {

    /** Stands for the due time if the peer doesn't report it. */
    long UNKNOWN_DUE = 0;

    /**
     * Handles a message.
     *
     * @param payload as scheduled
     * @param dueMicros due time by the server's clock, in µs since the epoch, or {@link #UNKNOWN_DUE}
     */
    void handle(byte[] payload, long dueMicros);
}
