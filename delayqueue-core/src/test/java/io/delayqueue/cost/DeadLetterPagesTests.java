package io.delayqueue.cost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.DeadLetter;
import io.delayqueue.DeadLetters;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.TopicOptions;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import io.delayqueue.testsupport.LogLines;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A page of dead letters of several partitions reads the bodies of that page only. */
@ExtendWith(EmbeddedRedisExtension.class)
class DeadLetterPagesTests {

    private static final int PARTITIONS = 3;

    @Test
    void pageFarBehindReadsItsOwnBodiesOnly(EmbeddedRedis redis) throws Exception {
        try (CountedQueue counted = open(redis)) {
            DeadLetters dead = deadLetters(counted, 900);
            List<DeadLetter> all = new ArrayList<>(dead.list(0, 500));
            all.addAll(dead.list(500, 500));
            assertThat(all).hasSize(900);
            counted.probe.resetStats();

            List<DeadLetter> page = dead.list(700, 10);

            assertThat(page)
                    .extracting(DeadLetter::id)
                    .containsExactlyElementsOf(
                            all.subList(700, 710).stream().map(DeadLetter::id).toList());
            // body, attempts and error of each; and the partition count in each script: two for the ids, one for the
            // bodies
            assertThat(counted.probe.calls().get("hget")).isLessThanOrEqualTo(10 * 3 + PARTITIONS * 3);
        }
    }

    private static CountedQueue open(EmbeddedRedis redis) throws Exception {
        return new CountedQueue(
                redis,
                TestQueue.clientOptions()
                        .topicDefaults(
                                TopicOptions.builder().partitions(PARTITIONS).build())
                        .build());
    }

    private static DeadLetters deadLetters(CountedQueue counted, int count) {
        try (LogLines warningsOfDeadLetters = LogLines.ofEngine()) {
            counted.queue.scheduleAll(IntStream.range(0, count)
                    .mapToObj(i -> OutgoingMessage.to(CountedQueue.TOPIC)
                            .id("m" + i)
                            .payload(new byte[10])
                            .build())
                    .toList());
            ConsumerOptions options =
                    ConsumerOptions.builder().maxAttempts(1).concurrency(4).build();
            var consumer = counted.queue.subscribe(CountedQueue.TOPIC, options, (message, delivery) -> {
                throw new IllegalStateException("no");
            });
            consumer.start();
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> counted.queue.stats(CountedQueue.TOPIC).dead() == count);
            consumer.stop(Duration.ofSeconds(20));
        }
        return counted.queue.deadLetters(CountedQueue.TOPIC);
    }
}
