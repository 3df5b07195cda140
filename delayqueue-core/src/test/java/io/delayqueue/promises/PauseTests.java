package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.Subscription;
import io.delayqueue.testsupport.ClaimCounter;
import io.delayqueue.testsupport.Deliveries;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A topic paused for all processes, and a subscription paused in one. */
class PauseTests {

    @RegisterExtension
    final TestQueue test = new TestQueue();

    private final ClaimCounter claims = new ClaimCounter();

    @Test
    void pausedTopicIsPausedForInstancesThatStartLater() throws Exception {
        DelayQueueClient pausing = test.open(options -> options);
        pausing.pause(TestQueue.TOPIC);
        pausing.close();
        test.schedule("a");
        DelayQueueClient other = test.open(options -> options.observer(claims));
        Deliveries deliveries = new Deliveries(test);

        TestQueue.consume(other, TestQueue.options(), deliveries);

        claims.await(1);
        claims.awaitAfter(() -> test.queue()
                .schedule(TestQueue.message()
                        .id("b")
                        .dueAt(test.now().minusSeconds(60))
                        .build()));
        assertThat(deliveries.all()).isEmpty();
        assertThat(test.stats().paused()).isTrue();
        assertThat(test.stats().pending().ready()).isEqualTo(2);
        test.queue().resume(TestQueue.TOPIC);
        assertThat(test.awaitDrained().totals().acked()).isEqualTo(2);
        assertThat(test.stats().paused()).isFalse();
    }

    @Test
    void messagesBeingHandledWhenTheTopicIsPausedAreFinished() throws Exception {
        CountDownLatch mayEnd = new CountDownLatch(1);
        Deliveries deliveries = new Deliveries(test, (message, delivery) -> mayEnd.await());
        test.consume(TestQueue.options(), deliveries);
        test.schedule("a");
        deliveries.next();

        test.queue().pause(TestQueue.TOPIC);
        mayEnd.countDown();

        assertThat(test.awaitDrained().totals().acked()).isEqualTo(1);
    }

    @Test
    void pausedSubscriptionLeavesMessagesToOthers() throws Exception {
        Deliveries paused = new Deliveries(test);
        Subscription subscription =
                test.queue().subscribe(TestQueue.TOPIC, TestQueue.options().build(), paused);
        subscription.pause();
        subscription.start();
        Deliveries deliveries = new Deliveries(test);
        Subscription other = TestQueue.consume(test.open(options -> options), TestQueue.options(), deliveries);

        test.scheduleMany(200);

        assertThat(test.awaitDrained().totals().acked()).isEqualTo(200);
        assertThat(paused.all()).isEmpty();
        assertThat(subscription.isPaused()).isTrue();
        assertThat(other.stop(Duration.ofSeconds(5))).isTrue();
        test.schedule("left");
        subscription.resume();
        assertThat(paused.next().id()).isEqualTo("left");
        assertThat(test.awaitDrained().totals().acked()).isEqualTo(201);
    }
}
