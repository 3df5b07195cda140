package io.delayqueue.spring.health;

import io.delayqueue.TopicStats;
import io.delayqueue.spring.listener.DelayQueueListenerContainer;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.boot.health.contributor.Status;

/**
 * Health of one topic.
 *
 * @param stats its numbers
 * @param listeners its listeners in this process
 * @param overdueThreshold time after its due time at which a ready message is overdue
 */
record TopicHealth(TopicStats stats, List<DelayQueueListenerContainer> listeners, Duration overdueThreshold) {

    String name() {
        return stats.topic();
    }

    /** For a topic whose name another server's topic has, too. */
    String nameWithListener() {
        return name() + " (" + listeners.get(0).id() + ")";
    }

    Status status() {
        if (!listeners.stream().allMatch(DelayQueueListenerContainer::isHealthy)) {
            return Status.DOWN;
        }
        return isOverdue() ? DelayQueueHealthIndicator.OVERDUE : Status.UP;
    }

    Map<String, Object> details() {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("status", status().getCode());
        details.put("scheduled", stats.pending().scheduled());
        details.put("ready", stats.pending().ready());
        details.put("inFlight", stats.inFlight());
        details.put("dead", stats.dead());
        if (stats.paused()) {
            details.put("paused", true);
        }
        if (isOverdue()) {
            details.put("overdue", "a message has been ready for " + oldestReadyAge());
        }
        Map<String, String> states = new LinkedHashMap<>();
        listeners.forEach(listener -> states.put(listener.id(), stateOf(listener)));
        details.put("listeners", states);
        return details;
    }

    private boolean isOverdue() {
        return !stats.paused()
                && listeners.stream().anyMatch(listener -> listener.isRunning() && !listener.isPaused())
                && oldestReadyAge().compareTo(overdueThreshold) > 0;
    }

    private Duration oldestReadyAge() {
        return stats.pending().oldestReady() == null
                ? Duration.ZERO
                : Duration.between(stats.pending().oldestReady(), stats.time());
    }

    private static String stateOf(DelayQueueListenerContainer listener) {
        if (!listener.isRunning()) {
            return "stopped";
        }
        int abandoned = listener.abandonedHandlers();
        if (abandoned > listener.options().concurrency()) {
            return "lacks handler slots: " + abandoned + " handlers exceeded their timeout and still run";
        }
        if (!listener.isHealthy()) {
            return "not consuming: its calls of Redis fail";
        }
        return listener.isPaused() ? "paused" : "running";
    }
}
