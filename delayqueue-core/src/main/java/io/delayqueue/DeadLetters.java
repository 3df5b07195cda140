package io.delayqueue;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Objects;

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
     * A page of ids and times alone, latest first. Payloads stay in Redis, so a page of large dead letters has as many as one of small
     * ones. {@link DelayQueueClient#find} has the rest.
     *
     * @param offset number of dead letters to skip, not negative
     * @param limit largest number of dead letters on the page, 1 to {@link #MAX_PAGE_SIZE}; a shorter page is the last one
     */
    List<Key> listKeys(int offset, int limit);

    /**
     * Makes dead letters due at once and resets their attempts.
     *
     * @return number of the given ids that were dead
     */
    default long redrive(Collection<String> ids) {
        return redrive(ids, RedriveOptions.defaults());
    }

    /**
     * Makes dead letters due as the options say, and resets their attempts. Due times follow the order of the ids, for each partition of
     * the topic in turn.
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
     * Redrives all messages that are dead when the call begins, due as the options say, in bounded steps. The longest dead go first, for
     * each partition of the topic in turn. If the caller dies meanwhile, those redriven keep their due times and the others stay
     * dead letters.
     *
     * @return number of redriven messages
     */
    long redriveAll(RedriveOptions options);

    /**
     * Makes up to a number of dead letters due as the options say: the longest dead first, for each partition of the topic in turn.
     * One step of a redrive that its caller paces, watches or ends.
     *
     * @param deadLettered latest time of dead-lettering, by Redis' clock
     * @param limit largest number to redrive, 1 to {@link #MAX_PAGE_SIZE}
     * @return number of redriven messages; less than the limit if none is left
     */
    long redriveUntil(Instant deadLettered, int limit, RedriveOptions options);

    /**
     * Redrives those of these dead letters that were dead-lettered up to a time. An id that was redriven, and dead-lettered again since,
     * stays a dead letter. Otherwise as {@link #redrive(Collection, RedriveOptions)}.
     *
     * @param deadLettered latest time of dead-lettering, by Redis' clock
     */
    long redriveUntil(Instant deadLettered, Collection<String> ids, RedriveOptions options);

    /**
     * Counts the dead letters up to a time, all of a partition in one instant.
     *
     * @param deadLettered latest time of dead-lettering, by Redis' clock
     */
    long countUntil(Instant deadLettered);

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

    /**
     * Deletes up to a number of dead letters, the longest dead first, for each partition of the topic in turn. One step of a purge
     * that its caller watches or ends.
     *
     * @param deadLettered latest time of dead-lettering, by Redis' clock
     * @param limit largest number to delete, 1 to {@link #MAX_PAGE_SIZE}
     * @return number of deleted messages; less than the limit if none is left
     */
    long purgeUntil(Instant deadLettered, int limit);

    /**
     * Deletes those of these dead letters that were dead-lettered up to a time.
     *
     * @param deadLettered latest time of dead-lettering, by Redis' clock
     * @return number of deleted messages
     */
    long purgeUntil(Instant deadLettered, Collection<String> ids);

    /**
     * Id and time of a dead letter. The time tells it from an earlier one of the same id.
     *
     * @param id its id
     * @param deadLetteredAt time at which it became a dead letter, by Redis' clock
     */
    record Key(String id, Instant deadLetteredAt) {
        public Key {
            Objects.requireNonNull(id, "id");
            Objects.requireNonNull(deadLetteredAt, "deadLetteredAt");
        }
    }
}
