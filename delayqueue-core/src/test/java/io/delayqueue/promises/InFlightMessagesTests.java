package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.InFlightMessages;
import io.delayqueue.InFlightMessages.Holder;
import io.delayqueue.InFlightMessages.Message;
import io.delayqueue.TopicOptions;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Operators see which instance has a message in flight, and since when. */
class InFlightMessagesTests {

    private static final String OWN_PID = ":" + ProcessHandle.current().pid();

    @RegisterExtension
    final TestQueue test = new TestQueue();

    private final CountDownLatch release = new CountDownLatch(1);
    private final AtomicInteger begun = new AtomicInteger();

    @AfterEach
    void endHandlers() {
        release.countDown();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void messagesBeingHandledHaveTheirInstance(int partitions) {
        DelayQueueClient queue = test.open(options -> options.topic(
                TestQueue.TOPIC, TopicOptions.builder().partitions(partitions).build()));
        Instant before = test.now();
        queue.subscribe(TestQueue.TOPIC, TestQueue.options().concurrency(5).build(), (message, delivery) -> await())
                .start();
        for (int i = 0; i < 5; i++) {
            queue.schedule(TestQueue.message().id("m" + i).build());
            int expected = i + 1;
            TestQueue.await().until(() -> begun.get() == expected);
        }

        InFlightMessages inFlight = queue.inFlight(TestQueue.TOPIC, 512);

        assertThat(inFlight.holders()).singleElement().satisfies(holder -> {
            assertThat(holder.instance()).endsWith(OWN_PID);
            assertThat(holder.messages()).isEqualTo(5);
            assertThat(holder.since()).isBetween(before, inFlight.time());
        });
        String instance = inFlight.holders().get(0).instance();
        assertThat(inFlight.messages()).extracting(Message::id).containsExactlyInAnyOrder("m0", "m1", "m2", "m3", "m4");
        assertThat(inFlight.messages()).extracting(Message::holder).containsOnly(instance);
        assertThat(inFlight.messages()).extracting(Message::leaseUntil).isSorted();
        assertThat(inFlight.messages()).allSatisfy(message -> {
            assertThat(message.since()).isBetween(before, inFlight.time());
            assertThat(message.leaseUntil()).isAfter(inFlight.time());
        });
        assertThat(queue.inFlight(TestQueue.TOPIC, 2).messages())
                .isEqualTo(inFlight.messages().subList(0, 2));
    }

    @Test
    void aMessageKeepsTheTimeOfItsClaimWhileItsLeaseIsRenewed() {
        DelayQueueClient queue = test.queue();
        test.consume(TestQueue.options().concurrency(2).lease(Duration.ofSeconds(6)), (message, delivery) -> await());
        queue.schedule(TestQueue.message().id("a").build());
        TestQueue.await().until(() -> begun.get() == 1);
        Message first = queue.inFlight(TestQueue.TOPIC, 1).messages().get(0);

        TestQueue.await()
                .until(() -> queue.inFlight(TestQueue.TOPIC, 1)
                        .messages()
                        .get(0)
                        .leaseUntil()
                        .isAfter(first.leaseUntil().plusSeconds(5)));

        InFlightMessages later = queue.inFlight(TestQueue.TOPIC, 1);
        assertThat(later.messages()).singleElement().satisfies(message -> {
            assertThat(message.holder()).isEqualTo(first.holder());
            assertThat(message.since()).isCloseTo(first.since(), within(2, ChronoUnit.SECONDS));
        });
        assertThat(later.holders()).extracting(Holder::messages).containsExactly(1L);
    }

    @Test
    void nobodyHoldsWhatIsSettled() {
        test.consume(TestQueue.options(), (message, delivery) -> begun.incrementAndGet());
        IntStream.range(0, 20).forEach(i -> test.schedule("m" + i));

        TestQueue.await().untilAsserted(() -> {
            assertThat(begun).hasValue(20);
            InFlightMessages inFlight = test.queue().inFlight(TestQueue.TOPIC, 10);
            assertThat(inFlight.holders()).isEmpty();
            assertThat(inFlight.messages()).isEmpty();
        });
    }

    private void await() throws InterruptedException {
        begun.incrementAndGet();
        release.await();
    }
}
