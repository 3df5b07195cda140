package io.delayqueue.dashboard.read;

import io.delayqueue.TopicStats;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/** The histories of topics, of a bounded number of them. Thread-safe. */
final class Histories {

    /** Topics above this number have no history: each takes some 5 kB. */
    static final int MAX_TOPICS = 5_000;

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, TopicHistory> byTopic = new HashMap<>();

    /** Adds a sample of each topic. Topics that are gone are forgotten, unless their numbers could not be read. */
    void add(Topics topics) {
        lock.lock();
        try {
            byTopic.keySet()
                    .removeIf(topic -> !topics.stats().containsKey(topic)
                            && !topics.missing().contains(topic));
            topics.stats().forEach(this::add);
        } finally {
            lock.unlock();
        }
    }

    private void add(String topic, TopicStats stats) {
        TopicHistory history = byTopic.get(topic);
        if (history == null && byTopic.size() < MAX_TOPICS) {
            history = new TopicHistory();
            byTopic.put(topic, history);
        }
        if (history != null) {
            history.add(stats);
        }
    }

    HistoryPoints points(String topic) {
        lock.lock();
        try {
            TopicHistory history = byTopic.get(topic);
            return history == null ? HistoryPoints.NONE : history.points();
        } finally {
            lock.unlock();
        }
    }

    void clear() {
        lock.lock();
        try {
            byTopic.clear();
        } finally {
            lock.unlock();
        }
    }
}
