package io.delayqueue.dashboard.read;

import io.delayqueue.RedisUnavailableException;
import io.delayqueue.TopicStats;
import io.delayqueue.spring.operator.Caller;
import io.delayqueue.spring.operator.DelayQueueOperator;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Reads the numbers of all topics. A server of a Cluster that is silent hides its own topics only. Thread-safe. */
final class TopicsReader {

    private final DelayQueueOperator operator;
    private final Caller reader;
    /** Their names are on one server, which may be the silent one. */
    private volatile Set<String> latestNames = Set.of();

    TopicsReader(DelayQueueOperator operator, Caller reader) {
        this.operator = operator;
        this.reader = reader;
    }

    /** @throws RedisUnavailableException if no server answers */
    Topics read() {
        try {
            Map<String, TopicStats> stats = operator.topics(reader);
            latestNames = Set.copyOf(stats.keySet());
            return new Topics(Instant.now(), stats, Set.of());
        } catch (RedisUnavailableException e) {
            Map<String, TopicStats> reachable = operator.reachableTopics(reader, latestNames);
            if (reachable.isEmpty()) {
                throw e;
            }
            Set<String> missing = new TreeSet<>(latestNames);
            missing.removeAll(reachable.keySet());
            return new Topics(Instant.now(), reachable, missing);
        }
    }
}
