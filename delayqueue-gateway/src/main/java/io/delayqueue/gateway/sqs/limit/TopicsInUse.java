package io.delayqueue.gateway.sqs.limit;

import io.delayqueue.gateway.sqs.protocol.SqsError;
import io.delayqueue.gateway.sqs.protocol.SqsException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Topics in which each key receives or settles now. A key may use only some, since those of an instance are limited and shared by all keys.
 * Safe for use by several threads.
 */
public final class TopicsInUse {

    private final int maxPerKey;
    private final ReentrantLock lock = new ReentrantLock();

    /** Calls under way by key and topic. Guarded by the lock. */
    private final Map<String, Map<String, Integer>> calls = new HashMap<>();

    /** As many topics of each key at once. */
    public TopicsInUse(int maxPerKey) {
        this.maxPerKey = maxPerKey;
    }

    /**
     * Makes a call, during which its key uses the topic.
     *
     * @throws SqsException that the key is over its limit, by its name; nothing was done
     */
    public <T> CompletableFuture<T> during(String key, String topic, Supplier<CompletableFuture<T>> call) {
        begin(key, topic);
        CompletableFuture<T> future;
        try {
            future = call.get();
        } catch (RuntimeException e) {
            end(key, topic);
            throw e;
        }
        // the caller gets the future itself, since it may cancel it
        future.whenComplete((result, failure) -> end(key, topic));
        return future;
    }

    private void begin(String key, String topic) {
        lock.lock();
        try {
            Map<String, Integer> topics = calls.computeIfAbsent(key, k -> new HashMap<>());
            if (topics.size() >= maxPerKey && !topics.containsKey(topic)) {
                throw new SqsException(
                        SqsError.OVER_LIMIT,
                        "The key " + key + " has requests under way in " + maxPerKey
                                + " queues of this instance, as many as delayqueue.gateway.sqs.max-queues-in-use-per-key allows.");
            }
            topics.merge(topic, 1, Integer::sum);
        } finally {
            lock.unlock();
        }
    }

    private void end(String key, String topic) {
        lock.lock();
        try {
            Map<String, Integer> topics = calls.get(key);
            if (topics == null) {
                return;
            }
            topics.computeIfPresent(topic, (t, count) -> count == 1 ? null : count - 1);
            if (topics.isEmpty()) {
                calls.remove(key);
            }
        } finally {
            lock.unlock();
        }
    }
}
