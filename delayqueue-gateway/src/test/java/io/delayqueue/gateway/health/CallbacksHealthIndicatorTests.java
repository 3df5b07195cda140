package io.delayqueue.gateway.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.gateway.autoconfigure.CallbacksHealthContributorAutoConfiguration;
import io.delayqueue.gateway.callback.CallbackTargets;
import io.delayqueue.gateway.callback.Callbacks;
import io.delayqueue.gateway.testsupport.CallbackContexts;
import io.delayqueue.test.EmbeddedRedis;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

@Tag("slow")
class CallbacksHealthIndicatorTests {

    /** It takes up to 27 s: the guard interval, the timeout of a claim, and the time for which a failure is none to report. */
    private static final Duration LONG = Duration.ofSeconds(90);

    private final EmbeddedRedis redis = EmbeddedRedis.start();

    @AfterEach
    void stopRedis() {
        redis.close();
    }

    private ApplicationContextRunner runner() {
        return CallbackContexts.runner(redis, 1, CallbacksHealthContributorAutoConfiguration.class);
    }

    @Test
    void unavailableTargetsAreDetailsAndChangeNoStatus() {
        runner().run(context -> {
            CallbacksHealthIndicator indicator = context.getBean(CallbacksHealthIndicator.class);
            context.getBean(CallbackTargets.class).pause("hook.example");

            Health health = indicator.health();
            assertThat(health.getStatus()).isEqualTo(Status.UP);
            assertThat(health.getDetails())
                    .containsEntry("running", true)
                    .containsEntry("pausedTargets", 1)
                    .containsEntry("stoppedTargets", 0)
                    .containsEntry("throttledTargets", 0)
                    .containsEntry("unhealthyTopics", List.of());
        });
    }

    @Test
    void isDownWhileRedisDoesNotAnswer() {
        runner().run(context -> {
            CallbacksHealthIndicator indicator = context.getBean(CallbacksHealthIndicator.class);
            redis.pause();
            try {
                await().atMost(LONG).until(() -> indicator.health().getStatus().equals(Status.DOWN));
                assertThat(indicator.health().getDetails()).containsEntry("unhealthyTopics", List.of("hooks"));
            } finally {
                redis.resume();
            }
            await().atMost(LONG).until(() -> indicator.health().getStatus().equals(Status.UP));
        });
    }

    @Test
    void isDownWhileCallbacksDoNotRun() {
        runner().run(context -> {
            context.getBean(Callbacks.class).stop();
            assertThat(context.getBean(CallbacksHealthIndicator.class).health().getStatus())
                    .isEqualTo(Status.DOWN);
            context.getBean(Callbacks.class).start();
            assertThat(context.getBean(CallbacksHealthIndicator.class).health().getStatus())
                    .isEqualTo(Status.UP);
        });
    }

    @Test
    void canBeSwitchedOffReplacedAndLeftOut() {
        runner().withPropertyValues("management.health.delayqueuecallbacks.enabled=false")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(CallbacksHealthIndicator.class));
        runner().withBean(
                        "delayqueueCallbacksHealthIndicator",
                        HealthIndicator.class,
                        () -> () -> Health.up().build())
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(CallbacksHealthIndicator.class));
        runner().withClassLoader(new FilteredClassLoader(HealthIndicator.class))
                .run(context ->
                        assertThat(context).hasNotFailed().doesNotHaveBean("delayqueueCallbacksHealthIndicator"));
    }
}
