package io.delayqueue.spring.operator;

import static org.awaitility.Awaitility.await;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.operator.BulkJob.State;
import io.delayqueue.spring.testsupport.Contexts;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** The frame of tests that redrive and purge many messages. */
@ExtendWith(EmbeddedRedisExtension.class)
@Tag("slow")
abstract class BulkFixture {

    static final String TOPIC = "work";
    static final Duration HOUR = Duration.ofHours(1);
    static final Caller BOSS = new Caller("boss", EnumSet.allOf(Right.class));
    static final Caller CLERK = new Caller("clerk", Set.of(Right.VIEW, Right.OPERATE));
    final Queue<OperatorEvent> events = new ConcurrentLinkedQueue<>();
    private ApplicationContextRunner runner = Contexts.runner();

    @BeforeEach
    void useRedis(EmbeddedRedis redis) {
        runner = Contexts.runner(redis)
                .withBean("listener", Listener.class)
                .withBean(OperatorListener.class, () -> events::add);
    }

    void run(Consumer<Fixture> test) {
        runner.run(context -> test.accept(new Fixture(context)));
    }

    static final class Fixture {

        final DelayQueueClient client;
        final BulkOperations bulk;

        Fixture(ApplicationContext context) {
            this.client = context.getBean(DelayQueueClient.class);
            this.bulk = context.getBean(DelayQueueOperator.class).bulk();
        }

        BulkPlan plan(Operation operation, @Nullable Instant until, @Nullable String group) {
            return bulk.plan(BOSS, new BulkRequest(operation, TOPIC, until, group));
        }

        BulkJob end(BulkJob job) {
            await().until(() -> bulk.job(BOSS, job.token()).orElseThrow().state() != State.RUNNING);
            return bulk.job(BOSS, job.token()).orElseThrow();
        }

        void schedule(String topic, int from, int to, Instant due) {
            client.scheduleAll(IntStream.range(from, to)
                    .mapToObj(i -> OutgoingMessage.to(topic)
                            .id("m-" + i)
                            .payload(new byte[] {'1'})
                            .dueAt(due)
                            .build())
                    .toList());
        }

        /** Has messages dead-lettered. */
        void kill(int from, int to) {
            deadLetter(IntStream.range(from, to).mapToObj(i -> "m-" + i).toArray(String[]::new));
        }

        void deadLetter(String... ids) {
            long before = client.stats(TOPIC).dead();
            for (String id : ids) {
                client.scheduleAll(List.of(OutgoingMessage.to(TOPIC)
                        .id(id)
                        .payload(id.getBytes(StandardCharsets.UTF_8))
                        .build()));
            }
            await().until(() -> client.stats(TOPIC).dead() == before + ids.length);
        }
    }

    static class Listener {
        @DelayQueueListener(topic = TOPIC, maxAttempts = "1")
        void on(String work) {
            throw new IllegalStateException(
                    work.startsWith("timeout") ? "timed out after 100 ms" : "can't read " + work.substring(2));
        }
    }
}
