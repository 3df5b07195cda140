package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.Backoff;
import io.delayqueue.Delay;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.testsupport.ClaimCounter;
import io.delayqueue.testsupport.Deliveries;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A consumer that sleeps until a far message, or for the guard's hour, is woken by any message that falls due earlier. */
class WakeUpTests {

    @RegisterExtension
    final TestQueue test = new TestQueue();

    private final ClaimCounter claims = new ClaimCounter();
    private Deliveries deliveries;

    @BeforeEach
    void consumerSleepsUntilAFarMessage() {
        DelayQueueClient other = test.open(options -> options.observer(claims));
        deliveries = new Deliveries(test, (message, delivery) -> {
            if (message.id().equals("fails once") && message.attempt() == 1) {
                throw new IllegalStateException("once");
            }
        });
        TestQueue.consume(other, TestQueue.options().backoff(Backoff.fixed(Duration.ofMillis(50))), deliveries);
        claims.await(1);
        test.queue()
                .schedule(
                        TestQueue.message().id("far").delay(Duration.ofHours(2)).build());
    }

    @Test
    void shortDelayAfterALongOneWakesTheConsumer() throws Exception {
        test.queue()
                .schedule(TestQueue.message()
                        .id("near")
                        .delay(Duration.ofMillis(50))
                        .build());

        assertThat(deliveries.nextOnTime().id()).isEqualTo("near");
    }

    @Test
    void eachEarlierMessageWakesTheConsumer() throws Exception {
        for (int i = 0; i < 100; i++) {
            test.queue()
                    .schedule(TestQueue.message()
                            .id("near" + i)
                            .delay(Duration.ofMillis(i % 3))
                            .build());
            assertThat(deliveries.nextOnTime().id()).isEqualTo("near" + i);
        }
    }

    @Test
    void farMessageBroughtForwardWakesTheConsumer() throws Exception {
        test.queue().reschedule(TestQueue.TOPIC, "far", Delay.of(Duration.ofMillis(50)));

        assertThat(deliveries.nextOnTime().id()).isEqualTo("far");
    }

    @Test
    void retryWakesTheConsumer() throws Exception {
        test.schedule("fails once");

        assertThat(deliveries.nextOnTime().attempt()).isEqualTo(1);
        assertThat(deliveries.nextOnTime().attempt()).isEqualTo(2);
    }

    @Test
    void redrivenMessageWakesTheConsumer() throws Exception {
        test.queue()
                .schedule(TestQueue.message().id("fails once").maxAttempts(1).build());
        deliveries.next();
        TestQueue.await().until(() -> test.stats().dead() == 1);

        assertThat(test.queue().deadLetters(TestQueue.TOPIC).redriveAll()).isEqualTo(1);

        assertThat(deliveries.nextOnTime().id()).isEqualTo("fails once");
    }

    @Test
    void resumedTopicWakesTheConsumer() throws Exception {
        test.queue().pause(TestQueue.TOPIC);
        claims.awaitAfter(() -> test.schedule("near"));
        assertThat(test.stats().pending().ready()).isEqualTo(1);

        test.queue().resume(TestQueue.TOPIC);

        assertThat(deliveries.next().id()).isEqualTo("near");
    }
}
