package io.delayqueue.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.MessageState;
import io.delayqueue.Subscription;
import io.delayqueue.TopicStats;
import io.delayqueue.testsupport.fleet.Fleet;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The server's clock jumps by an hour. Messages are due by that clock, so they are early or late by the jump; but none is
 * lost or stuck, and messages scheduled after the jump are on time.
 */
class ClockStepTests {

    private static final long HOUR = 3600;

    @TempDir
    Path directory;

    private final Set<String> handled = ConcurrentHashMap.newKeySet();
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch mayFinish = new CountDownLatch(1);
    private SteppedClock clock;
    private DelayQueueClient queue;
    private Subscription subscription;

    @BeforeEach
    void start() throws Exception {
        clock = SteppedClock.start(directory);
        queue = DelayQueueClient.create(
                clock.client(),
                DelayQueueOptions.builder()
                        .guardInterval(Duration.ofMillis(500))
                        .commandTimeout(Duration.ofSeconds(10))
                        .shutdownTimeout(Duration.ofSeconds(1))
                        .build());
        subscription = queue.subscribe(
                ProxiedQueues.TOPIC,
                ConsumerOptions.builder()
                        .lease(Duration.ofMinutes(10))
                        .maxAttempts(5)
                        .build(),
                (message, delivery) -> {
                    if (message.id().equals("held") && message.attempt() == 1) {
                        begun.countDown();
                        mayFinish.await();
                    }
                    handled.add(message.id());
                });
        subscription.start();
        queue.schedule(ProxiedQueues.message("held").build());
        begun.await();
        queue.schedule(ProxiedQueues.message("in half an hour")
                .delay(Duration.ofMinutes(30))
                .build());
        queue.schedule(
                ProxiedQueues.message("in two hours").delay(Duration.ofHours(2)).build());
    }

    @AfterEach
    void stop() throws Exception {
        if (queue != null) {
            mayFinish.countDown();
            queue.close();
        }
        if (clock != null) {
            clock.close();
        }
    }

    @Test
    void clockJumpsAnHourAhead() throws Exception {
        clock.stepBy(HOUR);

        // half an hour has passed by the server's clock
        Fleet.await().until(() -> handled.contains("in half an hour"));
        // and every lease is over: the message is delivered once more, and the first handler's ack refused
        Fleet.await().until(() -> handled.contains("held"));
        mayFinish.countDown();
        assertOnTimeFromNowOn();
        assertThat(queue.find(ProxiedQueues.TOPIC, "in two hours").orElseThrow().state())
                .isEqualTo(MessageState.SCHEDULED);
        queue.cancel(ProxiedQueues.TOPIC, "in two hours");
        assertDrained(1);
    }

    @Test
    void clockJumpsAnHourBack() throws Exception {
        clock.stepBy(-HOUR);

        // the handler's lease lasts longer now, and is still its own
        mayFinish.countDown();
        Fleet.await().until(() -> handled.contains("held"));
        assertOnTimeFromNowOn();
        assertThat(handled).doesNotContain("in half an hour");
        // when the clock is right again, it falls due
        clock.stepBy(HOUR);
        Fleet.await().until(() -> handled.contains("in half an hour"));
        queue.cancel(ProxiedQueues.TOPIC, "in two hours");
        assertDrained(0);
    }

    private void assertOnTimeFromNowOn() {
        queue.schedule(ProxiedQueues.message("after the step")
                .delay(Duration.ofMillis(300))
                .build());
        Fleet.await().until(() -> handled.contains("after the step"));
    }

    private void assertDrained(int expiredLeases) {
        Fleet.await().until(() -> subscription.inFlight() == 0);
        TopicStats stats = ProxiedQueues.awaitDrained(queue);
        assertThat(stats.totals().acked()).isEqualTo(3);
        assertThat(stats.totals().retried()).isEqualTo(expiredLeases);
        assertThat(stats.totals().cancelled()).isEqualTo(1);
        assertThat(subscription.isHealthy()).isTrue();
    }
}
