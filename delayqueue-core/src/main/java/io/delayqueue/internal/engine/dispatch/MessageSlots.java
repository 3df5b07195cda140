package io.delayqueue.internal.engine.dispatch;

/** The messages that a consumer can take: as many as it has free handlers, or as callers wait for. Thread-safe. */
public interface MessageSlots {

    /** The number of messages that can still be claimed. */
    Capacity capacity();

    /** Keeps the capacity there is for a claim of at most that many messages. */
    Reservation reserve(int max);

    /** Ends a reservation, after the messages of its claim were accepted. */
    void release(Reservation reservation);
}
