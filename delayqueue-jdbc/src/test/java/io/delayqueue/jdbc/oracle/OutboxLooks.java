package io.delayqueue.jdbc.oracle;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The content of the outbox at some moments: a committed change whose row is gone is in Redis. Thread-safe. */
final class OutboxLooks {

    private record Look(long at, Set<String> ids) {}

    private final List<Look> looks = new ArrayList<>();

    /**
     * Ids that had a row.
     *
     * @param at µs since the epoch, before the outbox was read
     */
    synchronized void add(long at, Set<String> ids) {
        looks.add(new Look(at, Set.copyOf(ids)));
    }

    synchronized int count() {
        return looks.size();
    }

    /** Time at which a change that was committed at a time was in Redis at the latest; {@link Long#MAX_VALUE} if that is unknown. */
    synchronized long sentBy(String id, long committed) {
        int from = 0;
        int to = looks.size();
        while (from < to) {
            int middle = (from + to) / 2;
            if (looks.get(middle).at < committed) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        return looks.subList(from, looks.size()).stream()
                .filter(look -> !look.ids.contains(id))
                .mapToLong(Look::at)
                .findFirst()
                .orElse(Long.MAX_VALUE);
    }

    /** Whether an id may have had a row throughout a time: it was seen then, or nobody looked. */
    synchronized boolean mayHaveHad(String id, long from, long to) {
        List<Look> then =
                looks.stream().filter(look -> look.at >= from && look.at <= to).toList();
        return then.isEmpty() || then.stream().anyMatch(look -> look.ids.contains(id));
    }
}
