package io.delayqueue.internal.store;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a partition that one step of a redrive or purge takes: of those up to a time, some ids, or the earliest ones.
 *
 * @param until latest time at which they were dead-lettered or are due; null for ids whatever their time is
 * @param ids only these, distinct; empty for the earliest ones
 * @param limit most to take, 1 to {@link MessageStore#LARGEST_BATCH}
 */
public record Selection(@Nullable Instant until, List<String> ids, int limit) {

    /** These ids, whatever their time is. */
    public static Selection of(List<String> ids) {
        return new Selection(null, ids, ids.size());
    }

    /** Those of these ids up to a time. */
    public static Selection until(Instant until, List<String> ids) {
        return new Selection(until, ids, ids.size());
    }

    /** The earliest ones up to a time. */
    public static Selection until(Instant until, int limit) {
        return new Selection(until, List.of(), limit);
    }
}
