package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.Backoff;
import io.delayqueue.MessageInfo;
import io.delayqueue.MessageState;
import io.delayqueue.testsupport.Deliveries;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A message is found by its id in each of its states, and neither before nor after. */
class FindTests {

    @RegisterExtension
    final TestQueue test = new TestQueue();

    @Test
    void scheduledMessage() {
        Instant before = test.now();
        test.queue()
                .schedule(TestQueue.message()
                        .id("a")
                        .delay(Duration.ofHours(1))
                        .priority(6)
                        .header("k", "v")
                        .build());

        MessageInfo info = find();

        assertThat(info.state()).isEqualTo(MessageState.SCHEDULED);
        assertThat(info.due()).isBetween(before.plusSeconds(3600), test.now().plusSeconds(3600));
        assertThat(info.attempt()).isZero();
        assertThat(info.priority()).isEqualTo(6);
        assertThat(info.headers()).containsEntry("k", "v");
        assertThat(info.payload()).isEqualTo(TestQueue.bytes("payload"));
        assertThat(info.leaseDeadline()).isNull();
        assertThat(info.deadLetteredAt()).isNull();
    }

    @Test
    void dueMessage() {
        test.schedule("a");

        assertThat(find().state()).isEqualTo(MessageState.READY);
        assertThat(find().due()).isBeforeOrEqualTo(test.now());
    }

    @Test
    void messageInFlightAndThenDead() throws Exception {
        CountDownLatch mayFail = new CountDownLatch(1);
        Deliveries deliveries = new Deliveries(test, (message, delivery) -> {
            if (message.attempt() == 2) {
                mayFail.await();
            }
            throw new IllegalStateException("failed");
        });
        test.consume(TestQueue.options().maxAttempts(2).backoff(Backoff.fixed(Duration.ZERO)), deliveries);
        test.schedule("a");
        deliveries.next();
        deliveries.next();

        MessageInfo inFlight = find();
        assertThat(inFlight.state()).isEqualTo(MessageState.IN_FLIGHT);
        assertThat(inFlight.attempt()).isEqualTo(2);
        assertThat(inFlight.leaseDeadline()).isAfter(test.now());
        assertThat(inFlight.due()).isNull();

        mayFail.countDown();
        TestQueue.await().until(() -> test.stats().dead() == 1);
        MessageInfo dead = find();
        assertThat(dead.state()).isEqualTo(MessageState.DEAD);
        assertThat(dead.attempt()).isEqualTo(2);
        assertThat(dead.deadLetteredAt()).isBeforeOrEqualTo(test.now());
        assertThat(dead.leaseDeadline()).isNull();
    }

    @Test
    void ackedOrUnknownMessageIsNotFound() {
        assertThat(test.queue().find(TestQueue.TOPIC, "a")).isEmpty();
        test.consume(TestQueue.options(), new Deliveries(test));
        test.schedule("a");
        test.awaitDrained();

        assertThat(test.queue().find(TestQueue.TOPIC, "a")).isEmpty();
    }

    private MessageInfo find() {
        return test.queue().find(TestQueue.TOPIC, "a").orElseThrow();
    }
}
