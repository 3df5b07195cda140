package io.delayqueue.dashboard.read;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.spring.listener.DelayQueueListenerContainer;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A listener in this process, with its effective settings. */
record ListenerView(
        String id,
        boolean running,
        boolean paused,
        boolean healthy,
        int inFlight,
        int concurrency,
        long leaseMillis,
        @Nullable Long timeoutMillis,
        int maxAttempts,
        BackoffView backoff,
        long shutdownTimeoutMillis,
        boolean autoStartup) {

    static ListenerView of(DelayQueueListenerContainer container) {
        ConsumerOptions options = container.options();
        Duration timeout = options.timeout();
        return new ListenerView(
                container.id(),
                container.isRunning(),
                container.isPaused(),
                container.isHealthy(),
                container.inFlight(),
                options.concurrency(),
                options.lease().toMillis(),
                timeout == null ? null : timeout.toMillis(),
                options.maxAttempts(),
                BackoffView.of(options.backoff()),
                container.shutdownTimeout().toMillis(),
                container.isAutoStartup());
    }
}
