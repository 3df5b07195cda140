package io.delayqueue.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.Delivery;
import io.delayqueue.MessageHandler;
import io.delayqueue.ReceivedMessage;
import io.delayqueue.TopicStats;
import io.delayqueue.spring.DelayQueueMessage;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.PayloadConverter;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.testsupport.Contexts;
import io.delayqueue.spring.testsupport.Received;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.io.IOException;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.LoggerFactory;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Failures that are not the listener's own: of what surrounds its method, by its timeout, and by a stop. */
@ExtendWith({EmbeddedRedisExtension.class, OutputCaptureExtension.class})
class SurroundingFailuresTests {

    private ApplicationContextRunner runner = Contexts.runner();

    @BeforeEach
    void useRedis(EmbeddedRedis redis) {
        runner = Contexts.runner(redis);
    }

    @Test
    void timeoutGetsAnotherAttemptThoughRetryForDoesNotNameIt() {
        isHandledInTheSecondAttempt(runner.withBean("listener", SlowAtFirst.class));
    }

    @Test
    void failingConverterGetsAnotherAttemptThoughRetryForDoesNotNameIt() {
        isHandledInTheSecondAttempt(
                runner.withBean("listener", RetriesIo.class).withBean(PayloadConverter.class, FailsAtFirst::new));
    }

    @Test
    void failingInterceptorGetsAnotherAttemptThoughRetryForDoesNotNameIt() {
        isHandledInTheSecondAttempt(runner.withBean("listener", RetriesIo.class)
                .withBean(DelayQueueInterceptor.class, () -> SurroundingFailuresTests::failAtFirst));
    }

    private static void isHandledInTheSecondAttempt(ApplicationContextRunner runner) {
        runner.run(context -> {
            context.getBean(DelayQueueOperations.class).schedule("work", "w", Duration.ZERO);

            DelayQueueClient client = context.getBean(DelayQueueClient.class);
            await().until(() ->
                    client.stats("work").totals().acked() + client.stats("work").dead() == 1);
            assertThat(client.stats("work").dead()).isZero();
            assertThat(client.stats("work").totals().retried()).isOne();
        });
    }

    private static void failAtFirst(ReceivedMessage message, Delivery delivery, MessageHandler next) throws Exception {
        if (message.attempt() == 1) {
            throw new IllegalStateException("no tenant");
        }
        next.handle(message, delivery);
    }

    @Test
    void workThatAStopInterruptsIsReleasedWhateverTheErrorHandlerDoes(CapturedOutput output) {
        Logger log = (Logger) LoggerFactory.getLogger(FailureLog.class);
        log.setLevel(Level.WARN);
        try {
            runner.withBean("listener", WrapsInterrupts.class)
                    .withBean(
                            ListenerErrorHandler.class,
                            () -> (message, failure, delivery) -> delivery.deadLetter("given up"))
                    .withPropertyValues("delayqueue.shutdown-timeout=1s")
                    .run(context -> {
                        context.getBean(DelayQueueOperations.class).schedule("work", "w", Duration.ZERO);
                        context.getBean(WrapsInterrupts.class).started.await(1);
                        context.getSourceApplicationContext().close();
                    });
        } finally {
            log.setLevel(null);
        }

        runner.run(context -> {
            TopicStats stats = context.getBean(DelayQueueClient.class).stats("work");
            assertThat(stats.dead()).isZero();
            assertThat(stats.pending().ready()).isOne();
        });
        assertThat(output).doesNotContain("Attempt 1 of");
    }

    static class SlowAtFirst {
        @DelayQueueListener(topic = "work", timeout = "1s", retryFor = IOException.class)
        void on(DelayQueueMessage<String> work) throws InterruptedException {
            if (work.attempt() == 1) {
                new CountDownLatch(1).await();
            }
        }
    }

    static class RetriesIo {
        @DelayQueueListener(topic = "work", retryFor = IOException.class, noRetryFor = IllegalStateException.class)
        void on(String work) {}
    }

    static class WrapsInterrupts {
        final Received<String> started = new Received<>();

        @DelayQueueListener(topic = "work")
        void on(String work) {
            started.add(work);
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                throw new IllegalStateException("interrupted", e);
            }
        }
    }

    private static final class FailsAtFirst implements PayloadConverter {

        private final AtomicInteger calls = new AtomicInteger();

        @Override
        public byte[] toBytes(Object payload) {
            return payload.toString().getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public Object fromBytes(byte[] bytes, Type type) {
            if (calls.getAndIncrement() == 0) {
                throw new IllegalStateException("registry is away");
            }
            return new String(bytes, StandardCharsets.UTF_8);
        }
    }
}
