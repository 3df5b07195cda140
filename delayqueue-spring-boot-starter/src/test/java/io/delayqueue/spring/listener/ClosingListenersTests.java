package io.delayqueue.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.TopicStats;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.testsupport.Contexts;
import io.delayqueue.spring.testsupport.Received;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** An application that closes stops its listeners at the same time, and loses and delays nothing. */
@ExtendWith(EmbeddedRedisExtension.class)
class ClosingListenersTests {

    private ApplicationContextRunner runner = Contexts.runner();

    @BeforeEach
    void useRedis(EmbeddedRedis redis) {
        runner = Contexts.runner(redis);
    }

    @Test
    void closingUnderLoadHandlesNothingTwiceAndDelaysNothingByALease() {
        // the first instance would need 25 seconds for all of them
        int messages = 10_000;
        Received<String> handled = new Received<>();
        List<String> payloads =
                IntStream.range(0, messages).mapToObj(String::valueOf).toList();
        ApplicationContextRunner instance =
                runner.withPropertyValues("delayqueue.listener.lease=10m", "delayqueue.listener.concurrency=8");
        instance.withBean("listener", LoadListener.class, () -> new LoadListener(handled, Duration.ofMillis(20)))
                .run(context -> {
                    context.getBean(DelayQueueOperations.class).scheduleAll("load", payloads, Duration.ZERO);
                    handled.await(200);
                });
        int before = handled.all().size();
        assertThat(before).isLessThan(messages);

        instance.withBean("listener", LoadListener.class, () -> new LoadListener(handled, Duration.ZERO))
                .run(context -> {
                    DelayQueueClient client = context.getBean(DelayQueueClient.class);
                    await().atMost(Duration.ofSeconds(50))
                            .until(() -> client.stats("load").totals().acked() == messages);
                    TopicStats stats = client.stats("load");
                    assertThat(stats.totals().retried()).isZero();
                    assertThat(stats.unaccounted()).isZero();
                });
        assertThat(handled.all()).hasSize(messages);
        assertThat(Set.copyOf(handled.all())).hasSize(messages);
    }

    @Test
    void listenersAreStoppedAtTheSameTime() {
        CountDownLatch bothInterrupted = new CountDownLatch(2);
        runner.withBean("stuck", StuckListener.class, () -> new StuckListener(bothInterrupted))
                .withPropertyValues("delayqueue.shutdown-timeout=4s")
                .run(context -> {
                    DelayQueueOperations template = context.getBean(DelayQueueOperations.class);
                    template.schedule("one", "w", Duration.ZERO);
                    template.schedule("two", "w", Duration.ZERO);
                    context.getBean(StuckListener.class).started.await(2);

                    long before = System.nanoTime();
                    context.getSourceApplicationContext().close();

                    assertThat(Duration.ofNanos(System.nanoTime() - before))
                            .as("time of both stops; one takes 4 s")
                            .isLessThan(Duration.ofMillis(7900));
                    assertThat(bothInterrupted.getCount()).isZero();
                });
        runner.run(context -> {
            for (String topic : List.of("one", "two")) {
                TopicStats stats = context.getBean(DelayQueueClient.class).stats(topic);
                assertThat(stats.pending().ready())
                        .as("released, with no lease to wait for")
                        .isOne();
                assertThat(stats.inFlight()).isZero();
            }
        });
    }

    static class LoadListener {
        private final Received<String> handled;
        private final Duration time;

        LoadListener(Received<String> handled, Duration time) {
            this.handled = handled;
            this.time = time;
        }

        @DelayQueueListener(topic = "load")
        void on(String work) {
            LockSupport.parkNanos(time.toNanos());
            handled.add(work);
        }
    }

    static class StuckListener {
        final Received<String> started = new Received<>();
        private final CountDownLatch interrupted;

        StuckListener(CountDownLatch interrupted) {
            this.interrupted = interrupted;
        }

        @DelayQueueListener(topic = "one")
        @DelayQueueListener(topic = "two")
        void on(String work) throws InterruptedException {
            started.add(work);
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                interrupted.countDown();
                throw e;
            }
        }
    }
}
