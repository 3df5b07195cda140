package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.Backoff;
import io.delayqueue.Delay;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.WakeUp;
import io.delayqueue.testsupport.ClaimCounter;
import io.delayqueue.testsupport.Deliveries;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Behind a proxy without publish/subscribe: no such command is sent, and a process is woken at once by its own calls. */
class PollModeTests {

    @RegisterExtension
    final TestQueue test = new TestQueue();

    private final ClaimCounter claims = new ClaimCounter();
    private DelayQueueClient polling;
    private Deliveries deliveries;

    @BeforeEach
    void pollingConsumerSleepsUntilAFarMessage() {
        test.redis().configResetstat();
        polling = test.open(options -> options.wakeUp(WakeUp.POLL).observer(claims));
        deliveries = new Deliveries(test, (message, delivery) -> {
            if (message.id().equals("fails once") && message.attempt() == 1) {
                throw new IllegalStateException("once");
            }
        });
        TestQueue.consume(polling, TestQueue.options().backoff(Backoff.fixed(Duration.ofMillis(50))), deliveries);
        claims.await(1);
        polling.schedule(
                TestQueue.message().id("far").delay(Duration.ofHours(2)).build());
    }

    @AfterEach
    void noPublishSubscribeOrBlockingCommandWasSent() {
        assertThat(test.redis().info("commandstats"))
                .contains("cmdstat_evalsha")
                .doesNotContain(
                        "publish", "subscribe", "pubsub", "cmdstat_bl", "cmdstat_br", "cmdstat_bz", "cmdstat_xread");
    }

    @Test
    void ownMessageWakesTheConsumer() throws Exception {
        polling.schedule(
                TestQueue.message().id("near").delay(Duration.ofMillis(50)).build());

        assertThat(deliveries.nextOnTime().id()).isEqualTo("near");
    }

    @Test
    void ownRescheduleWakesTheConsumer() throws Exception {
        polling.reschedule(TestQueue.TOPIC, "far", Delay.of(Duration.ofMillis(50)));

        assertThat(deliveries.nextOnTime().id()).isEqualTo("far");
    }

    @Test
    void ownRetryWakesTheConsumer() throws Exception {
        polling.schedule(TestQueue.message().id("fails once").build());

        assertThat(deliveries.nextOnTime().attempt()).isEqualTo(1);
        assertThat(deliveries.nextOnTime().attempt()).isEqualTo(2);
    }

    @Test
    void ownRedriveWakesTheConsumer() throws Exception {
        polling.schedule(TestQueue.message().id("fails once").maxAttempts(1).build());
        deliveries.next();
        TestQueue.await().until(() -> polling.stats(TestQueue.TOPIC).dead() == 1);

        polling.deadLetters(TestQueue.TOPIC).redrive(java.util.List.of("fails once"));

        assertThat(deliveries.nextOnTime().id()).isEqualTo("fails once");
    }

    @Test
    void ownResumeWakesTheConsumer() throws Exception {
        polling.pause(TestQueue.TOPIC);
        claims.awaitAfter(() -> polling.schedule(TestQueue.message().id("near").build()));

        polling.resume(TestQueue.TOPIC);

        assertThat(deliveries.next().id()).isEqualTo("near");
    }
}
