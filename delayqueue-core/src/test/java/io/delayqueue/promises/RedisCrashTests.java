package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.TopicStats;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Redis itself dies while messages flow, and restarts with all that it had acknowledged. */
class RedisCrashTests {

    private static final int PRODUCERS = 4;
    private static final int MESSAGES_EACH = 1000;

    @RegisterExtension
    final TestQueue test = new TestQueue(EmbeddedRedis.Builder::appendOnly);

    private final Set<String> handled = ConcurrentHashMap.newKeySet();

    @Test
    void callersAndConsumersRecoverAndNothingAcknowledgedIsLost() throws Exception {
        DelayQueueClient queue = test.open(options -> options.commandTimeout(Duration.ofSeconds(1)));
        TestQueue.consume(
                queue,
                TestQueue.options().maxAttempts(100).lease(Duration.ofSeconds(5)),
                (message, delivery) -> handled.add(message.id()));
        ExecutorService threads = Executors.newFixedThreadPool(PRODUCERS);
        List<Future<List<String>>> producers = IntStream.range(0, PRODUCERS)
                .mapToObj(producer -> threads.submit(() -> produce(queue, producer)))
                .toList();

        for (int crash = 1; crash <= 2; crash++) {
            int handledBefore = crash * PRODUCERS * MESSAGES_EACH / 4;
            TestQueue.await().until(() -> handled.size() >= handledBefore);
            test.server().kill();
            test.server().restart();
        }

        Set<String> accepted = new HashSet<>();
        for (Future<List<String>> producer : producers) {
            accepted.addAll(producer.get());
        }
        threads.shutdown();
        awaitDrained(queue);
        TopicStats stats = test.stats();
        assertThat(handled).containsAll(accepted);
        assertThat(accepted).hasSize(PRODUCERS * MESSAGES_EACH);
        assertThat(stats.totals().acked()).isEqualTo(stats.totals().accepted());
    }

    private static void awaitDrained(DelayQueueClient queue) {
        TestQueue.await().ignoreException(RedisUnavailableException.class).until(() -> {
            TopicStats stats = queue.stats(TestQueue.TOPIC);
            return stats.totals().acked() == stats.totals().accepted();
        });
    }

    /** Schedules as an application does: repeats each call until it is answered. Returns the acknowledged ids. */
    private static List<String> produce(DelayQueueClient queue, int producer) {
        return IntStream.range(0, MESSAGES_EACH)
                .mapToObj(i -> TestQueue.message()
                        .id(producer + "-" + i)
                        .delay(Duration.ofMillis(ThreadLocalRandom.current().nextInt(200)))
                        .build())
                .peek(message -> scheduleUntilAnswered(queue, message))
                .map(OutgoingMessage::id)
                .toList();
    }

    private static void scheduleUntilAnswered(DelayQueueClient queue, OutgoingMessage message) {
        try {
            queue.schedule(message);
        } catch (RedisUnavailableException e) {
            TestQueue.await()
                    .ignoreException(RedisUnavailableException.class)
                    .until(() -> queue.schedule(message) != null);
        }
    }
}
