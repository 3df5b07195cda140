package io.delayqueue.gateway.callback;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Settings that all callbacks share, checked. */
final class CallbackSettings {

    private static final String PREFIX = "delayqueue.gateway.callbacks.";
    private static final Duration LONGEST_TOTAL = Duration.ofHours(1);
    private static final FlowLimits DEFAULTS =
            new FlowLimits(Double.POSITIVE_INFINITY, 10, 5, Duration.ofSeconds(5), Duration.ofMinutes(1));

    private final boolean allowHttp;
    private final List<String> hosts;
    private final Set<Integer> ports;
    private final RefusedRanges refused;
    private final CallbackTimeouts timeouts;
    private final Duration maxRetryAfter;
    private final FlowLimits limits;
    private final Map<String, FlowLimits> limitsByTarget = new HashMap<>();

    /** @throws InvalidCallbackException if a property is wrong */
    CallbackSettings(CallbackProperties properties) {
        this.allowHttp = properties.isAllowHttp();
        this.hosts = List.copyOf(properties.getHosts());
        this.ports = Set.copyOf(properties.getPorts());
        this.refused = new RefusedRanges(
                ranges("allowed-ranges", properties.getAllowedRanges()),
                ranges("refused-ranges", properties.getRefusedRanges()));
        this.timeouts = new CallbackTimeouts(
                positive("connect-timeout", properties.getConnectTimeout()),
                positive("response-timeout", properties.getResponseTimeout()),
                positive("total-timeout", properties.getTotalTimeout()),
                positive("connection-life-time", properties.getConnectionLifeTime()));
        this.maxRetryAfter = positive("max-retry-after", properties.getMaxRetryAfter());
        this.limits = limits("flow", properties.getFlow(), DEFAULTS);
        properties
                .getFlows()
                .forEach((target, flow) -> limitsByTarget.put(target, limits("flows." + target, flow, limits)));
    }

    /** Hosts that URLs of messages may have. */
    List<String> hosts() {
        return hosts;
    }

    RefusedRanges refused() {
        return refused;
    }

    CallbackTimeouts timeouts() {
        return timeouts;
    }

    Duration maxRetryAfter() {
        return maxRetryAfter;
    }

    /** Limits of a target. */
    FlowLimits limits(String target) {
        return limitsByTarget.getOrDefault(target, limits);
    }

    /** Rules of URLs with these hosts. */
    TargetRules rules(List<String> allowedHosts) {
        return new TargetRules(allowHttp, allowedHosts, ports, refused);
    }

    private static List<AddressRange> ranges(String name, List<String> texts) {
        try {
            return texts.stream().map(AddressRange::parse).toList();
        } catch (IllegalArgumentException e) {
            throw new InvalidCallbackException(PREFIX + name, String.valueOf(e.getMessage()));
        }
    }

    private static Duration positive(String name, Duration value) {
        if (value.isZero() || value.isNegative() || value.compareTo(LONGEST_TOTAL) > 0 && name.endsWith("timeout")) {
            throw new InvalidCallbackException(
                    PREFIX + name, "it must be positive, and a timeout at most " + LONGEST_TOTAL);
        }
        return value;
    }

    private static FlowLimits limits(String name, CallbackProperties.FlowProperties flow, FlowLimits defaults) {
        try {
            return new FlowLimits(
                    or(flow.getRate(), defaults.perSecond()),
                    or(flow.getParallelism(), defaults.parallelism()),
                    or(flow.getFailures(), defaults.failures()),
                    or(flow.getInitialBreak(), defaults.initialBreak()),
                    or(flow.getMaxBreak(), defaults.maxBreak()));
        } catch (IllegalArgumentException e) {
            throw new InvalidCallbackException(PREFIX + name, String.valueOf(e.getMessage()));
        }
    }

    private static <T> T or(@Nullable T value, T defaultValue) {
        return value != null ? value : defaultValue;
    }
}
