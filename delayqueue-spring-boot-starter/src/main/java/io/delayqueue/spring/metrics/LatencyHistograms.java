package io.delayqueue.spring.metrics;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Stream;
import org.springframework.core.Ordered;

/**
 * Gives the timers {@code delayqueue.delivery.lag} and {@code delayqueue.listener} fixed buckets from 1 ms to 6 h, so that percentiles
 * over all instances can be computed. Micrometer's own histogram has 68 buckets, and ends at 30 s, which a late message exceeds.
 * Comes before all other filters, so that the application's own settings, such as {@code management.metrics.distribution.*}, win.
 */
public final class LatencyHistograms implements MeterFilter, Ordered {

    private static final Set<String> TIMERS = Set.of("delayqueue.delivery.lag", "delayqueue.listener");

    /** Few, since each topic has each of them twice. Around the limits that people set alarms on: 100 ms, 1 s, 1 min, 1 h. */
    private static final double[] BUCKETS_NANOS = Stream.of(
                    Duration.ofMillis(1),
                    Duration.ofMillis(5),
                    Duration.ofMillis(10),
                    Duration.ofMillis(50),
                    Duration.ofMillis(100),
                    Duration.ofMillis(500),
                    Duration.ofSeconds(1),
                    Duration.ofSeconds(5),
                    Duration.ofSeconds(30),
                    Duration.ofMinutes(1),
                    Duration.ofMinutes(5),
                    Duration.ofMinutes(15),
                    Duration.ofHours(1),
                    Duration.ofHours(6))
            .mapToDouble(Duration::toNanos)
            .toArray();

    /** Fixed buckets. */
    public LatencyHistograms() {}

    @Override
    public DistributionStatisticConfig configure(Meter.Id id, DistributionStatisticConfig config) {
        if (id.getType() != Meter.Type.TIMER || !TIMERS.contains(id.getName())) {
            return config;
        }
        return DistributionStatisticConfig.builder()
                .serviceLevelObjectives(BUCKETS_NANOS)
                .build()
                .merge(config);
    }

    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }
}
