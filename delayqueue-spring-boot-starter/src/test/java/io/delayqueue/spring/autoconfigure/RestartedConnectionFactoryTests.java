package io.delayqueue.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.Outbox;
import io.delayqueue.OutboxAnswer;
import io.delayqueue.OutboxOperation;
import io.delayqueue.OutboxOptions;
import io.delayqueue.OutboxReply;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.PartitionMark;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.listener.DelayQueueListenerContainer;
import io.delayqueue.spring.listener.DelayQueueListenerEndpointRegistry;
import io.delayqueue.spring.testsupport.Contexts;
import io.delayqueue.spring.testsupport.Received;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** A connection factory that is stopped and started by hand gets a working queue back. */
@ExtendWith(EmbeddedRedisExtension.class)
class RestartedConnectionFactoryTests {

    private ApplicationContextRunner runner = Contexts.runner();

    @BeforeEach
    void useRedis(EmbeddedRedis redis) {
        runner = Contexts.runner(redis).withBean("listener", Listener.class);
    }

    @Test
    void messagesAreScheduledAndHandledAgain() {
        runner.run(context -> {
            DelayQueueOperations queue = context.getBean(DelayQueueOperations.class);
            Received<String> received = context.getBean(Listener.class).received;
            queue.schedule("work", "before", Duration.ZERO);
            received.await(1);
            DelayQueueClient client = context.getBean(DelayQueueClient.class);
            // one that is not acked yet would come again after its lease
            await().until(() -> client.stats("work").totals().acked() == 1);
            // not due before the restart, even on a busy machine
            queue.schedule("work", "across", Duration.ofSeconds(4));

            restart(context);
            queue.schedule("work", "after", Duration.ofMillis(1));

            assertThat(received.await(3)).containsExactlyInAnyOrder("before", "across", "after");
            await().untilAsserted(() ->
                    assertThat(client.stats("work").totals().acked()).isEqualTo(3));
            DelayQueueListenerContainer container = container(context);
            assertThat(container.isRunning()).isTrue();
            await().until(container::isHealthy);
        });
    }

    @Test
    void consumersReturnEvenIfNothingIsScheduled(EmbeddedRedis redis) {
        runner.run(context -> {
            restart(context);

            Contexts.runner(redis)
                    .run(other -> other.getBean(DelayQueueOperations.class).schedule("work", "w", Duration.ZERO));

            assertThat(context.getBean(Listener.class).received.first()).isEqualTo("w");
        });
    }

    /** A relay keeps the outbox that it was made with. */
    @Test
    void anOutboxSendsAgain() {
        runner.run(context -> {
            Outbox outbox = context.getBean(DelayQueueClient.class).outbox(OutboxOptions.DEFAULTS);
            assertThat(outbox.timeMicros().get(25, TimeUnit.SECONDS)).isPositive();
            restart(context);

            long readBefore = outbox.timeMicros().get(25, TimeUnit.SECONDS);
            OutgoingMessage message = OutgoingMessage.to("work")
                    .payload("w".getBytes(StandardCharsets.UTF_8))
                    .build();
            List<OutboxOperation> operations = List.of(new OutboxOperation.Schedule(message));
            // the first changes of a topic only begin an epoch
            outbox.send(operations, readBefore).get(25, TimeUnit.SECONDS);
            readBefore = outbox.timeMicros().get(25, TimeUnit.SECONDS);
            OutboxReply reply = outbox.send(operations, readBefore).get(25, TimeUnit.SECONDS);

            assertThat(reply.answers()).containsExactly(OutboxAnswer.of(OutboxAnswer.Outcome.SCHEDULED, false));
            assertThat(context.getBean(DelayQueueClient.class).survey("work").marks())
                    .extracting(PartitionMark::sent)
                    .containsExactly(1L);
            outbox.forget(readBefore).get(25, TimeUnit.SECONDS);
            assertThat(context.getBean(Listener.class).received.first()).isEqualTo("w");
        });
    }

    @Test
    void pausedListenerStaysPaused() {
        runner.run(context -> {
            container(context).pause();
            restart(context);
            DelayQueueOperations queue = context.getBean(DelayQueueOperations.class);
            queue.schedule("work", "w", Duration.ZERO);
            DelayQueueClient client = context.getBean(DelayQueueClient.class);
            await().until(() -> client.stats("work").pending().ready() == 1);
            assertThat(container(context).isPaused()).isTrue();

            container(context).resume();

            assertThat(context.getBean(Listener.class).received.first()).isEqualTo("w");
        });
    }

    @Test
    void messagesInFlightAreDeliveredAgainAfterTheirLeases() {
        runner.withPropertyValues("delayqueue.listener.lease=1s", "delayqueue.shutdown-timeout=100ms")
                .run(context -> {
                    Listener listener = context.getBean(Listener.class);
                    listener.gate = new CountDownLatch(1);
                    DelayQueueOperations queue = context.getBean(DelayQueueOperations.class);
                    IntStream.range(0, 10).forEach(n -> queue.schedule("work", "w" + n, Duration.ZERO));
                    await().until(() -> container(context).inFlight() == 10);

                    restart(context);
                    listener.gate.countDown();

                    DelayQueueClient client = context.getBean(DelayQueueClient.class);
                    await().atMost(Duration.ofSeconds(60))
                            .until(() -> client.stats("work").totals().acked() == 10);
                });
    }

    private static void restart(AssertableApplicationContext context) {
        LettuceConnectionFactory factory = context.getBean(LettuceConnectionFactory.class);
        Object before = factory.getNativeClient();
        factory.stop();
        factory.start();
        assertThat(factory.getNativeClient()).as("a Redis client of its own").isNotSameAs(before);
    }

    private static DelayQueueListenerContainer container(AssertableApplicationContext context) {
        return context.getBean(DelayQueueListenerEndpointRegistry.class)
                .container("listener.on")
                .orElseThrow();
    }

    static class Listener {

        final Received<String> received = new Received<>();
        volatile CountDownLatch gate = new CountDownLatch(0);

        @DelayQueueListener(topic = "work")
        void on(String work) throws InterruptedException {
            gate.await();
            received.add(work);
        }
    }
}
