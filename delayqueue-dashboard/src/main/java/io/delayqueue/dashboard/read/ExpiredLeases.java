package io.delayqueue.dashboard.read;

import io.delayqueue.DelayQueueException;
import io.delayqueue.InFlightMessages;
import io.delayqueue.TopicStats;
import java.time.Instant;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds messages that an instance held when it stopped, and that no other instance takes over. Looks into topics with messages in
 * flight of which none was acked between two samples: where a consumer is up, it takes over within milliseconds. One thread looks,
 * and any may ask.
 */
final class ExpiredLeases {

    /** Each costs a call for each of its partitions. Where more stand still, they take turns. */
    static final int MAX_LOOKS = 50;

    private static final Logger log = LoggerFactory.getLogger(ExpiredLeases.class);

    private final Function<String, InFlightMessages> firstInFlight;
    private final Map<String, ExpiredLease> found = new ConcurrentHashMap<>();
    private Map<String, TopicStats> before = Map.of();
    private String latest = "";

    /** Leases of the message of a topic whose lease ends first. */
    ExpiredLeases(Function<String, InFlightMessages> firstInFlight) {
        this.firstInFlight = firstInFlight;
    }

    /** The lease of a topic that ended first; null if none did, as far as the latest samples tell. */
    @Nullable
    ExpiredLease of(String topic) {
        return found.get(topic);
    }

    /** Looks into topics of a sample. A topic whose messages can't be read keeps its earlier answer. */
    void look(Topics sample) {
        NavigableSet<String> standing = new TreeSet<>();
        sample.stats().forEach((topic, stats) -> {
            if (stands(stats)) {
                standing.add(topic);
            }
        });
        found.keySet()
                .removeIf(
                        topic -> !standing.contains(topic) && !sample.missing().contains(topic));
        before = sample.stats();
        NavigableSet<String> inTurn = new TreeSet<>(standing.tailSet(latest, false));
        int looks = 0;
        for (String topic : inTurn.isEmpty() ? standing : inTurn) {
            if (looks++ == MAX_LOOKS || !answered(topic)) {
                return;
            }
            latest = topic;
        }
        latest = "";
    }

    private boolean stands(TopicStats stats) {
        TopicStats earlier = before.get(stats.topic());
        return stats.inFlight() > 0
                && (earlier == null
                        || earlier.totals().acked() == stats.totals().acked());
    }

    private boolean answered(String topic) {
        try {
            note(topic, firstInFlight.apply(topic));
            return true;
        } catch (DelayQueueException e) {
            log.debug("The leases of topic {} can't be read", topic, e);
            return false;
        }
    }

    private void note(String topic, InFlightMessages inFlight) {
        Instant overdue = inFlight.time().minus(Watch.OVERDUE);
        inFlight.messages().stream()
                .findFirst()
                .filter(first -> first.leaseUntil().isBefore(overdue))
                .ifPresentOrElse(
                        first -> found.put(topic, new ExpiredLease(first.leaseUntil(), first.holder())),
                        () -> found.remove(topic));
    }
}
