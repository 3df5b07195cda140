package io.delayqueue.internal.redis;

import static io.delayqueue.ScheduleOutcome.SCHEDULED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.Delay;
import io.delayqueue.OutboxOperation;
import io.delayqueue.OutboxOptions;
import io.delayqueue.PendingMessages;
import io.delayqueue.internal.store.DeadLetterStore.RedriveTimes;
import io.delayqueue.internal.store.MessageStore.IdStep;
import io.delayqueue.internal.store.OutboxBatch;
import io.delayqueue.internal.store.Partition;
import io.delayqueue.internal.store.Partitioning;
import io.delayqueue.internal.store.PartitionsChangedException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PartitionsScriptTests extends ScriptTests {

    @Test
    void askingWritesNothing() {
        assertThat(get(store.partitions(TOPIC))).isEqualTo(Partitioning.single(TOPIC));
        assertThat(raw.present()).isEmpty();
    }

    @Test
    void aTopicNeverUsedHasNoFormerPartitionCount() {
        assertThat(increase(0, 4)).isEqualTo(new Partitioning(TOPIC, 4, false, List.of()));
        assertThat(raw.meta()).isEqualTo(Map.of("partitions", "4"));
    }

    @Test
    void eachNumberThatWasInUseIsRemembered() {
        schedule(message("a"));

        assertThat(increase(0, 2).former()).containsExactly(1);
        assertThat(increase(0, 2).former()).containsExactly(1);
        assertThat(increase(0, 5)).isEqualTo(new Partitioning(TOPIC, 5, false, List.of(1, 2)));
        assertThat(get(store.partitions(TOPIC))).isEqualTo(new Partitioning(TOPIC, 5, false, List.of(1, 2)));
        assertThat(raw.meta()).isEqualTo(Map.of("accepted", "1", "format", "1", "partitions", "5", "former", "1,2"));
    }

    /** The messages of such a topic may all be in another partition. */
    @Test
    void aNumberThatWasSetCountsAsUsed() {
        increase(0, 2);

        assertThat(increase(0, 4).former()).containsExactly(2);
    }

    /** They remember which changes were applied: one that comes again must be looked for there. */
    @Test
    void formerNumbersAreKeptForAWhileIfAnOutboxUsesTheTopic() {
        OutboxOperation change = new OutboxOperation.Cancel(TOPIC, "a", OutboxOperation.newToken());
        OutboxBatch batch = new OutboxBatch(List.of(change), nowMicros(), epoch(PARTITION), OutboxOptions.DEFAULTS);
        get(store.outbox().apply(PARTITION, batch));
        schedule(message("a"));
        Partitioning increased = increase(0, 4);

        assertThat(get(store.forgetFormer(increased)).former()).containsExactly(1);
        redis.hset(raw.name(":meta"), "increased", Long.toString(nowMicros() - 600_000_001));
        assertThat(get(store.forgetFormer(increased)).former()).isEmpty();
        assertThat(raw.meta()).doesNotContainKeys("former", "increased");
    }

    @Test
    void itNeverShrinks() {
        increase(0, 4);

        assertThat(increase(0, 3).partitions()).isEqualTo(4);
        assertThat(raw.meta()).isEqualTo(Map.of("partitions", "4"));
    }

    @Test
    void aPausedTopicsNewPartitionIsPaused() {
        assertThat(get(store.increasePartitions(new Partition(TOPIC, 0, 2), true))
                        .paused())
                .isTrue();
        assertThat(raw.meta()).isEqualTo(Map.of("partitions", "2", "paused", "1"));
    }

    @Test
    void aPausedTopicStaysSo() {
        get(store.setPaused(PARTITION, true));

        assertThat(increase(0, 2).paused()).isTrue();
        assertThat(get(store.partitions(TOPIC)).paused()).isTrue();
    }

    @ParameterizedTest
    @MethodSource("callsThatLookForAnId")
    void aCallerWithAnotherPartitionCountIsRefusedAndNothingChanges(
            Function<RedisMessageStore, CompletableFuture<?>> call) {
        schedule(message("a"));
        increase(0, 4);
        Map<String, ?> before = raw.everything();

        assertThatThrownBy(() -> get(call.apply(store)))
                .cause()
                .isInstanceOfSatisfying(
                        PartitionsChangedException.class,
                        changed -> assertThat(changed.partitions()).isEqualTo(4));
        assertThat(raw.everything()).isEqualTo(before);
    }

    static Stream<Function<RedisMessageStore, CompletableFuture<?>>> callsThatLookForAnId() {
        return Stream.of(
                store -> store.schedule(PARTITION, List.of(message("b").build())),
                store -> store.cancel(PARTITION, List.of("a")),
                store -> store.reschedule(PARTITION, List.of("a"), Delay.NONE),
                store -> store.find(PARTITION, "a"),
                store -> store.deadLetters().list(PARTITION, 0, 1),
                store -> store.deadLetters().redrive(PARTITION, List.of("a"), RedriveTimes.NOW),
                store -> store.deadLetters().redriveUntil(PARTITION, 1, RedriveTimes.NOW),
                store -> store.deadLetters().purge(PARTITION, List.of("a")),
                store -> store.deadLetters().purgeOlderThan(PARTITION, Duration.ZERO),
                store -> store.deadLetters().list(PARTITION, List.of("a")),
                store -> store.deadLetters().keys(PARTITION, 0, 1),
                store -> store.pendingMessages().list(PARTITION, PendingMessages.Position.FIRST, 1),
                store -> store.pendingMessages().purge(PARTITION, List.of("a")),
                store -> store.pendingMessages().purge(PARTITION, Instant.EPOCH),
                store -> store.pendingMessages().count(PARTITION, List.of(Instant.EPOCH)),
                store -> store.deadLetters().count(PARTITION, List.of(Instant.EPOCH)),
                store -> store.listIds(PARTITION, IdStep.BEGIN, 1),
                store -> store.deleteTopic(PARTITION, true));
    }

    @Test
    void aCallerThatAssumesMorePartitionsIsRefusedToo() {
        assertThatThrownBy(() -> get(store.find(new Partition(TOPIC, 0, 2), "a")))
                .cause()
                .isInstanceOfSatisfying(
                        PartitionsChangedException.class,
                        changed -> assertThat(changed.partitions()).isEqualTo(1));
    }

    @Test
    void consumersAreToldAndNotRefused() {
        assertThat(schedule(message("a"))).containsExactly(SCHEDULED);
        increase(0, 4);

        assertThat(claim().partitions()).isEqualTo(4);
        assertThat(get(store.stats(List.of(PARTITION))).get(PARTITION).partitions())
                .isEqualTo(4);
    }

    @Test
    void presentTellsWhichIdsAreThere() {
        schedule(message("a"), message("b"));

        assertThat(get(store.present(PARTITION, List.of("a", "c", "b")))).containsExactlyInAnyOrder("a", "b");
    }

    private Partitioning increase(int number, int count) {
        return get(store.increasePartitions(new Partition(TOPIC, number, count), false));
    }
}
