package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.Subscription;
import io.delayqueue.testsupport.TestQueue;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
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

    private final Set<String> begun = ConcurrentHashMap.newKeySet();

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

    /** The guard interval is an hour: a subscription that is not told of free bytes never claims. */
    @Test
    void pausedSubscriptionsKeepNoBytesFromTheOthers() throws Exception {
        CountDownLatch largeMayEnd = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        DelayQueueClient queue = test.open(options -> options.maxInFlightBytes(MAX));
        consume(queue, "large", 1, MAX, largeMayEnd);
        List<Subscription> paused = IntStream.range(0, TOPICS)
                .mapToObj(i -> consume(queue, "paused" + i, 5, KIB, mayEnd))
                .toList();
        consume(queue, "last", 5, KIB, mayEnd);

        paused.forEach(Subscription::pause);
        largeMayEnd.countDown();

        TestQueue.await().until(() -> inFlight("last") == 5);
        mayEnd.countDown();
    }

    /** Returns when the first handler has begun; further messages have no room beside a large one. */
    private Subscription consume(DelayQueueClient queue, String topic, int messages, int body, CountDownLatch mayEnd) {
        test.queue()
                .scheduleAll(IntStream.range(0, messages)
                        .mapToObj(i -> OutgoingMessage.to(topic)
                                .id("m" + i)
                                .payload(new byte[body])
                                .build())
                        .toList());
        Subscription subscription = queue.subscribe(topic, TestQueue.options().build(), (message, delivery) -> {
            begun.add(topic);
            mayEnd.await();
        });
        subscription.start();
        // not when Redis has leased it: until the answer is here, its bytes are not counted
        TestQueue.await().until(() -> begun.contains(topic));
        return subscription;
    }

    private long inFlight(String topic) {
        return test.queue().stats(topic).inFlight();
    }
}
