package io.delayqueue.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.delayqueue.RedisAccessDeniedException;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.actuate.DelayQueueEndpoint;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.health.DelayQueueHealthIndicator;
import io.delayqueue.spring.testsupport.Contexts;
import io.delayqueue.spring.testsupport.DocumentedUser;
import io.delayqueue.spring.testsupport.Received;
import io.delayqueue.test.EmbeddedRedis;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** The password of a Redis URL is shown nowhere, neither while all goes well nor after a failure. */
@Tag("slow")
@ExtendWith(OutputCaptureExtension.class)
class SecretsTests {

    private static final String PASSWORD = "open-sesame-7f3a";

    private final Logger logger = (Logger) LoggerFactory.getLogger("io.delayqueue");
    private final EmbeddedRedis redis = EmbeddedRedis.start();
    private Level level;

    @BeforeEach
    void logAll() {
        level = logger.getLevel();
        logger.setLevel(Level.TRACE);
        DocumentedUser.create(redis, "resetpass >" + PASSWORD);
    }

    @AfterEach
    void stop() {
        logger.setLevel(level);
        redis.close();
    }

    @Test
    void passwordIsNotShownWhileItIsRefused(CapturedOutput output) {
        runner().run(context -> {
            assertThat(context).hasNotFailed();
            // to connect may take longer than a command
            soon().ignoreExceptions()
                    .until(() -> !context.getBean(DelayQueueOperations.class)
                            .schedule("work", "before", Duration.ZERO)
                            .isEmpty());
            assertThat(context.getBean(Listener.class).received.first()).isEqualTo("before");
            assertNoSecretIsShown(context);

            DocumentedUser.create(redis, "resetpass >another");
            DocumentedUser.disconnect(redis);
            soon().until(() -> refusal(context) instanceof RedisAccessDeniedException);
            soon().until(() -> health(context).getStatus().equals(Status.DOWN));
            soon().until(() -> output.toString().contains("WRONGPASS"));
            assertNoSecretIsShown(context);

            DocumentedUser.create(redis, "resetpass >" + PASSWORD);
            soon().until(() -> refusal(context) == null);
            soon().until(() -> health(context).getStatus().equals(Status.UP));
            soon().until(() -> context.getBean(Listener.class).received.all().contains("probe"));
        });
        assertThat(output).doesNotContain(PASSWORD);
    }

    @Test
    void passwordIsNotShownWhileTheServerIsUnavailable(CapturedOutput output) {
        redis.kill();
        runner().run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(refusal(context)).isNotNull();
            assertThat(health(context).getStatus()).isEqualTo(Status.DOWN);
            assertNoSecretIsShown(context);
        });
        assertThat(output).contains("Starting without Redis").doesNotContain(PASSWORD);
    }

    private ApplicationContextRunner runner() {
        return Contexts.runner()
                .withConfiguration(AutoConfigurations.of(
                        DelayQueueHealthContributorAutoConfiguration.class, DelayQueueEndpointAutoConfiguration.class))
                .withPropertyValues(
                        "spring.data.redis.url=redis://" + DocumentedUser.NAME + ":" + PASSWORD + "@127.0.0.1:"
                                + redis.port(),
                        "management.endpoints.web.exposure.include=*",
                        "delayqueue.command-timeout=1s",
                        "delayqueue.guard-interval=200ms")
                .withBean(Listener.class);
    }

    private static Throwable refusal(AssertableApplicationContext context) {
        return catchThrowable(
                () -> context.getBean(DelayQueueOperations.class).schedule("work", "probe", Duration.ZERO));
    }

    private static Health health(AssertableApplicationContext context) {
        return context.getBean(DelayQueueHealthIndicator.class).health();
    }

    private static void assertNoSecretIsShown(AssertableApplicationContext context) {
        DelayQueueEndpoint endpoint = context.getBean(DelayQueueEndpoint.class);
        assertThat(health(context).toString()).doesNotContain(PASSWORD);
        assertThat(text(refusal(context))).doesNotContain(PASSWORD);
        for (var ask : new Asking[] {
            () -> endpoint.read(null, null, null, null, null, null, null, null),
            () -> endpoint.read("work", null, null, null, null, null, null, null)
        }) {
            try {
                assertThat(ask.ask().toString()).doesNotContain(PASSWORD);
            } catch (RuntimeException e) {
                assertThat(text(e)).doesNotContain(PASSWORD);
            }
        }
        for (String name : context.getBeanDefinitionNames()) {
            Object bean = context.getBean(name);
            if (bean.getClass().getName().startsWith("io.delayqueue.")) {
                assertThat(bean.toString()).as(name).doesNotContain(PASSWORD);
            }
        }
    }

    private static String text(Throwable error) {
        StringWriter text = new StringWriter();
        if (error != null) {
            error.printStackTrace(new PrintWriter(text));
        }
        return text.toString();
    }

    private static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(50));
    }

    private interface Asking {

        Object ask();
    }

    static class Listener {

        final Received<String> received = new Received<>();

        @DelayQueueListener(topic = "work")
        void handle(String payload) {
            received.add(payload);
        }
    }
}
