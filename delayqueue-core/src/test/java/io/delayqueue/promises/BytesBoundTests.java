package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.testsupport.TestQueue;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A client bounds the bytes that it has in flight, however many topics it consumes. */
class BytesBoundTests {

    private static final int TOPICS = 20;
    private static final int MESSAGES = 20;
    private static final int KIB = 1024;
    private static final int BODY = 100 * KIB;
    private static final int MAX = 1024 * KIB;

    @RegisterExtension
    final TestQueue test = new TestQueue();

    @Test
    void manyTopicsWithLargeMessagesShareTheBytesAndAllAreHandled() throws Exception {
        CountDownLatch mayEnd = new CountDownLatch(1);
        List<String> topics =
                IntStream.range(0, TOPICS).mapToObj(i -> "topic" + i).toList();
        for (String topic : topics) {
            test.queue()
                    .scheduleAll(IntStream.range(0, MESSAGES)
                            .mapToObj(i -> OutgoingMessage.to(topic)
                                    .id("m" + i)
                                    .payload(new byte[BODY])
                                    .build())
                            .toList());
        }
        DelayQueueClient queue = test.open(options -> options.maxInFlightBytes(MAX));
        for (String topic : topics) {
            queue.subscribe(topic, TestQueue.options().build(), (message, delivery) -> mayEnd.await())
                    .start();
        }

        TestQueue.await().until(() -> topics.stream().allMatch(topic -> inFlight(topic) > 0));
        long inFlight = topics.stream().mapToLong(this::inFlight).sum();
        assertThat(inFlight)
                .as("of %s, with room for %s and one for each topic", TOPICS * MESSAGES, MAX / BODY)
                .isLessThanOrEqualTo(MAX / BODY + TOPICS + 1);
        mayEnd.countDown();

        TestQueue.await()
                .until(() -> topics.stream()
                        .allMatch(topic -> test.queue().stats(topic).totals().acked() == MESSAGES));
        assertThat(topics)
                .allSatisfy(topic ->
                        assertThat(test.queue().stats(topic).totals().retried()).isZero());
    }

    private long inFlight(String topic) {
        return test.queue().stats(topic).inFlight();
    }
}
