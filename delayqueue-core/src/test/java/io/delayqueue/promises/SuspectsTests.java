package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.Delivery;
import io.delayqueue.MessageHandler;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.ReceivedMessage;
import io.delayqueue.Subscription;
import io.delayqueue.internal.redis.RedisMessageStore;
import io.delayqueue.internal.store.CallId;
import io.delayqueue.internal.store.ClaimAnswer;
import io.delayqueue.internal.store.Partition;
import io.delayqueue.testsupport.StoreCalls;
import io.delayqueue.testsupport.TestQueue;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Promise 5: a process handles one suspect at a time, and everything else as before. */
class SuspectsTests {

    private static final List<String> TOPICS = List.of("one", "two", "three");
    private static final long HANDLING_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    @RegisterExtension
    final TestQueue test = new TestQueue();

    private final AtomicInteger inFlight = new AtomicInteger();
    private final AtomicInteger mostInFlight = new AtomicInteger();
    private final BlockingQueue<String> begun = new LinkedBlockingQueue<>();
    private final CountDownLatch mayEnd = new CountDownLatch(1);

    /** As after somebody has killed a busy process. */
    @Test
    @Tag("slow")
    void hundredsOfSuspectsOfSeveralTopicsDrainOneAtATime() throws Exception {
        for (String topic : TOPICS) {
            makeSuspects(topic, 100);
        }
        TOPICS.forEach(topic -> consume(test.queue(), topic, this::counting));

        // one after the other: a slow machine takes long, and a suspect that waits for a lease takes much longer
        TestQueue.await()
                .atMost(Duration.ofMinutes(2))
                .until(() -> TOPICS.stream()
                        .allMatch(topic -> test.queue().stats(topic).totals().acked() == 100));

        assertThat(mostInFlight).hasValue(1);
        assertThat(TOPICS)
                .allSatisfy(
                        topic -> assertThat(test.queue().stats(topic).dead()).isZero());
    }

    @Test
    void healthyMessagesAreHandledBesideASuspectAndOtherSuspectsWait() throws Exception {
        makeSuspects("one", 2);
        makeSuspects("two", 1);
        TOPICS.forEach(topic -> consume(test.queue(), topic, this::holdingSuspects));
        String first = next();
        assertThat(first).startsWith("suspect");

        for (int i = 0; i < 50; i++) {
            test.queue().schedule(message("two", "healthy" + i));
        }

        for (int i = 0; i < 50; i++) {
            assertThat(next()).startsWith("healthy");
        }
        mayEnd.countDown();
        assertThat(next()).startsWith("suspect").isNotEqualTo(first);
        assertThat(next()).startsWith("suspect").isNotEqualTo(first);
    }

    @Test
    void anotherProcessTakesAnotherSuspect() throws Exception {
        makeSuspects("one", 2);
        consume(test.queue(), "one", this::holdingSuspects);
        next();

        consume(test.open(options -> options), "one", this::holdingSuspects);

        assertThat(next()).startsWith("suspect");
        mayEnd.countDown();
    }

    @Test
    void stoppedSubscriptionPassesThePermitOn() throws Exception {
        makeSuspects("one", 1);
        makeSuspects("two", 1);
        Subscription one = consume(test.queue(), "one", this::holdingSuspects);
        next();
        consume(test.queue(), "two", this::counting);

        // its handler is interrupted, and the message released
        one.stop(Duration.ZERO);

        TestQueue.await().until(() -> test.queue().stats("two").totals().acked() == 1);
        assertThat(test.queue().stats("one").pending().ready()).isEqualTo(1);
    }

    @Test
    void suspectIsHandledWhileHealthyMessagesTakeAllSlots() throws Exception {
        makeSuspects("one", 1);
        int healthy = 500;
        for (int i = 0; i < healthy; i++) {
            test.queue().schedule(message("one", "healthy" + i));
        }
        AtomicInteger healthyBefore = new AtomicInteger();

        consume(test.queue(), "one", (message, delivery) -> {
            if (message.id().startsWith("suspect")) {
                mayEnd.countDown();
            } else if (mayEnd.getCount() > 0) {
                healthyBefore.incrementAndGet();
                // slow enough that a backlog stays
                assertThat(mayEnd.await(20, TimeUnit.MILLISECONDS)).isNotNull();
            }
        });

        TestQueue.await().until(() -> test.queue().stats("one").totals().acked() == healthy + 1);
        assertThat(healthyBefore).as("healthy messages before the suspect").hasValueLessThan(healthy * 9 / 10);
    }

    @Test
    void suspectsThatHangStopTheOthersForTenLeasesOnly() throws Exception {
        makeSuspects("one", 2);
        makeSuspects("two", 50);
        Duration lease = Duration.ofMillis(300);
        consume(test.queue(), "one", lease, this::holdingSuspects);
        next();
        long begunNanos = System.nanoTime();

        consume(test.queue(), "two", this::counting);

        TestQueue.await().until(() -> test.queue().stats("two").totals().acked() == 50);
        assertThat(mayEnd.getCount()).as("the hanging ones still hang").isEqualTo(1);
        assertThat(Duration.ofNanos(System.nanoTime() - begunNanos)).isGreaterThan(lease.multipliedBy(5));
        mayEnd.countDown();
    }

    /** Its handler may be what kills the process, although its message is settled. */
    @Test
    void handlersPastTheirTimeoutLeaveASuspectNotAlone() throws Exception {
        for (int i = 0; i < 5; i++) {
            test.queue().schedule(message("two", "timed-out" + i));
        }
        CountDownLatch stubbornMayEnd = new CountDownLatch(1);
        Subscription stubborn = test.queue()
                .subscribe(
                        "two",
                        TestQueue.options()
                                .concurrency(5)
                                .timeout(Duration.ofMillis(50))
                                .maxAttempts(1)
                                .build(),
                        (message, delivery) -> StopWithSlowHandlersTests.awaitIgnoringInterrupts(stubbornMayEnd));
        stubborn.start();
        TestQueue.await().until(() -> test.queue().stats("two").dead() == 5);
        makeSuspects("one", 1);

        Subscription beside = consume(test.queue(), "one", this::holdingSuspects);
        String suspect = next();

        assertThat(deadlineOf("one", suspect) % 4).as("beside 5 handlers").isZero();
        beside.stop(Duration.ZERO);
        stubbornMayEnd.countDown();
        TestQueue.await().until(() -> stubborn.abandonedHandlers() == 0);
        consume(test.queue(), "one", this::holdingSuspects);
        assertThat(deadlineOf("one", next()) % 4).as("alone").isEqualTo(2);
        mayEnd.countDown();
    }

    private long deadlineOf(String topic, String id) {
        Double deadline = test.redis().zscore("dq:{" + topic + ":0}:leased", id);
        assertThat(deadline).as("lease of %s", id).isNotNull();
        return deadline.longValue();
    }

    private void counting(ReceivedMessage message, Delivery delivery) {
        mostInFlight.accumulateAndGet(inFlight.incrementAndGet(), Math::max);
        // long enough that another one at the same time is seen
        LockSupport.parkNanos(HANDLING_NANOS);
        inFlight.decrementAndGet();
    }

    private void holdingSuspects(ReceivedMessage message, Delivery delivery) throws InterruptedException {
        begun.add(message.id());
        if (message.id().startsWith("suspect")) {
            mayEnd.await();
        }
    }

    private String next() throws InterruptedException {
        @Nullable String id = begun.poll(25, TimeUnit.SECONDS);
        assertThat(id).as("a message").isNotNull();
        return id;
    }

    private static Subscription consume(DelayQueueClient queue, String topic, MessageHandler handler) {
        return consume(queue, topic, Duration.ofMinutes(1), handler);
    }

    private static Subscription consume(DelayQueueClient queue, String topic, Duration lease, MessageHandler handler) {
        Subscription subscription = queue.subscribe(
                topic, TestQueue.options().concurrency(4).lease(lease).build(), handler);
        subscription.start();
        return subscription;
    }

    private static OutgoingMessage message(String topic, String id) {
        return OutgoingMessage.to(topic)
                .id(id)
                .payload(TestQueue.bytes("payload"))
                .build();
    }

    /** Messages whose consumer died in the first of two attempts. */
    private void makeSuspects(String topic, int count) {
        test.queue()
                .scheduleAll(IntStream.range(0, count)
                        .mapToObj(i -> OutgoingMessage.to(topic)
                                .id("suspect-" + topic + i)
                                .maxAttempts(2)
                                .payload(TestQueue.bytes("payload"))
                                .build())
                        .toList());
        RedisClient client = TestQueue.client(test.uri());
        try (RedisMessageStore store =
                RedisMessageStore.create(client, TestQueue.clientOptions().build())) {
            assertThat(claim(store, topic, 1, count).claimed()).hasSize(count);
            AtomicInteger number = new AtomicInteger(1);
            AtomicInteger ended = new AtomicInteger();
            TestQueue.await()
                    .until(() -> ended.addAndGet(claim(store, topic, number.incrementAndGet(), 0)
                                    .leaseExpired()
                                    .size())
                            == count);
        } finally {
            client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        }
        assertThat(test.redis().zcard("dq:{" + topic + ":0}:suspects")).isEqualTo(count);
    }

    private static ClaimAnswer claim(RedisMessageStore store, String topic, long number, int slots) {
        CallId callId = new CallId("killed", number, false);
        return store.claim(Partition.only(topic), StoreCalls.claimRequest(callId, slots, Duration.ofMillis(1), 3, null))
                .join();
    }
}
