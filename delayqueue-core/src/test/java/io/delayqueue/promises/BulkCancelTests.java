package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.CancelOutcome;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueObserver;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.TopicOptions;
import io.delayqueue.testsupport.Deliveries;
import io.delayqueue.testsupport.Eventually;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Many messages are cancelled in few calls, and each id has its own outcome. */
class BulkCancelTests {

    @RegisterExtension
    final TestQueue test = new TestQueue();

    private final CallCounter counter = new CallCounter();

    @Test
    void eachIdHasItsOutcomeInTheGivenOrder() throws Exception {
        CountDownLatch mayEnd = new CountDownLatch(1);
        Deliveries deliveries = new Deliveries(test, (message, delivery) -> mayEnd.await());
        test.consume(TestQueue.options(), deliveries);
        test.schedule("handled now");
        deliveries.next();
        test.queue().scheduleAll(messages(List.of("a", "b")));

        Map<String, CancelOutcome> outcomes =
                test.queue().cancelAll(TestQueue.TOPIC, List.of("b", "handled now", "unknown", "a", "b"));

        assertThat(outcomes)
                .containsExactly(
                        Map.entry("b", CancelOutcome.CANCELLED),
                        Map.entry("handled now", CancelOutcome.IN_FLIGHT),
                        Map.entry("unknown", CancelOutcome.NOT_FOUND),
                        Map.entry("a", CancelOutcome.CANCELLED));
        mayEnd.countDown();
        assertThat(test.awaitDrained().totals().cancelled()).isEqualTo(2);
    }

    @Test
    void thousandIdsTakeTwoCalls() {
        DelayQueueClient queue = test.open(options -> options.observer(counter));
        List<String> ids = ids(1000);
        queue.scheduleAll(messages(ids));

        assertThat(queue.cancelAll(TestQueue.TOPIC, ids)).hasSize(1000).containsValue(CancelOutcome.CANCELLED);

        // the observer is told after the caller
        Eventually.asserted(() -> {
            assertThat(counter.calls).hasValue(2);
            assertThat(counter.cancelled).hasValue(1000);
        });
        assertThat(test.awaitDrained().totals().cancelled()).isEqualTo(1000);
    }

    @Test
    void messagesInPresentAndFormerPartitionsAreCancelled() throws Exception {
        List<String> old = ids(500);
        test.queue().scheduleAll(messages(old));
        DelayQueueClient more = test.open(options -> options.observer(counter)
                .topic(TestQueue.TOPIC, TopicOptions.builder().partitions(4).build()));
        List<String> all = new ArrayList<>(old);
        List<String> added = IntStream.range(0, 500).mapToObj(i -> "new" + i).toList();
        all.addAll(added);
        more.scheduleAll(messages(added));

        // this client learns of the partitions by a refusal
        Map<String, CancelOutcome> outcomes =
                test.queue().cancelAllAsync(TestQueue.TOPIC, all).get(25, TimeUnit.SECONDS);

        assertThat(outcomes.keySet()).containsExactlyElementsOf(all);
        assertThat(outcomes.values()).containsOnly(CancelOutcome.CANCELLED);
        assertThat(more.stats(TestQueue.TOPIC).totals().cancelled()).isEqualTo(1000);
    }

    @Test
    void nothingIsCancelledForNoIds() {
        assertThat(test.queue().cancelAll(TestQueue.TOPIC, List.of())).isEmpty();
        assertThat(test.queue().cancelAllAsync(TestQueue.TOPIC, List.of())).isCompletedWithValue(Map.of());
    }

    private static List<String> ids(int count) {
        return IntStream.range(0, count).mapToObj(i -> "m" + i).toList();
    }

    private static List<OutgoingMessage> messages(List<String> ids) {
        return ids.stream()
                .map(id -> TestQueue.message().id(id).delay(Duration.ofHours(1)).build())
                .toList();
    }

    private static final class CallCounter implements DelayQueueObserver {

        final AtomicInteger calls = new AtomicInteger();
        final AtomicInteger cancelled = new AtomicInteger();

        @Override
        public void redisCall(String script, Duration duration, @Nullable Throwable error) {
            calls.addAndGet(script.equals("cancel") ? 1 : 0);
        }

        @Override
        public void cancelled(String topic, String id) {
            cancelled.incrementAndGet();
        }
    }
}
