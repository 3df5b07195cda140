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
        int from = 0;
        int to = sightings.size();
        while (from < to) {
            int middle = (from + to) / 2;
            if (sightings.get(middle).at < committed) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        return sightings.subList(from, sightings.size()).stream()
                .filter(sighting -> !sighting.ids.contains(id))
                .mapToLong(Sighting::at)
                .findFirst()
                .orElse(Long.MAX_VALUE);
    }

    /** Whether an id may have had a row throughout a time: it was seen then, or nobody looked. */
    synchronized boolean mayHaveHad(String id, long from, long to) {
        List<Sighting> then = sightings.stream()
                .filter(sighting -> sighting.at >= from && sighting.at <= to)
                .toList();
        return then.isEmpty() || then.stream().anyMatch(sighting -> sighting.ids.contains(id));
    }
}
