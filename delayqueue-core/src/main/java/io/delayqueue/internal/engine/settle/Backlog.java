package io.delayqueue.internal.engine.settle;

/** The handled messages of one consumer that wait for Redis to settle them. Thread-safe. */
public interface Backlog {

    /**
     * Whether so many messages of this partition wait for Redis to settle them that no more of it should be claimed. Each would be
     * handled, and then wait as well: in memory, and for the end of its lease.
     */
    boolean hasBacklog(int partition);

    /** Warns if a partition has a backlog that Redis refuses to settle; throttled. */
    void warnOfStuckBacklog(int partition);
}
