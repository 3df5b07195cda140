package io.delayqueue;

import java.time.Duration;
import java.util.Collection;
import java.util.List;

/** The messages of one topic that were given up. Safe for use by several threads. */
public interface DeadLetters {

    /** Largest number of dead letters on one page: as many as one call of a script returns. */
    int MAX_PAGE_SIZE = 512;

    /**
     * A page of dead letters, latest first. Shorter than asked where the payloads come to more than 4 MiB; empty only past
     * the end.
     *
     * @param offset how many of the latest to pass over, not negative
     * @param limit 1 to {@link #MAX_PAGE_SIZE}
     */
    List<DeadLetter> list(int offset, int limit);

    /** Makes dead letters due at once, their attempts forgotten. Returns how many of the ids were dead. */
    long redrive(Collection<String> ids);

    /** Redrives all that are dead when the call begins, in bounded steps. Returns how many. */
    long redriveAll();

    /** Deletes dead letters. Returns how many of the ids were dead. */
    long purge(Collection<String> ids);

    /** Deletes all that died longer ago than this by Redis' clock, in bounded steps. Returns how many. */
    long purgeOlderThan(Duration age);
}
