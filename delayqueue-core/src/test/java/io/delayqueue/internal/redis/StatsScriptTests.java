package io.delayqueue.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.TopicStats;
import io.delayqueue.internal.store.Claimed;
import io.delayqueue.internal.store.DeadLetterStore.RedriveTimes;
import io.delayqueue.internal.store.Partition;
import io.delayqueue.internal.store.PartitionStats;
import io.delayqueue.internal.store.Retry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class StatsScriptTests extends ScriptTests {

    @Test
    void aTopicNeverUsedHasZeros() {
        long before = nowMicros();
        TopicStats stats = get(store.stats(List.of(Partition.only("never"))))
                .get(Partition.only("never"))
                .stats();

        assertThat(stats)
                .usingRecursiveComparison()
                .ignoringFields("time")
                .isEqualTo(new TopicStats(
                        "never", TopicStats.Pending.NONE, 0, 0, TopicStats.Totals.ZERO, Instant.EPOCH, false));
        assertThat(stats.time()).isBetween(Micros.instant(before), Micros.instant(nowMicros()));
        assertThat(raw.present()).isEmpty();
    }

    @Test
    void everyNumberIsReturnedAndTheyAddUp() {
        Instant past = Instant.now().minusSeconds(60);
        bury(message("dead"));
        bury(message("purged"));
        bury(message("redriven"));
        get(store.deadLetters().purge(PARTITION, List.of("purged")));
        get(store.deadLetters().redrive(PARTITION, List.of("redriven"), RedriveTimes.NOW));
        get(store.cancel(PARTITION, List.of("redriven")));
        schedule(message("acked"));
        get(store.ack(PARTITION, nextCall(), List.of(claimOne().lease())));
        schedule(message("expired").dueAt(past).timeToLive(Duration.ofSeconds(1)));
        assertThat(claim().expired()).hasSize(1);
        schedule(message("retried"));
        get(store.retry(PARTITION, nextCall(), List.of(new Retry(claimOne().lease(), 1, HOUR, 4, "oh"))));
        schedule(message("orphan"));
        redis.hdel(raw.name(":messages"), "orphan");
        assertThat(claim().orphans()).isEqualTo(1);
        schedule(message("newer version"));
        redis.hset(raw.name(":messages"), "newer version", "2SD-");
        assertThat(claim().deferred()).isEqualTo(1);
        get(store.cancel(PARTITION, List.of("newer version")));
        schedule(message("flying"));
        Claimed flying = claimOne();
        schedule(
                message("ready").dueAt(past.plusSeconds(10)),
                message("ready, urgent").dueAt(past).priority(9),
                message("waiting").delay(HOUR.multipliedBy(2)),
                message("waiting, low").delay(HOUR.dividedBy(2)).priority(0));

        TopicStats stats = stats();
        assertThat(stats)
                .usingRecursiveComparison()
                .ignoringFields("time", "pending.nextDue")
                .isEqualTo(new TopicStats(
                        TOPIC,
                        new TopicStats.Pending(3, 2, Micros.instant(Micros.of(past)), null),
                        1,
                        1,
                        new TopicStats.Totals(13, 1, 2, 1, 2, 1, 3, 1, 1, 1, 0),
                        Instant.EPOCH,
                        false));
        assertThat(stats.pending().nextDue())
                .isEqualTo(Micros.instant(raw.scheduled(0).get("waiting, low")));
        assertThat(stats.unaccounted()).isZero();
        assertThat(flying.message().id()).isEqualTo("flying");
    }

    @Test
    void manyTopicsAreAnsweredInOneCallInTheirOrder() {
        schedule(message("a"));
        for (String other : List.of("b", "c")) {
            OutgoingMessage message =
                    OutgoingMessage.to(other).payload(new byte[1]).delay(HOUR).build();
            get(store.schedule(
                    Partition.only(other),
                    List.of(
                            message,
                            OutgoingMessage.to(other).payload(new byte[1]).build())));
        }
        List<Partition> asked =
                Stream.of("c", TOPIC, "never", "b").map(Partition::only).toList();
        Map<Partition, PartitionStats> all = get(store.stats(asked));

        assertThat(all.keySet()).containsExactlyElementsOf(asked);
        assertThat(all.values())
                .extracting(numbers -> numbers.stats().totals().accepted())
                .containsExactly(2L, 1L, 0L, 2L);
        assertThat(all.values()).extracting(PartitionStats::partitions).containsOnly(1);
        assertThat(all.values())
                .extracting(numbers -> numbers.stats().time())
                .containsOnly(all.get(asked.get(3)).stats().time());
        assertThat(get(store.stats(List.of()))).isEmpty();
    }

    @Test
    void topicsAreThoseRegistered() {
        assertThat(get(store.topics())).isEmpty();
        get(store.register("b"));
        get(store.register("a"));
        get(store.register("b"));

        assertThat(get(store.topics())).containsExactly("a", "b");
        assertThat(redis.smembers(prefix + ":topics")).containsExactlyInAnyOrder("a", "b");
    }
}
