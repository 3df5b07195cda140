package io.delayqueue;

import java.time.Duration;
import java.util.Collection;
import java.util.List;

/** Dead letters of one topic: lists, redrives and purges them. Safe for use by several threads. */
public interface DeadLetters {

    /** Maximum number of dead letters on one page: as many as one call of a script returns. */
    int MAX_PAGE_SIZE = 512;

    /**
     * A page of dead letters, latest first. The page is shorter than its limit if the payloads of one partition come to more than
     * 4 MiB, or if dead letters are redriven or purged meanwhile; it is empty only past the last dead letter.
     *
     * @param offset number of dead letters to skip, not negative
     * @param limit largest number of dead letters on the page, 1 to {@link #MAX_PAGE_SIZE}
     */
    List<DeadLetter> list(int offset, int limit);

    /**
     * Makes dead letters due at once and resets their attempts.
     *
     * @return number of the given ids that were dead
     */
    default long redrive(Collection<String> ids) {
        return redrive(ids, RedriveOptions.defaults());
    }

    /**
     * Makes dead letters due as the options say, and resets their attempts. In the order given, for each partition of the topic in
     * turn.
     *
     * @return number of the given ids that were dead
     */
    long redrive(Collection<String> ids, RedriveOptions options);

    /**
     * Redrives all messages that are dead when the call begins, in bounded steps.
     *
     * @return number of redriven messages
     */
    default long redriveAll() {
        return redriveAll(RedriveOptions.defaults());
    }

    /**
     * Redrives all messages that are dead when the call begins, due as the options say, in bounded steps: the longest dead first, for
     * each partition of the topic in turn. If the caller dies meanwhile, those redriven keep their due times and the others stay
     * dead letters.
     *
     * @return number of redriven messages
     */
    long redriveAll(RedriveOptions options);

    /**
     * Deletes dead letters.
     *
     * @return number of the given ids that were dead
     */
    long purge(Collection<String> ids);

    /**
     * Deletes all dead letters older than this, by Redis' clock, in bounded steps.
     *
     * @param age time since the message was dead-lettered
     * @return number of deleted messages
     */
    long purgeOlderThan(Duration age);
}
