package io.delayqueue.internal.engine;

import io.delayqueue.internal.engine.shared.ClientContext;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Registers topics for discovery. Thread-safe. */
final class RegisteredTopics {

    /** A program that makes up topics must not fill the memory. */
    private static final int MAX_REMEMBERED = 10_000;

    private final ClientContext client;
    /** When a topic was registered last, by {@link System#nanoTime()}. */
    private final Map<String, Long> registered = new ConcurrentHashMap<>();

    RegisteredTopics(ClientContext client) {
        this.client = client;
    }

    /**
     * Registers a topic; again once a guard interval, since a server that was emptied, or replaced by a replica that lagged, has
     * forgotten it.
     */
    void register(String topic) {
        long now = System.nanoTime();
        Long last = registered.get(topic);
        if (last != null && now - last < client.options().guardInterval().toNanos()) {
            return;
        }
        if (registered.size() >= MAX_REMEMBERED) {
            registered.clear();
        }
        registered.put(topic, now);
        client.store().register(topic).whenComplete((done, error) -> {
            if (error != null) {
                registered.remove(topic, now);
            }
        });
        client.retention().purgeIfDue(topic);
    }

    /** Registers a topic that was deleted as if it were new. */
    void forget(String topic) {
        registered.remove(topic);
    }

    int size() {
        return registered.size();
    }
}
