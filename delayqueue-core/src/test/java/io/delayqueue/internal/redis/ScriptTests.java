package io.delayqueue.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DelayQueueOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.PartitionMark;
import io.delayqueue.ScheduleOutcome;
import io.delayqueue.TopicStats;
import io.delayqueue.internal.store.CallId;
import io.delayqueue.internal.store.ClaimAnswer;
import io.delayqueue.internal.store.ClaimRequest;
import io.delayqueue.internal.store.Claimed;
import io.delayqueue.internal.store.Partition;
import io.delayqueue.internal.store.PartitionStats;
import io.delayqueue.internal.store.Retry;
import io.delayqueue.testsupport.DocumentedUser;
import io.delayqueue.testsupport.StoreCalls;
import io.delayqueue.testsupport.TestQueue;
import io.lettuce.core.api.sync.RedisCommands;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;

/**
 * A store over real Redis with keys of its own for each test; afterwards the topic's numbers must add up. Its user is the documented
 * one.
 */
abstract class ScriptTests {

    static final String TOPIC = "orders";
    static final Partition PARTITION = Partition.only(TOPIC);
    static final String CONSUMER = "c1";
    static final Duration LEASE = Duration.ofSeconds(30);
    static final Duration HOUR = Duration.ofHours(1);
    static final Duration NOW = Duration.ZERO;

    private static final AtomicInteger TESTS = new AtomicInteger();

    final AtomicLong callNumbers = new AtomicLong();
    final RedisCommands<String, String> redis = RedisServer.commands();
    final String prefix = "dq:t" + TESTS.incrementAndGet();
    final RawKeys raw = new RawKeys(redis, prefix, TOPIC);

    RedisMessageStore store = open(options());

    @AfterEach
    void closeStore() {
        try {
            TopicStats stats = stats();
            assertThat(stats.unaccounted())
                    .as("messages unaccounted for: %s", stats)
                    .isZero();
        } finally {
            store.close();
        }
        DocumentedUser.assertNothingDenied(redis);
    }

    DelayQueueOptions.Builder options() {
        return TestQueue.clientOptions().keyPrefix(prefix);
    }

    RedisMessageStore open(DelayQueueOptions.Builder options) {
        return RedisMessageStore.create(RedisServer.client(), options.build());
    }

    static <T> T get(CompletableFuture<T> future) {
        return future.orTimeout(20, TimeUnit.SECONDS).join();
    }

    static OutgoingMessage.Builder message(String id) {
        return OutgoingMessage.to(TOPIC).id(id).payload(("body of " + id).getBytes(StandardCharsets.UTF_8));
    }

    List<ScheduleOutcome> schedule(OutgoingMessage.Builder... messages) {
        return schedule(
                Arrays.stream(messages).map(OutgoingMessage.Builder::build).toList());
    }

    List<ScheduleOutcome> schedule(List<OutgoingMessage> messages) {
        return get(store.schedule(PARTITION, messages)).outcomes();
    }

    /** The epoch of a partition, as clients of an outbox know it; begins one if there is none. */
    String epoch(Partition partition) {
        PartitionMark mark = get(store.outbox().mark(partition));
        return Objects.requireNonNull(
                (mark.epoch() != null ? mark : get(store.outbox().beginEpoch(partition, null))).epoch());
    }

    CallId nextCall() {
        return new CallId(CONSUMER, callNumbers.incrementAndGet(), false);
    }

    static CallId repeated(CallId callId) {
        return new CallId(callId.consumer(), callId.number(), true);
    }

    ClaimRequest request(int limit) {
        return StoreCalls.claimRequest(nextCall(), limit, LEASE, 3, null);
    }

    ClaimAnswer claim(ClaimRequest request) {
        return get(store.claim(PARTITION, request));
    }

    ClaimAnswer claim() {
        return claim(request(100));
    }

    /** Leases one message for so long. */
    Claimed claimOne(Duration lease) {
        List<Claimed> claimed =
                claim(StoreCalls.claimRequest(nextCall(), 1, lease, 3, null)).claimed();
        assertThat(claimed).hasSize(1);
        return claimed.get(0);
    }

    Claimed claimOne() {
        return claimOne(LEASE);
    }

    /** Claims until the answer is as expected, for what takes time on Redis' own clock. */
    ClaimAnswer claimUntil(Predicate<ClaimAnswer> expected) {
        return await().pollInterval(Duration.ofMillis(2)).until(this::claim, expected);
    }

    /** Puts a dead message there, as one that failed in its only attempt. */
    void bury(OutgoingMessage.Builder message) {
        assertThat(schedule(message)).containsExactly(ScheduleOutcome.SCHEDULED);
        Claimed claimed = claimOne();
        Retry end = new Retry(claimed.lease(), 1, null, claimed.message().priority(), "no use");
        assertThat(get(store.retry(PARTITION, nextCall(), List.of(end)))).containsExactly(true);
    }

    static List<String> ids(ClaimAnswer answer) {
        return answer.claimed().stream().map(claimed -> claimed.message().id()).toList();
    }

    TopicStats stats() {
        PartitionStats stats = get(store.stats(List.of(PARTITION))).get(PARTITION);
        assertThat(stats).isNotNull();
        return stats.stats();
    }

    /** Redis' clock. */
    long nowMicros() {
        List<String> time = redis.time();
        return Long.parseLong(time.get(0)) * 1_000_000 + Long.parseLong(time.get(1));
    }
}
