package io.delayqueue.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.annotation.RetryBackoff;
import io.delayqueue.spring.autoconfigure.DelayQueueAutoConfiguration;
import io.delayqueue.spring.autoconfigure.DelayQueueJacksonAutoConfiguration;
import io.delayqueue.spring.autoconfigure.DelayQueueListenerAutoConfiguration;
import io.delayqueue.spring.testsupport.Contexts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.LoggerFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.util.TestSocketUtils;

/** An invalid listener fails the start with class, method and attribute. No Redis is needed. */
@ExtendWith(OutputCaptureExtension.class)
class InvalidListenersTests {

    private final ApplicationContextRunner runner = Contexts.runner(TestSocketUtils.findAvailableTcpPort());

    @Test
    void blankTopic() {
        StartFailures.failsFor(runner, BlankTopic.class, "topic", "is blank");
        StartFailures.failsFor(runner, NoTopic.class, "topic", "is blank");
    }

    @Test
    void impossibleTopic() {
        StartFailures.failsFor(runner, TopicWithBraces.class, "topic", "brace");
    }

    @Test
    void unresolvablePlaceholder() {
        StartFailures.failsFor(runner, UnknownPlaceholder.class, "topic", "can't resolve '${no.such.property}'");
    }

    @Test
    void brokenExpression() {
        StartFailures.failsFor(runner, BrokenExpression.class, "concurrency", "can't resolve '#{@nobody.size}'");
    }

    @Test
    void unknownContainerFactory() {
        StartFailures.failsFor(
                runner,
                UnknownContainerFactory.class,
                "containerFactory",
                "there is no DelayQueueListenerContainerFactory bean named 'nobody'");
    }

    @Test
    void leaseShorterThanTwiceClaimAheadIsRefused() {
        StartFailures.failsFor(
                runner.withPropertyValues("delayqueue.claim-ahead=1s"),
                ShortLease.class,
                "lease",
                "must be at least twice delayqueue.claim-ahead (PT1S), but is PT1S, by this attribute or delayqueue.listener.lease");
    }

    @Test
    void zeroLease() {
        StartFailures.failsFor(runner, ZeroLease.class, "lease", "lease must be PT0.1S to PT24H, not PT0S");
    }

    @Test
    void unparsableDuration() {
        StartFailures.failsFor(runner, UnparsableLease.class, "lease", "'soon' is not a duration such as 30s");
    }

    @Test
    void unparsableNumber() {
        StartFailures.failsFor(runner, UnparsableConcurrency.class, "concurrency", "'many' is not a whole number");
        StartFailures.failsFor(
                runner,
                UnparsableMaxAttempts.class,
                "maxAttempts",
                "'3.5' (from '${attempts:3.5}') is not a whole number");
        StartFailures.failsFor(runner, UnparsableMultiplier.class, "backoff.multiplier", "'twice' is not a number");
    }

    @Test
    void numberOutOfRange() {
        StartFailures.failsFor(runner, ZeroConcurrency.class, "concurrency", "concurrency must be 1 to 10,000, not 0");
        StartFailures.failsFor(runner, NegativeTimeout.class, "timeout", "timeout must be positive");
        StartFailures.failsFor(runner, ZeroAttempts.class, "maxAttempts", "maxAttempts must be 1 to 1,000,000, not 0");
    }

    @Test
    void unparsableFlag() {
        StartFailures.failsFor(runner, UnparsableAutoStartup.class, "autoStartup", "'yes' is not true or false");
    }

    @Test
    void backoffOutOfRange() {
        StartFailures.failsFor(runner, ShrinkingBackoff.class, "backoff", "multiplier must be at least 1, not 0.5");
        StartFailures.failsFor(runner, DelaysBesideInitial.class, "backoff", "delays beside initial");
    }

    @Test
    void duplicateId() {
        runner.withBean("one", SameId.class)
                .withBean("two", SameId.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .isInstanceOf(InvalidListenerException.class)
                        .hasMessage("listener 'closer' of topic 'work' (" + SameId.class.getName()
                                + ".on(String)), id: 'closer' is taken by " + SameId.class.getName() + ".on(String)"));
    }

    @Test
    void contradictingListenersOfOneTopicAreWarnedOfOnce(CapturedOutput output) {
        Logger logger = (Logger) LoggerFactory.getLogger(DelayQueueListenerEndpointRegistry.class);
        logger.setLevel(Level.WARN);
        runner.withBean("one", SharesTopic.class)
                .withBean("two", SharesTopicToo.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(output)
                            .containsOnlyOnce("Two listeners of topic 'shared' differ in"
                                    + " lease (PT10S, PT20S), maxAttempts (3, 4), backoff. Either may get a message");
                });
        logger.setLevel(null);
    }

    @Test
    void failureHasADescriptionAndAnAction(CapturedOutput output) {
        SpringApplication application = new SpringApplication(InvalidApplication.class);
        application.setWebApplicationType(WebApplicationType.NONE);

        assertThatException().isThrownBy(application::run);

        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("A @DelayQueueListener is invalid:")
                .contains("Method: " + ZeroLease.class.getName() + ".on(String)")
                .contains("Attribute: lease")
                .contains("Problem: lease must be PT0.1S to PT24H, not PT0S")
                .contains("Correct the listener");
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        DataRedisAutoConfiguration.class,
        DelayQueueAutoConfiguration.class,
        DelayQueueJacksonAutoConfiguration.class,
        DelayQueueListenerAutoConfiguration.class
    })
    static class InvalidApplication {
        @Bean
        ZeroLease listener() {
            return new ZeroLease();
        }
    }

    static class BlankTopic {
        @DelayQueueListener(topic = " ")
        void on(String work) {}
    }

    static class NoTopic {
        @DelayQueueListener
        void on(String work) {}
    }

    static class TopicWithBraces {
        @DelayQueueListener(topic = "a{b}")
        void on(String work) {}
    }

    static class UnknownPlaceholder {
        @DelayQueueListener(topic = "${no.such.property}")
        void on(String work) {}
    }

    static class BrokenExpression {
        @DelayQueueListener(topic = "work", concurrency = "#{@nobody.size}")
        void on(String work) {}
    }

    static class UnknownContainerFactory {
        @DelayQueueListener(topic = "work", containerFactory = "nobody")
        void on(String work) {}
    }

    static class ShortLease {
        @DelayQueueListener(topic = "work", lease = "1s")
        void on() {}
    }

    static class ZeroLease {
        @DelayQueueListener(topic = "work", lease = "0s")
        void on(String work) {}
    }

    static class UnparsableLease {
        @DelayQueueListener(topic = "work", lease = "soon")
        void on(String work) {}
    }

    static class UnparsableConcurrency {
        @DelayQueueListener(topic = "work", concurrency = "many")
        void on(String work) {}
    }

    static class UnparsableMaxAttempts {
        @DelayQueueListener(topic = "work", maxAttempts = "${attempts:3.5}")
        void on(String work) {}
    }

    static class UnparsableMultiplier {
        @DelayQueueListener(topic = "work", backoff = @RetryBackoff(multiplier = "twice"))
        void on(String work) {}
    }

    static class ZeroConcurrency {
        @DelayQueueListener(topic = "work", concurrency = "0")
        void on(String work) {}
    }

    static class NegativeTimeout {
        @DelayQueueListener(topic = "work", timeout = "-1s")
        void on(String work) {}
    }

    static class ZeroAttempts {
        @DelayQueueListener(topic = "work", maxAttempts = "0")
        void on(String work) {}
    }

    static class UnparsableAutoStartup {
        @DelayQueueListener(topic = "work", autoStartup = "yes")
        void on(String work) {}
    }

    static class ShrinkingBackoff {
        @DelayQueueListener(topic = "work", backoff = @RetryBackoff(multiplier = "0.5"))
        void on(String work) {}
    }

    static class DelaysBesideInitial {
        @DelayQueueListener(topic = "work", backoff = @RetryBackoff(initial = "1s", delays = "1s"))
        void on(String work) {}
    }

    static class SameId {
        @DelayQueueListener(topic = "work", id = "closer")
        void on(String work) {}
    }

    static class SharesTopic {
        @DelayQueueListener(topic = "shared", lease = "10s")
        void on(String work) {}
    }

    static class SharesTopicToo {
        @DelayQueueListener(
                topic = "shared",
                lease = "20s",
                maxAttempts = "4",
                backoff = @RetryBackoff(delays = {"1s", "2s"}))
        void on(String work) {}
    }
}
