package io.delayqueue.spring.health;

import io.delayqueue.TopicStats;
import io.delayqueue.spring.listener.DelayQueueListenerContainer;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How one topic is doing.
 *
 * @param stats its numbers
 * @param listeners those that consume it here
 * @param overdueThreshold how long a due message may wait
 */
record TopicHealth(TopicStats stats, List<DelayQueueListenerContainer> listeners, Duration overdueThreshold) {

    boolean isUp() {
        return !isOverdue() && listeners.stream().allMatch(DelayQueueListenerContainer::isHealthy);
    }

    Map<String, Object> details() {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("status", isUp() ? "UP" : "DOWN");
        details.put("scheduled", stats.pending().scheduled());
        details.put("ready", stats.pending().ready());
        details.put("inFlight", stats.inFlight());
        details.put("dead", stats.dead());
        if (stats.paused()) {
            details.put("paused", true);
        }
        if (isOverdue()) {
            details.put("overdue", "a message has been due for " + waiting());
        }
        Map<String, String> states = new LinkedHashMap<>();
        listeners.forEach(listener -> states.put(listener.id(), stateOf(listener)));
        details.put("listeners", states);
        return details;
    }

    private boolean isOverdue() {
        return !stats.paused()
                && listeners.stream().anyMatch(listener -> listener.isRunning() && !listener.isPaused())
                && waiting().compareTo(overdueThreshold) > 0;
    }

    private Duration waiting() {
        return stats.pending().oldestReady() == null
                ? Duration.ZERO
                : Duration.between(stats.pending().oldestReady(), stats.time());
    }

    private static String stateOf(DelayQueueListenerContainer listener) {
        if (!listener.isRunning()) {
            return "stopped";
        }
        if (!listener.isHealthy()) {
            return "not consuming: its last call of Redis failed";
        }
        return listener.isPaused() ? "paused" : "running";
    }
}
