package io.delayqueue.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.autoconfigure.DelayQueueObservationAutoConfiguration;
import io.delayqueue.spring.testsupport.Contexts;
import io.delayqueue.spring.testsupport.Received;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Each failed attempt of a listener has its line in the log, in the trace of the attempt. */
@ExtendWith(EmbeddedRedisExtension.class)
class FailureLogTests {

    private final Logger logger = (Logger) LoggerFactory.getLogger("io.delayqueue");
    private final Lines lines = new Lines();
    private ApplicationContextRunner runner = Contexts.runner();

    @BeforeEach
    void useRedis(EmbeddedRedis redis) {
        lines.start();
        logger.addAppender(lines);
        logger.setLevel(Level.WARN);
        ObservationRegistry observations = ObservationRegistry.create();
        observations.observationConfig().observationHandler(new TraceIdInMdc());
        runner = Contexts.runner(redis)
                .withConfiguration(AutoConfigurations.of(DelayQueueObservationAutoConfiguration.class))
                .withBean(ObservationRegistry.class, () -> observations)
                .withBean(Failing.class);
    }

    @AfterEach
    void resetLogger() {
        logger.detachAppender(lines);
        logger.setLevel(Level.ERROR);
    }

    @Test
    void eachFailedAttemptIsAWarningWithoutAStackAndWithTheTraceId() {
        failThreeTimes(runner);

        List<ILoggingEvent> attempts = lines.ofAttempts();
        assertThat(attempts)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly(
                        "Attempt 1 of 3 of message 'w-1' of topic 'work' failed: java.lang.IllegalStateException: no mail",
                        "Attempt 2 of 3 of message 'w-1' of topic 'work' failed: java.lang.IllegalStateException: no mail",
                        "Attempt 3 of 3 of message 'w-1' of topic 'work' failed: java.lang.IllegalStateException: no mail");
        assertThat(attempts).allSatisfy(line -> {
            assertThat(line.getLevel()).isEqualTo(Level.WARN);
            assertThat(line.getThrowableProxy()).isNull();
            assertThat(line.getMDCPropertyMap())
                    .containsEntry("traceId", "trace-of-w-1")
                    .containsEntry("delayqueue.topic", "work")
                    .containsEntry("delayqueue.message.id", "w-1");
        });
        assertThat(attempts)
                .extracting(line -> line.getMDCPropertyMap().get("delayqueue.message.attempt"))
                .containsExactly("1", "2", "3");
        assertThat(lines.all.stream()
                        .map(ILoggingEvent::getFormattedMessage)
                        .filter(line -> line.contains("is dead-lettered")))
                .hasSize(1);
    }

    @Test
    void timeoutIsAWarningToo() {
        Slow slow = new Slow();
        runner.withBean("slow", Slow.class, () -> slow)
                .withPropertyValues("delayqueue.listener.timeout=50ms", "delayqueue.listener.max-attempts=1")
                .run(context -> {
                    context.getBean(DelayQueueOperations.class).schedule("slow", "w", Duration.ZERO);

                    await().until(() -> lines.all.stream()
                            .anyMatch(line -> line.getLevel() == Level.WARN
                                    && line.getFormattedMessage()
                                            .contains("failed: the handler took longer than PT0.05S")));
                });
    }

    @Test
    void stackTraceIsLoggedIfThePropertySaysSo() {
        failThreeTimes(runner.withPropertyValues("delayqueue.listener.log-failures=stack-trace"));

        assertThat(lines.ofAttempts())
                .hasSize(3)
                .allSatisfy(line ->
                        assertThat(line.getThrowableProxy().getMessage()).isEqualTo("no mail"));
    }

    @Test
    void nothingIsLoggedOfAttemptsIfThePropertySaysSo() {
        failThreeTimes(runner.withPropertyValues("delayqueue.listener.log-failures=none"));

        assertThat(lines.ofAttempts()).isEmpty();
    }

    @Test
    void interruptOfSomebodyElseIsAFailureLikeAnyOther() {
        Received<Throwable> decided = new Received<>();
        runner.withBean("interrupted", InterruptedElsewhere.class)
                .withBean(ListenerErrorHandler.class, () -> (message, failure, delivery) -> decided.add(failure))
                .run(context -> {
                    context.getBean(DelayQueueOperations.class).schedule("elsewhere", "w", Duration.ZERO);

                    assertThat(decided.first()).hasMessage("pool was closed");
                    assertThat(lines.ofAttempts())
                            .singleElement()
                            .satisfies(line ->
                                    assertThat(line.getFormattedMessage()).contains("pool was closed"));
                });
    }

    private static void failThreeTimes(ApplicationContextRunner runner) {
        runner.run(context -> {
            context.getBean(DelayQueueOperations.class)
                    .message("work", "w")
                    .id("w-1")
                    .delay(Duration.ZERO)
                    .schedule();
            await().until(() ->
                    context.getBean(DelayQueueClient.class).stats("work").dead() == 1);
        });
    }

    static class Failing {

        @DelayQueueListener(topic = "work")
        void on(String work) {
            throw new IllegalStateException("no mail");
        }
    }

    static class InterruptedElsewhere {

        @DelayQueueListener(topic = "elsewhere")
        void on(String work) {
            throw new IllegalStateException("pool was closed", new InterruptedException());
        }
    }

    static class Slow {

        @DelayQueueListener(topic = "slow")
        void on(String work) throws InterruptedException {
            new CountDownLatch(1).await();
        }
    }

    /** As the bridges of Micrometer Tracing do. */
    private static final class TraceIdInMdc implements ObservationHandler<Observation.Context> {

        @Override
        public boolean supportsContext(Observation.Context context) {
            return true;
        }

        @Override
        public void onScopeOpened(Observation.Context context) {
            MDC.put(
                    "traceId",
                    "trace-of-"
                            + context.getHighCardinalityKeyValue("delayqueue.message.id")
                                    .getValue());
        }

        @Override
        public void onScopeClosed(Observation.Context context) {
            MDC.remove("traceId");
        }
    }

    private static final class Lines extends AppenderBase<ILoggingEvent> {

        final List<ILoggingEvent> all = new CopyOnWriteArrayList<>();

        @Override
        protected void append(ILoggingEvent event) {
            event.prepareForDeferredProcessing();
            all.add(event);
        }

        List<ILoggingEvent> ofAttempts() {
            return all.stream()
                    .filter(line -> line.getFormattedMessage().startsWith("Attempt "))
                    .toList();
        }
    }
}
