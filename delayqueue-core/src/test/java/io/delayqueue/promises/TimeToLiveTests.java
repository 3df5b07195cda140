package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueObserver;
import io.delayqueue.testsupport.Deliveries;
import io.delayqueue.testsupport.Eventually;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A message that is not claimed within its time to live is dropped, counted and reported, never handled. */
class TimeToLiveTests {

    @RegisterExtension
    final TestQueue test = new TestQueue();

    private final List<String> expired = new CopyOnWriteArrayList<>();
    private final DelayQueueObserver observer = new DelayQueueObserver() {
        @Override
        public void expired(String topic, String id) {
            expired.add(topic + "/" + id);
        }
    };

    @Test
    void expiredMessageIsDroppedAndReported() throws Exception {
        DelayQueueClient queue = test.open(options -> options.observer(observer));
        queue.schedule(TestQueue.message()
                .id("expired")
                .timeToLive(Duration.ofMillis(50))
                .build());
        queue.schedule(TestQueue.message()
                .id("lasting")
                .timeToLive(Duration.ofHours(1))
                .build());
        queue.schedule(TestQueue.message().id("immortal").build());
        test.awaitTime(test.now().plusMillis(60));
        Deliveries deliveries = new Deliveries(test);

        TestQueue.consume(queue, TestQueue.options(), deliveries);

        assertThat(test.awaitDrained().totals().expired()).isEqualTo(1);
        assertThat(deliveries.ids()).containsExactlyInAnyOrder("lasting", "immortal");
        // Redis has dropped it before the observer is told
        Eventually.asserted(() -> assertThat(expired).containsExactly("orders/expired"));
        assertThat(queue.find(TestQueue.TOPIC, "expired")).isEmpty();
    }

    @Test
    void timeToLiveCountsFromTheDueTime() throws Exception {
        Deliveries deliveries = new Deliveries(test);
        test.consume(TestQueue.options(), deliveries);

        test.queue()
                .schedule(TestQueue.message()
                        .id("a")
                        .delay(Duration.ofMillis(400))
                        .timeToLive(Duration.ofSeconds(60))
                        .build());
        test.queue()
                .schedule(TestQueue.message()
                        .id("b")
                        .dueAt(test.now().minusSeconds(30))
                        .timeToLive(Duration.ofSeconds(20))
                        .build());

        assertThat(deliveries.next().id()).isEqualTo("a");
        assertThat(test.awaitDrained().totals().expired()).isEqualTo(1);
    }

    @Test
    void thousandsOfExpiredMessagesAreDropped() {
        test.queue()
                .scheduleAll(java.util.stream.IntStream.range(0, 3000)
                        .mapToObj(i -> TestQueue.message()
                                .id("m" + i)
                                .priority(i % 3 + 3)
                                .timeToLive(Duration.ofNanos(1000))
                                .build())
                        .toList());
        Deliveries deliveries = new Deliveries(test);

        test.consume(TestQueue.options().concurrency(1), deliveries);

        assertThat(test.awaitDrained().totals().expired()).isEqualTo(3000);
        assertThat(deliveries.all()).isEmpty();
    }
}
