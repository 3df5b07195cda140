package io.delayqueue.jdbc.oracle;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** What was in the outbox at some moments: a committed change whose row is gone is in Redis. Thread-safe. */
final class Sightings {

    private record Sighting(long at, Set<String> ids) {}

    private final List<Sighting> sightings = new ArrayList<>();

    /**
     * Ids that had a row.
     *
     * @param at µs since the epoch, before the outbox was read
     */
    synchronized void add(long at, Set<String> ids) {
        sightings.add(new Sighting(at, Set.copyOf(ids)));
    }

    synchronized int count() {
        return sightings.size();
    }

    /** Time at which a change that was committed at a time was in Redis at the latest; {@link Long#MAX_VALUE} if that is unknown. */
    synchronized long sentBy(String id, long committed) {
        return sightings.stream()
                .filter(sighting -> sighting.at >= committed && !sighting.ids.contains(id))
                .mapToLong(Sighting::at)
                .findFirst()
                .orElse(Long.MAX_VALUE);
    }
}
