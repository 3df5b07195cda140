package io.delayqueue;

import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Pending messages of one topic, which no consumer has claimed: lists and purges them. Safe for use by several threads.
 *
 * <p>The list has the messages of all priorities and partitions in the order of their due times; those due at the same time
 * are in the order of their ids' UTF-8 bytes. While pages are read, messages come and go: a message that is pending all the
 * time and keeps its due time is listed once.
 */
public interface PendingMessages {

    /** Maximum number of messages on one page: as many as one call of a script returns. */
    int MAX_PAGE_SIZE = 512;

    /** Maximum number of bounds of {@link #countDue}: a hundred numbers, so that one call keeps Redis for a millisecond at most. */
    int MAX_BOUNDS = 99;

    /**
     * The first page.
     *
     * @param limit largest number of messages on the page, 1 to {@link #MAX_PAGE_SIZE}
     */
    default List<PendingMessage> list(int limit) {
        return list(Position.FIRST, limit);
    }

    /**
     * The page after a position; the next one follows {@link PendingMessage#position()} of its last message. Costs the same for
     * every page.
     *
     * @param after the position, which need not be a message's
     * @param limit largest number of messages on the page, 1 to {@link #MAX_PAGE_SIZE}; a shorter page is the last one
     */
    List<PendingMessage> list(Position after, int limit);

    /**
     * Counts the pending messages by due time, all of a partition in one instant. The numbers are of those due before the first bound,
     * from each bound to the next, and at the last bound or later. So there is one number more than there are bounds, and together they
     * are all pending messages.
     *
     * @param bounds 1 to {@link #MAX_BOUNDS} times from 1970 to {@link Delay#LATEST}, ascending
     */
    List<Long> countDue(List<Instant> bounds);

    /**
     * Deletes pending messages. Messages in flight and dead letters stay. They are counted as purged, not as cancelled: this is an
     * operator's deletion, whatever the application asked for.
     *
     * @return number of the given ids that were pending
     */
    long purge(Collection<String> ids);

    /**
     * Deletes all pending messages due at this time or earlier, in bounded steps; {@link Delay#LATEST} for every message. Counted
     * as {@link #purge} says.
     *
     * @return number of deleted messages
     */
    long purgeDueUntil(Instant due);

    /**
     * Deletes those of these pending messages that are due at this time or earlier. Counted as {@link #purge} says.
     *
     * @return number of deleted messages
     */
    long purgeDueUntil(Instant due, Collection<String> ids);

    /**
     * Deletes those of these messages that are due at this time or earlier and have not been replaced since: a later message of the
     * same id stays. Reads their bodies, in bounded steps. Counted as {@link #purge} says.
     *
     * @param generations ids with generations, as {@link Survey#find} tells them
     * @return number of deleted messages
     */
    long purgeDueUntil(Instant due, Map<String, String> generations);

    /**
     * A position in the list: behind the messages due earlier, and behind those due at this time whose id is this or comes before
     * it.
     *
     * @param due a due time of 1970 or later
     * @param id an id, or empty for the position before all messages due at this time
     */
    record Position(Instant due, String id) {

        /** Before all messages. */
        public static final Position FIRST = new Position(Instant.EPOCH, "");

        public Position {
            Objects.requireNonNull(id, "id");
            if (due.isBefore(Instant.EPOCH) || due.isAfter(Delay.LATEST)) {
                throw new IllegalArgumentException(
                        "a position's due time must be from " + Instant.EPOCH + " to " + Delay.LATEST + ", not " + due);
            }
        }

        /** Before all messages due at this time or later. */
        public static Position from(Instant due) {
            return new Position(due, "");
        }
    }
}
