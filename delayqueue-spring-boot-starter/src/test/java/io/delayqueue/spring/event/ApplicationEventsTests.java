package io.delayqueue.spring.event;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.testsupport.Contexts;
import io.delayqueue.spring.testsupport.Received;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.event.EventListener;
import org.springframework.data.redis.core.StringRedisTemplate;

/** Contents of application events; slow event listeners block no consumer. */
@ExtendWith(EmbeddedRedisExtension.class)
class ApplicationEventsTests {

    private ApplicationContextRunner runner = Contexts.runner();

    @BeforeEach
    void useRedis(EmbeddedRedis redis) {
        runner = Contexts.runner(redis).withBean(Events.class);
    }

    @Test
    void deadLetterIsAnEvent() {
        runner.withBean(Fails.class).run(context -> {
            String id = context.getBean(DelayQueueOperations.class).schedule("work", "w", Duration.ZERO);

            Events events = context.getBean(Events.class);
            assertThat(events.received.first()).isInstanceOfSatisfying(MessageDeadLetteredEvent.class, event -> {
                assertThat(event.topic()).isEqualTo("work");
                assertThat(event.id()).isEqualTo(id);
                assertThat(event.attempts()).isEqualTo(2);
                assertThat(event.error()).contains("failed on purpose");
            });
            assertThat(events.threads.first().getName()).startsWith("delayqueue-events-");
        });
    }

    @Test
    void expiryIsAnEvent() {
        runner.withBean(Fails.class).run(context -> {
            String id = context.getBean(DelayQueueOperations.class)
                    .message("work", "w")
                    .dueAt(Instant.now().minusSeconds(60))
                    .timeToLive(Duration.ofSeconds(1))
                    .schedule()
                    .id();

            assertThat(context.getBean(Events.class).received.first()).isEqualTo(new MessageExpiredEvent("work", id));
        });
    }

    @Test
    void lostLeaseIsAnEvent() {
        runner.withBean(Stuck.class)
                .withPropertyValues("delayqueue.listener.lease=300ms", "delayqueue.shutdown-timeout=0s")
                .run(context -> {
                    String id = context.getBean(DelayQueueOperations.class).schedule("stuck", "w", Duration.ZERO);
                    context.getBean(Stuck.class).started.await();

                    // another consumer takes the message over, as it would after a long pause of this process
                    StringRedisTemplate redis = context.getBean(StringRedisTemplate.class);
                    redis.opsForZSet().add("dq:{stuck:0}:leased", id, 1);

                    assertThat(context.getBean(Events.class).received.first())
                            .isInstanceOfSatisfying(LeaseLostEvent.class, event -> {
                                assertThat(event.topic()).isEqualTo("stuck");
                                assertThat(event.id()).isEqualTo(id);
                                assertThat(event.attempt()).isOne();
                            });
                });
    }

    @Test
    void slowEventListenerBlocksNoConsumerAndFurtherEventsAreDropped() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        Received<Object> published = new Received<>();
        EventPublishingObserver observer = new EventPublishingObserver(event -> {
            awaitQuietly(release);
            published.add(event);
        });
        int events = EventPublishingObserver.MAX_QUEUED_EVENTS + 1;

        IntStream.range(0, events + 5).forEach(n -> observer.expired("work", String.valueOf(n)));

        assertThat(observer.dropped()).isEqualTo(5);
        release.countDown();
        assertThat(published.await(events)).hasSize(events).startsWith(new MessageExpiredEvent("work", "0"));
        observer.destroy();
        observer.expired("work", "after the end");
        assertThat(published.all()).hasSize(events);
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static class Events {
        final Received<Object> received = new Received<>();
        final Received<Thread> threads = new Received<>();

        @EventListener({MessageDeadLetteredEvent.class, MessageExpiredEvent.class, LeaseLostEvent.class})
        void on(Object event) {
            threads.add(Thread.currentThread());
            received.add(event);
        }
    }

    static class Fails {
        @DelayQueueListener(topic = "work", maxAttempts = "2")
        void on(String work) {
            throw new IllegalStateException("failed on purpose");
        }
    }

    static class Stuck {
        final CountDownLatch started = new CountDownLatch(1);

        @DelayQueueListener(topic = "stuck")
        void on(String work) throws InterruptedException {
            started.countDown();
            new CountDownLatch(1).await();
        }
    }
}
