package io.delayqueue.benchmarks.gateway;

/** A client of one queue, for one thread. */
interface QueueClient extends AutoCloseable {

    /** Sends messages with this body: one alone, more as a batch. */
    void send(int count, String body);

    /**
     * Receives up to as many messages, and deletes them.
     *
     * @return number of messages
     */
    int receiveAndDelete(int max, int waitSeconds);

    @Override
    void close();
}
