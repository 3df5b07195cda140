package io.delayqueue.cost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.Backoff;
import io.delayqueue.CancelOutcome;
import io.delayqueue.ConsumerOptions;
import io.delayqueue.Delay;
import io.delayqueue.Delivery;
import io.delayqueue.ReceivedMessage;
import io.delayqueue.Subscription;
import io.delayqueue.TopicStats;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import io.delayqueue.testsupport.LogLines;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** No operation on a message runs a command whose cost grows with the number of other messages. */
@ExtendWith(EmbeddedRedisExtension.class)
class ScanFreeTests {

    /** List commands, too: LREM and LPOS search a list. */
    private static final List<String> SCANS = List.of(
            "keys",
            "scan",
            "hscan",
            "zscan",
            "sscan",
            "hgetall",
            "hkeys",
            "hvals",
            "smembers",
            "lrem",
            "lpos",
            "lrange",
            "sort");

    private static final int EACH = 50;

    @Test
    void noOperationOnAMessageScans(EmbeddedRedis redis) throws Exception {
        try (LogLines warningsOfDeadLetters = LogLines.ofEngine();
                CountedQueue counted =
                        new CountedQueue(redis, TestQueue.clientOptions().build())) {
            counted.probe.resetStats();

            Subscription subscription = runThroughAllStates(counted);

            TopicStats stats = counted.queue.stats(CountedQueue.TOPIC);
            assertThat(stats.totals().acked()).isEqualTo(3 * EACH);
            assertThat(stats.totals().cancelled()).isEqualTo(EACH);
            assertThat(stats.totals().expired()).isEqualTo(1);
            assertThat(stats.totals().purged()).isEqualTo(EACH / 2);
            assertThat(stats.totals().retried()).isGreaterThanOrEqualTo(EACH);
            assertThat(counted.probe.calls())
                    .containsKeys("evalsha", "zadd", "hdel")
                    .doesNotContainKeys(SCANS.toArray(String[]::new));
            subscription.stop(Duration.ofSeconds(10));
        }
    }

    /** Handled at once, after a retry, rescheduled, cancelled, expired, dead and purged or redriven. */
    private static Subscription runThroughAllStates(CountedQueue counted) {
        var queue = counted.queue;
        ids("ok")
                .forEach(id ->
                        queue.schedule(CountedQueue.message().id(id).priority(7).build()));
        ids("retry").forEach(id -> queue.schedule(CountedQueue.message().id(id).build()));
        ids("dead").forEach(id -> queue.schedule(CountedQueue.message().id(id).build()));
        ids("later")
                .forEach(id -> queue.schedule(
                        CountedQueue.message().id(id).delay(Duration.ofDays(1)).build()));
        queue.schedule(CountedQueue.message()
                .id("old")
                .timeToLive(Duration.ofNanos(1000))
                .build());
        ids("later")
                .forEach(id -> assertThat(queue.reschedule(CountedQueue.TOPIC, id, Delay.of(Duration.ofDays(2))))
                        .isNotNull());
        ids("later")
                .forEach(id -> assertThat(queue.cancel(CountedQueue.TOPIC, id)).isEqualTo(CancelOutcome.CANCELLED));
        assertThat(queue.find(CountedQueue.TOPIC, "ok-1")).isPresent();

        var options = ConsumerOptions.builder()
                .backoff(Backoff.fixed(Duration.ofMillis(1)))
                .build();
        Subscription subscription = queue.subscribe(CountedQueue.TOPIC, options, ScanFreeTests::handle);
        subscription.start();
        awaitDead(counted, EACH);
        var letters = queue.deadLetters(CountedQueue.TOPIC);
        assertThat(letters.list(0, 10)).hasSize(10);
        assertThat(letters.purge(ids("dead").subList(0, EACH / 2))).isEqualTo(EACH / 2);
        assertThat(letters.redriveAll()).isEqualTo(EACH / 2);
        awaitDead(counted, EACH / 2);
        assertThat(letters.redrive(ids("dead"))).isEqualTo(EACH / 2);
        awaitDead(counted, EACH / 2);
        ids("again").forEach(id -> queue.schedule(CountedQueue.message().id(id).build()));
        await().atMost(60, TimeUnit.SECONDS)
                .until(() -> queue.stats(CountedQueue.TOPIC).totals().acked() == 3 * EACH);
        return subscription;
    }

    private static void handle(ReceivedMessage message, Delivery delivery) {
        if (message.id().startsWith("dead") || message.id().startsWith("retry") && message.attempt() == 1) {
            throw new IllegalStateException("on purpose");
        }
    }

    private static void awaitDead(CountedQueue counted, int dead) {
        await().atMost(60, TimeUnit.SECONDS).until(() -> {
            TopicStats stats = counted.queue.stats(CountedQueue.TOPIC);
            return stats.dead() == dead
                    && stats.inFlight() == 0
                    && stats.pending().total() == 0;
        });
    }

    private static List<String> ids(String prefix) {
        return IntStream.range(0, EACH).mapToObj(i -> prefix + "-" + i).toList();
    }
}
