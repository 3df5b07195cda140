package io.delayqueue.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DeadLetter;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueObserver;
import io.delayqueue.ReceivedMessage;
import io.delayqueue.Subscription;
import io.delayqueue.TopicStats;
import io.delayqueue.testsupport.TestQueue;
import io.delayqueue.testsupport.fleet.Fleet;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Keys are deleted by hand or evicted while ten messages are scheduled and three are in flight. Messages that can no longer
 * be delivered are gone or dead letters, and are counted; no loop runs hot, and later messages are delivered.
 */
class DeletedKeysTests {

    @RegisterExtension
    final ProxiedQueues queues = new ProxiedQueues();

    private final Set<String> handled = ConcurrentHashMap.newKeySet();
    private final Queue<String> leasesLost = new ConcurrentLinkedQueue<>();
    private final AtomicLong orphans = new AtomicLong();
    private final AtomicInteger claims = new AtomicInteger();
    private final CountDownLatch begun = new CountDownLatch(3);
    private final CountDownLatch mayFinish = new CountDownLatch(1);
    private DelayQueueClient queue;
    private Subscription subscription;

    @BeforeEach
    void tenScheduledThreeInFlight() throws InterruptedException {
        queue = queues.queue(options -> options.commandTimeout(TestQueue.COMMAND_TIMEOUT)
                .observer(new DelayQueueObserver() {
                    @Override
                    public void leaseLost(ReceivedMessage message) {
                        leasesLost.add(message.id());
                    }

                    @Override
                    public void orphaned(String topic, long count) {
                        orphans.addAndGet(count);
                    }

                    @Override
                    public void redisCall(String script, Duration duration, @Nullable Throwable error) {
                        if (script.equals("claim")) {
                            claims.incrementAndGet();
                        }
                    }
                }));
        subscription = ProxiedQueues.consume(queue, Duration.ofMinutes(1), (message, delivery) -> {
            begun.countDown();
            if (message.id().startsWith("held")) {
                mayFinish.await();
            }
            handled.add(message.id());
        });
        for (int i = 0; i < 10; i++) {
            queue.schedule(ProxiedQueues.message("scheduled" + i)
                    .delay(Duration.ofSeconds(5))
                    .build());
        }
        for (int i = 0; i < 3; i++) {
            queue.schedule(ProxiedQueues.message("held" + i).build());
        }
        begun.await();
    }

    @Test
    void bodiesOfScheduledMessagesAreDeleted() {
        queues.redis().hdel(ProxiedQueues.key("messages"), "scheduled0", "scheduled1", "scheduled2");

        TopicStats stats = finish();

        assertThat(stats.totals().acked()).isEqualTo(13 - 3 + 1);
        assertThat(stats.totals().orphaned()).isEqualTo(3);
        assertThat(stats.totals().purged()).isEqualTo(3);
        assertThat(orphans).hasValue(3);
        assertThat(stats.unaccounted()).isZero();
    }

    @Test
    void bodiesOfAllMessagesAreDeleted() {
        queues.redis().del(ProxiedQueues.key("messages"));

        TopicStats stats = finish();

        assertThat(handled).contains("held0", "held1", "held2").doesNotContain("scheduled0");
        assertThat(stats.totals().orphaned()).isEqualTo(10);
        assertThat(stats.unaccounted()).isZero();
    }

    @Test
    void dueTimesAreDeleted() {
        queues.redis().del(ProxiedQueues.key("scheduled"));

        TopicStats stats = finish();

        assertThat(stats.totals().acked()).isEqualTo(3 + 1);
        assertThat(becomeDeadLetters(10)).allMatch(id -> id.startsWith("scheduled"));
    }

    @Test
    void leasesAreDeleted() {
        queues.redis().del(ProxiedQueues.key("leased"));

        TopicStats stats = finish();

        assertThat(leasesLost).containsExactlyInAnyOrder("held0", "held1", "held2");
        assertThat(stats.totals().acked()).isEqualTo(10 + 1);
        assertThat(becomeDeadLetters(3)).containsExactlyInAnyOrder("held0", "held1", "held2");
    }

    @Test
    void countersAreDeleted() {
        queues.redis().del(ProxiedQueues.key("meta"));

        TopicStats stats = finish();

        assertThat(handled).hasSize(13 + 1);
        assertThat(stats.unaccounted())
                .as("unaccounted, since the counters forgot them")
                .isEqualTo(-13);
    }

    @ParameterizedTest
    @ValueSource(strings = {"FLUSHALL", "eviction"})
    void allKeysAreDeletedOrEvicted(String how) {
        if (how.equals("FLUSHALL")) {
            queues.redis().flushall();
        } else {
            queues.redis().configSet("maxmemory-policy", "allkeys-random");
            queues.redis().configSet("maxmemory", "1");
            Fleet.await().until(() -> queues.redis().dbsize() == 0);
            queues.redis().configSet("maxmemory", "0");
        }

        TopicStats stats = finish();

        assertThat(leasesLost).containsExactlyInAnyOrder("held0", "held1", "held2");
        assertThat(handled).containsExactlyInAnyOrder("held0", "held1", "held2", "after");
        assertThat(stats.totals().accepted()).isEqualTo(1);
        assertThat(stats.unaccounted()).isZero();
    }

    /** Consumers find them within a minute, or when they start, as here. */
    private List<String> becomeDeadLetters(int count) {
        assertThat(subscription.stop(Duration.ofSeconds(10))).isTrue();
        subscription.start();
        Fleet.await().until(() -> queue.stats(ProxiedQueues.TOPIC).dead() == count && orphans.get() == count);
        assertThat(queue.stats(ProxiedQueues.TOPIC).unaccounted()).isZero();
        return queue.deadLetters(ProxiedQueues.TOPIC).list(0, 100).stream()
                .map(DeadLetter::id)
                .toList();
    }

    /** Lets the handlers end, waits for the scheduled messages, and handles one more message. */
    private TopicStats finish() {
        mayFinish.countDown();
        Fleet.await()
                .until(() -> queue.stats(ProxiedQueues.TOPIC).pending().total() == 0 && subscription.inFlight() == 0);
        queue.schedule(ProxiedQueues.message("after").build());
        Fleet.await().until(() -> handled.contains("after") && subscription.inFlight() == 0);
        assertThat(subscription.isHealthy()).isTrue();
        assertThat(claims).as("claims").hasValueLessThan(60);
        assertThat(queues.redis().exists(ProxiedQueues.key("scheduled"), ProxiedQueues.key("leased")))
                .isZero();
        return queue.stats(ProxiedQueues.TOPIC);
    }
}
