package io.delayqueue.gateway.metrics;

import io.delayqueue.gateway.callback.CallResult;
import io.delayqueue.gateway.callback.CallbackObserver;
import io.delayqueue.gateway.callback.CallbackTargets;
import io.delayqueue.gateway.callback.TargetState;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Times calls by topic and result, and counts unavailable targets. Targets are no tags: messages may name their hosts. Topics are those of
 * the configuration. Safe for use by many threads.
 */
public final class CallbackMeters implements CallbackObserver {

    private final MeterRegistry registry;
    private final Map<Call, Timer> timers = new ConcurrentHashMap<>();

    private record Call(String topic, CallResult result) {}

    /** Meters of this registry. */
    public CallbackMeters(MeterRegistry registry) {
        this.registry = registry;
    }

    /** Adds gauges of targets that are not called. */
    public void bindTo(CallbackTargets targets) {
        for (TargetState state : List.of(TargetState.THROTTLED, TargetState.STOPPED, TargetState.PAUSED)) {
            Gauge.builder("delayqueue.callback.targets", targets, all -> all.count(state))
                    .description("Targets of callbacks that this process does not call now")
                    .tag("state", lowerCase(state))
                    .register(registry);
        }
    }

    @Override
    public void called(String topic, String target, CallResult result, Duration duration) {
        timers.computeIfAbsent(new Call(topic, result), this::timer).record(duration);
    }

    @Override
    public void resultDelayed(String topic) {
        count(topic, "delayed");
    }

    @Override
    public void resultLost(String topic) {
        count(topic, "lost");
    }

    private void count(String topic, String state) {
        registry.counter("delayqueue.callback.results", "topic", topic, "state", state)
                .increment();
    }

    private Timer timer(Call call) {
        return Timer.builder("delayqueue.callback.call")
                .description("Duration of a callback's call, from its begin to the response")
                .tag("topic", call.topic)
                .tag("outcome", lowerCase(call.result))
                .register(registry);
    }

    private static String lowerCase(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
