package io.delayqueue.gateway.http.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.TopicStats;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Knows what clients asked for and were told, and what must not be. Times are by the clock of Redis. Safe for use by several threads. */
final class Ledger {

    private final Map<String, Entry> entries = new ConcurrentHashMap<>();
    private final List<String> violations = new CopyOnWriteArrayList<>();
    private final AtomicInteger acks = new AtomicInteger();
    private final AtomicInteger uncertainAcks = new AtomicInteger();
    private final AtomicInteger repeatedSchedules = new AtomicInteger();
    private final AtomicInteger redeliveries = new AtomicInteger();
    private final AtomicInteger unavailable = new AtomicInteger();

    /** Requests that had no answer, by the port of their gateway. */
    private final Map<Integer, AtomicInteger> away = new ConcurrentHashMap<>();

    /**
     * Before a message is scheduled for the first time.
     *
     * @param earliest time before which it can't be due
     */
    void scheduling(String id, Instant earliest) {
        entries.put(id, new Entry(earliest));
    }

    /** A schedule had no answer, so there may be another message of the id once the first one is done. */
    void scheduleIsRepeated(String id) {
        entries.get(id).twice = true;
        repeatedSchedules.incrementAndGet();
    }

    /**
     * A claim was answered with this message.
     *
     * @param claimBegunAt begin of the claim, by {@link System#nanoTime()}
     * @param answeredAt when its answer was there, by that clock
     * @param now time that was not over then
     */
    void claimed(String id, Instant due, int attempt, long claimBegunAt, long answeredAt, Instant now) {
        Entry entry = entries.get(id);
        if (entry == null) {
            violations.add(id + " was never scheduled");
            return;
        }
        if (now.isBefore(due) || now.isBefore(entry.earliest)) {
            violations.add(id + " came at " + now + ", is due at " + due + ", and may come from " + entry.earliest);
        }
        if (entry.ackedAt != 0 && claimBegunAt - entry.ackedAt > 0 && !entry.twice) {
            violations.add(id + " came again after its ack");
        }
        if (attempt > 1) {
            redeliveries.incrementAndGet();
        }
        if (entry.isClaimedTwice(new Claim(claimBegunAt, answeredAt))) {
            violations.add(id + " was claimed by two clients at a time");
        }
    }

    /** A client that was told of a message is about to settle it. */
    void settling(String id) {
        entries.get(id).settling();
    }

    /** An ack was answered with success. */
    void acked(String id) {
        Entry entry = entries.get(id);
        if (entry.ackedAt != 0 && !entry.twice) {
            violations.add(id + " was acked twice");
        }
        entry.ackedAt = System.nanoTime();
        acks.incrementAndGet();
    }

    /** An ack had no answer, and its repeat found the lease lost. */
    void perhapsAcked(String id) {
        entries.get(id).perhapsAcked = true;
        uncertainAcks.incrementAndGet();
    }

    void violation(String text) {
        violations.add(text);
    }

    /** A request was answered that Redis did not answer. */
    void redisWasUnavailable() {
        unavailable.incrementAndGet();
    }

    /** A request to the gateway of this port had no answer. */
    void gatewayWasAway(int port) {
        away.computeIfAbsent(port, key -> new AtomicInteger()).incrementAndGet();
    }

    /** Requests that were answered that Redis did not answer. */
    int timesRedisWasUnavailable() {
        return unavailable.get();
    }

    /** Requests to the gateway of this port that had no answer. */
    int timesGatewayWasAway(int port) {
        return away.computeIfAbsent(port, key -> new AtomicInteger()).get();
    }

    /** Messages that are not known to be acked. */
    int unacked() {
        return entries.size() - acks.get() - uncertainAcks.get();
    }

    int redeliveries() {
        return redeliveries.get();
    }

    int unanswered() {
        return repeatedSchedules.get() + uncertainAcks.get();
    }

    /** When the topic is empty. */
    void check(TopicStats stats) {
        assertThat(violations).isEmpty();
        assertThat(entries).isNotEmpty();
        assertThat(entries.entrySet().stream()
                        .filter(entry -> entry.getValue().ackedAt == 0 && !entry.getValue().perhapsAcked)
                        .map(Map.Entry::getKey))
                .as("scheduled, and never acked")
                .isEmpty();
        assertThat(stats.unaccounted()).as("unaccounted").isZero();
        assertThat(stats.dead()).isZero();
        assertThat(stats.totals().acked())
                .as("each message that Redis took was acked once")
                .isEqualTo(stats.totals().accepted())
                .isBetween((long) acks.get(), (long) acks.get() + uncertainAcks.get());
        assertThat(stats.totals().accepted())
                .isBetween((long) entries.size(), (long) entries.size() + repeatedSchedules.get());
    }

    @Override
    public String toString() {
        return entries.size() + " messages, " + acks + " acks, " + uncertainAcks + " uncertain acks, "
                + repeatedSchedules + " repeated schedules, " + redeliveries + " redeliveries";
    }

    /** Between these times, by {@link System#nanoTime()}, a client got a message for {@link Client#LEASE_SECONDS}. */
    private record Claim(long begunAt, long answeredAt) {

        /** Whether its lease was surely not over when the other one was answered. */
        boolean lasts(Claim other) {
            return other.answeredAt - begunAt < TimeUnit.SECONDS.toNanos(Client.LEASE_SECONDS);
        }
    }

    /** A message. */
    private static final class Entry {

        private final Instant earliest;
        private volatile boolean twice;
        private volatile long ackedAt;
        private volatile boolean perhapsAcked;

        /** The client that got it last, and has not begun to settle it. Guarded by this object. */
        private @Nullable Claim owner;

        private Entry(Instant earliest) {
            this.earliest = earliest;
        }

        /** Answers of two claims may be read in another order than they were given. */
        private synchronized boolean isClaimedTwice(Claim claim) {
            boolean twice = owner != null && owner.lasts(claim) && claim.lasts(owner);
            owner = claim;
            return twice;
        }

        private synchronized void settling() {
            owner = null;
        }
    }
}
