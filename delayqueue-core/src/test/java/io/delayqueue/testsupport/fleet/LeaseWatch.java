package io.delayqueue.testsupport.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.testsupport.fleet.Evidence.HeldLease;
import io.lettuce.core.RedisException;
import io.lettuce.core.ScoredValue;
import io.lettuce.core.TransactionResult;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Reads the leases that Redis holds every 10 ms, past the library: a lease that is lost lasted a hundred times as long. */
final class LeaseWatch implements AutoCloseable {

    private static final long BETWEEN_LOOKS_MS = 10;

    private final RedisCommands<String, String> redis;
    private final Set<String> topics = ConcurrentHashMap.newKeySet();
    private final Map<String, Map<String, List<HeldLease>>> leases = new ConcurrentHashMap<>();
    private final RepeatedCheck repeated;

    /** @param redis a connection of its own */
    LeaseWatch(RedisCommands<String, String> redis) {
        this.redis = redis;
        this.repeated = new RepeatedCheck("lease watch", BETWEEN_LOOKS_MS, this::look);
    }

    void watch(String topic) {
        topics.add(topic);
    }

    /** All leases seen of a topic, by message. */
    Map<String, List<HeldLease>> leases(String topic) {
        return Map.copyOf(leases.getOrDefault(topic, Map.of()));
    }

    /**
     * Fails if looks have come to an end, if one failed although Redis was there, or if none saw a lease of a topic whose messages
     * were handled.
     */
    void requireAlive(String topic, boolean handled) {
        repeated.requireAlive();
        if (handled) {
            assertThat(leases(topic)).as("leases seen of " + topic).isNotEmpty();
        }
    }

    private boolean look() {
        try {
            topics.forEach(this::look);
            return !topics.isEmpty();
        } catch (RedisException away) {
            // it gives no leases either
            return false;
        }
    }

    /** Both keys in one step, so that they fit. */
    private void look(String topic) {
        String partition = "dq:{" + topic + ":0}:";
        redis.multi();
        redis.zrangeWithScores(partition + "leased", 0, -1);
        redis.hgetall(partition + "attempts");
        TransactionResult answer = redis.exec();
        List<ScoredValue<String>> leased = answer.get(0);
        Map<String, String> failed = answer.get(1);
        Map<String, List<HeldLease>> seen = leases.computeIfAbsent(topic, name -> new ConcurrentHashMap<>());
        for (ScoredValue<String> one : leased) {
            int attempt = failedAttempts(failed.get(one.getValue())) + 1;
            HeldLease lease = new HeldLease(attempt, (long) one.getScore());
            seen.compute(one.getValue(), (id, before) -> with(before == null ? List.of() : before, lease));
        }
    }

    /** A suspect's value has further numbers after a colon. */
    private static int failedAttempts(@Nullable String value) {
        return value == null ? 0 : Integer.parseInt(value.split(":")[0]);
    }

    /** A renewed lease takes the place of itself. */
    private static List<HeldLease> with(List<HeldLease> before, HeldLease lease) {
        List<HeldLease> after = new ArrayList<>(before);
        after.removeIf(old -> old.attempt() == lease.attempt() && old.deadline() <= lease.deadline());
        after.add(lease);
        return List.copyOf(after);
    }

    @Override
    public void close() {
        repeated.close();
    }
}
