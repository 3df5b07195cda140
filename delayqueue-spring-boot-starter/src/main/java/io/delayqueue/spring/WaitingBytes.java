package io.delayqueue.spring;

import io.delayqueue.ClientOverloadedException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Bounds the memory of the operations that wait for Redis. Safe for use by several threads. */
final class WaitingBytes {

    private static final long MAX_BYTES = 64L * 1024 * 1024;

    /** One topic gets a part, since Redis may refuse only that one. */
    private static final long MAX_TOPIC_BYTES = MAX_BYTES / 4;

    private final AtomicLong total = new AtomicLong();
    private final Map<String, AtomicLong> ofTopics = new ConcurrentHashMap<>();

    /**
     * Refuses operations while too many bytes wait, in all or of one of their topics.
     *
     * @throws ClientOverloadedException names the topic
     */
    void requireCapacity(List<AfterCommitOperation<?>> operations) {
        for (AfterCommitOperation<?> operation : operations) {
            AtomicLong ofTopic = ofTopics.get(operation.topic());
            long bytes = ofTopic == null ? 0 : ofTopic.get();
            if (total.get() >= MAX_BYTES || bytes >= MAX_TOPIC_BYTES) {
                throw new ClientOverloadedException(
                        "Too many delay queue operations of committed transactions wait for Redis (" + total
                                + " bytes, " + bytes + " of this topic): the transaction is rolled back, and nothing"
                                + " was sent",
                        operation.topic(),
                        operation.id(),
                        null);
            }
        }
    }

    void add(AfterCommitOperation<?> operation) {
        add(operation, operation.bytes());
    }

    void remove(AfterCommitOperation<?> operation) {
        add(operation, -operation.bytes());
    }

    private void add(AfterCommitOperation<?> operation, long bytes) {
        total.addAndGet(bytes);
        ofTopics.compute(operation.topic(), (topic, before) -> {
            AtomicLong ofTopic = before == null ? new AtomicLong() : before;
            return ofTopic.addAndGet(bytes) == 0 ? null : ofTopic;
        });
    }
}
