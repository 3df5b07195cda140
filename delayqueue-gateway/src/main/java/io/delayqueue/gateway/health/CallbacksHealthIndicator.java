package io.delayqueue.gateway.health;

import io.delayqueue.gateway.callback.CallbackTargets;
import io.delayqueue.gateway.callback.Callbacks;
import io.delayqueue.gateway.callback.TargetState;
import java.util.List;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Health of callbacks: down if they do not run, or the consumer of a topic is {@linkplain io.delayqueue.Subscription#isHealthy() not
 * healthy}; else up. Unavailable targets are details and change no status: another company's server must not take this instance out
 * of service.
 */
public final class CallbacksHealthIndicator extends AbstractHealthIndicator {

    private final Callbacks callbacks;

    /** An indicator of these callbacks. */
    public CallbacksHealthIndicator(Callbacks callbacks) {
        super("Health check of callbacks failed");
        this.callbacks = callbacks;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        CallbackTargets targets = callbacks.targets();
        List<String> unhealthy = callbacks.unhealthyTopics();
        builder.withDetail("running", callbacks.isRunning())
                .withDetail("unhealthyTopics", unhealthy)
                .withDetail("throttledTargets", targets.count(TargetState.THROTTLED))
                .withDetail("stoppedTargets", targets.count(TargetState.STOPPED))
                .withDetail("pausedTargets", targets.count(TargetState.PAUSED));
        if (callbacks.isRunning() && unhealthy.isEmpty()) {
            builder.up();
        } else {
            builder.down();
        }
    }
}
