package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.TopicOptions;
import io.delayqueue.testsupport.TestQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A partition with a backlog does not keep the others of its topic from the handler slots. */
class PartitionFairnessTests {

    private static final int PARTITIONS = 4;
    private static final int MESSAGES = 800;
    private static final int HANDLED = 80;

    @RegisterExtension
    final TestQueue test = new TestQueue();

    private final CountDownLatch allPartitionsAreServed = new CountDownLatch(1);
    private final CountDownLatch end = new CountDownLatch(1);

    @AfterEach
    void endHandlers() {
        end.countDown();
    }

    @Test
    void aSingleSlotServesAllPartitionsThoughEachHasABacklog() {
        DelayQueueClient queue = test.open(options -> options.topic(
                TestQueue.TOPIC, TopicOptions.builder().partitions(PARTITIONS).build()));
        queue.scheduleAll(IntStream.range(0, MESSAGES)
                .mapToObj(i -> OutgoingMessage.to(TestQueue.TOPIC)
                        .id("m" + i)
                        .payload(new byte[0])
                        .build())
                .toList());
        long[] before = pending();
        AtomicInteger handled = new AtomicInteger();

        TestQueue.consume(queue, TestQueue.options().concurrency(1), (message, delivery) -> {
            // one partition after the other is begun with
            allPartitionsAreServed.await();
            if (handled.incrementAndGet() > HANDLED) {
                end.await();
            }
        });

        allPartitionsAreServed.countDown();
        TestQueue.await().until(() -> handled.get() > HANDLED);
        long[] after = pending();
        for (int i = 0; i < PARTITIONS; i++) {
            assertThat(before[i] - after[i])
                    .as("messages taken from partition %s", i)
                    .isGreaterThan(HANDLED / 20);
        }
    }

    private long[] pending() {
        return IntStream.range(0, PARTITIONS)
                .mapToLong(i -> test.redis().zcard("dq:{" + TestQueue.TOPIC + ":" + i + "}:scheduled"))
                .toArray();
    }
}
