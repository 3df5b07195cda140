package io.delayqueue.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.startup.StartupCheckException;
import io.delayqueue.spring.startup.StartupChecks;
import io.delayqueue.spring.testsupport.Contexts;
import io.delayqueue.spring.testsupport.DocumentedUser;
import io.delayqueue.spring.testsupport.SecondClient;
import io.delayqueue.test.EmbeddedRedis;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.LoggerFactory;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.util.TestSocketUtils;

/** An unusable server fails the start; a setting that endangers messages is a warning. Each test has its own server. */
@ExtendWith(OutputCaptureExtension.class)
class DelayQueueStartupChecksAutoConfigurationTests {

    private final Logger logger = (Logger) LoggerFactory.getLogger(StartupChecks.class.getPackageName());

    @BeforeEach
    void logWarnings() {
        logger.setLevel(Level.INFO);
    }

    @AfterEach
    void logNoWarnings() {
        logger.setLevel(null);
    }

    @Test
    void serverWithoutFindingsLogsNoWarning(CapturedOutput output) {
        try (EmbeddedRedis redis = EmbeddedRedis.builder().appendOnly().start()) {
            Contexts.runner(redis).run(context -> assertThat(context).hasNotFailed());
        }
        assertThat(output).doesNotContain("StartupChecks");
    }

    @Test
    void evictionAndMissingPersistenceAreWarnedOf(CapturedOutput output) {
        try (EmbeddedRedis redis = EmbeddedRedis.builder()
                .setting("maxmemory", "100mb")
                .setting("maxmemory-policy", "allkeys-lru")
                .start()) {
            Contexts.runner(redis).run(context -> assertThat(context).hasNotFailed());
        }
        assertThat(output)
                .containsOnlyOnce("its maxmemory-policy is allkeys-lru. Set it to noeviction.")
                .containsOnlyOnce("Redis has no persistence");
    }

    @Test
    void missingPermissionsFailTheStartAndAreNamed() {
        try (EmbeddedRedis redis = EmbeddedRedis.builder()
                .setting("user", "default", "on", "nopass", "~*", "&*", "+@all", "-zadd", "-hset")
                .start()) {
            Contexts.runner(redis.port())
                    .run(context -> assertThat(context)
                            .getFailure()
                            .rootCause()
                            .isInstanceOf(StartupCheckException.class)
                            .hasMessageContaining("zadd")
                            .hasMessageContaining("hset"));
        }
    }

    @Test
    void missingPermissionsForWakeUpsAreWarnedOf(CapturedOutput output) {
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            ApplicationContextRunner runner = Contexts.runner(redis);
            DocumentedUser.create(redis, "resetchannels");
            runner.run(context -> assertThat(context).hasNotFailed());
        }
        assertThat(output)
                .containsOnlyOnce("The Redis user lacks permissions for wake-ups: subscribe dq:*, publish dq:*.")
                .doesNotContain(DocumentedUser.password());
    }

    @Test
    void wrongPasswordFailsTheStart() {
        try (EmbeddedRedis redis =
                EmbeddedRedis.builder().setting("requirepass", "secret").start()) {
            Contexts.runner(redis.port())
                    .withPropertyValues("spring.data.redis.password=guess")
                    .run(context -> {
                        assertThat(context).hasFailed();
                        assertThat(context.getStartupFailure())
                                .hasStackTraceContaining(
                                        StartupCheckException.class.getName() + ": Redis denies access");
                    });
        }
    }

    @Test
    void unavailableServerFailsTheStartWithFailFast() {
        Contexts.runner(TestSocketUtils.findAvailableTcpPort())
                .withPropertyValues("delayqueue.fail-fast=true")
                .run(context -> {
                    assertThat(context).hasFailed();
                    assertThat(context.getStartupFailure())
                            .hasStackTraceContaining("Redis is unavailable, and delayqueue.fail-fast is on");
                });
    }

    @Test
    void unavailableServerIsLoggedOnceAndCheckedOnceItAnswers(CapturedOutput output) {
        try (EmbeddedRedis late = EmbeddedRedis.start()) {
            late.kill();
            Contexts.runner(late.port())
                    .withPropertyValues("delayqueue.guard-interval=100ms", "delayqueue.command-timeout=500ms")
                    .run(context -> {
                        assertThat(context).hasNotFailed();
                        late.restart();
                        await().atMost(Duration.ofSeconds(60))
                                .until(() -> output.toString().contains("Redis answers now"));
                    });
        }
        assertThat(output)
                .containsOnlyOnce("Starting without Redis")
                .containsOnlyOnce("Redis has no persistence")
                .containsOnlyOnce("Redis answers now");
    }

    @Test
    void serversOfAllClientsAreChecked(CapturedOutput output) {
        try (EmbeddedRedis redis = EmbeddedRedis.builder().appendOnly().start();
                EmbeddedRedis other = EmbeddedRedis.start()) {
            Contexts.runner(redis)
                    .withBean("second", SecondClient.class, () -> new SecondClient(other.port()))
                    .run(context -> assertThat(context).hasNotFailed());
            assertThat(output).containsOnlyOnce("secondClient: Redis has no persistence");

            other.kill();
            Contexts.runner(redis)
                    .withBean("second", SecondClient.class, () -> new SecondClient(other.port()))
                    .withPropertyValues("delayqueue.fail-fast=true")
                    .run(context -> assertThat(context.getStartupFailure())
                            .hasStackTraceContaining("secondClient: Redis is unavailable"));
        }
    }

    @Test
    void shutdownTimeoutThatSpringDoesNotWaitForIsWarnedOf(CapturedOutput output) {
        withListeners()
                .withPropertyValues(
                        "delayqueue.shutdown-timeout=18s", "spring.lifecycle.timeout-per-shutdown-phase=20s")
                .run(context -> assertThat(output)
                        .containsOnlyOnce(
                                "delayqueue.shutdown-timeout (PT18S) and the PT3S that a stop may take in addition"
                                        + " exceed spring.lifecycle.timeout-per-shutdown-phase (PT20S)"));
    }

    @Test
    void shutdownTimeoutIsComparedWithSpringsDefault(CapturedOutput output) {
        withListeners()
                .withPropertyValues("delayqueue.shutdown-timeout=27s")
                .run(context -> assertThat(output).doesNotContain("delayqueue.shutdown-timeout"));
        withListeners()
                .withPropertyValues("delayqueue.shutdown-timeout=28s")
                .run(context -> assertThat(output).contains("delayqueue.shutdown-timeout (PT28S) and the PT3S"));
    }

    @Test
    void shutdownTimeoutOfACustomizerIsWarnedOf(CapturedOutput output) {
        withListeners()
                .withBean(
                        DelayQueueOptionsCustomizer.class,
                        () -> options -> options.shutdownTimeout(Duration.ofMinutes(1)))
                .run(context -> assertThat(output).containsOnlyOnce("delayqueue.shutdown-timeout (PT1M) and the PT3S"));
    }

    @Test
    void shutdownTimeoutMattersToListenersOnly(CapturedOutput output) {
        Contexts.runner(TestSocketUtils.findAvailableTcpPort())
                .withPropertyValues("delayqueue.shutdown-timeout=1m")
                .run(context -> assertThat(output).doesNotContain("delayqueue.shutdown-timeout"));
    }

    private static ApplicationContextRunner withListeners() {
        return Contexts.runner(TestSocketUtils.findAvailableTcpPort()).withBean(TwoListeners.class);
    }

    @Test
    void checksBackOffWhenUserDefinesThem() {
        Contexts.runner(TestSocketUtils.findAvailableTcpPort())
                .withUserConfiguration(OwnChecks.class)
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(StartupChecks.class)
                        .hasBean("ownChecks"));
    }

    @Test
    void noChecksWhenDisabled() {
        Contexts.runner()
                .withPropertyValues("delayqueue.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(StartupChecks.class));
    }

    static class TwoListeners {
        @DelayQueueListener(topic = "one", autoStartup = "false")
        @DelayQueueListener(topic = "two", autoStartup = "false")
        void on(String work) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnChecks {
        @Bean
        StartupChecks ownChecks(DelayQueueClient client) {
            return new StartupChecks(Map.of("client", client), false, Duration.ofMinutes(1), 0);
        }
    }
}
