package io.delayqueue.spring.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.testsupport.Contexts;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.distribution.CountAtBucket;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Histograms of timers: fixed buckets, the application's own, or none. */
@ExtendWith(EmbeddedRedisExtension.class)
class HistogramsTests {

    private ApplicationContextRunner runner = Contexts.runner();

    @BeforeEach
    void useRedis(EmbeddedRedis redis) {
        runner = Metered.runner(redis).withBean(Metered.Listener.class);
    }

    @Test
    void timersHaveFixedBucketsFromAMillisecondToSixHours() {
        runner.run(context -> {
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            context.getBean(DelayQueueOperations.class).schedule("work", "w", Duration.ZERO);
            await().until(() -> registry.find("delayqueue.listener").timer() != null);

            for (String timer : new String[] {"delayqueue.delivery.lag", "delayqueue.listener"}) {
                CountAtBucket[] buckets =
                        registry.get(timer).timer().takeSnapshot().histogramCounts();
                assertThat(Arrays.stream(buckets).map(bucket -> bucket.bucket(TimeUnit.MILLISECONDS)))
                        .as(timer)
                        .startsWith(1.0, 5.0, 10.0)
                        .endsWith(
                                Duration.ofHours(1).toMillis() * 1.0,
                                Duration.ofHours(6).toMillis() * 1.0)
                        .hasSize(14);
            }
            assertThat(registry.get("delayqueue.redis.call")
                            .timer()
                            .takeSnapshot()
                            .histogramCounts())
                    .isEmpty();
        });
    }

    @Test
    void histogramsCanBeSwitchedOff() {
        runner.withPropertyValues("delayqueue.metrics.histograms=false").run(context -> {
            context.getBean(DelayQueueOperations.class).schedule("work", "w", Duration.ZERO);
            MeterRegistry registry = context.getBean(MeterRegistry.class);

            Timer lag =
                    await().until(() -> registry.find("delayqueue.delivery.lag").timer(), timer -> timer != null);

            assertThat(lag.takeSnapshot().histogramCounts()).isEmpty();
        });
    }

    @Test
    void theApplicationsOwnBucketsWin() {
        runner.withPropertyValues("management.metrics.distribution.slo.delayqueue.delivery.lag=2s,3s")
                .run(context -> {
                    context.getBean(DelayQueueOperations.class).schedule("work", "w", Duration.ZERO);
                    MeterRegistry registry = context.getBean(MeterRegistry.class);

                    Timer lag = await().until(
                                    () -> registry.find("delayqueue.delivery.lag")
                                            .timer(),
                                    timer -> timer != null);

                    assertThat(Arrays.stream(lag.takeSnapshot().histogramCounts())
                                    .map(bucket -> bucket.bucket(TimeUnit.SECONDS)))
                            .containsExactly(2.0, 3.0);
                });
    }
}
