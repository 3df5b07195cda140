package io.delayqueue.jdbc.relay;

import static io.delayqueue.jdbc.relay.OutboxFixture.MINE;
import static io.delayqueue.jdbc.relay.OutboxFixture.TOPIC;
import static io.delayqueue.jdbc.relay.OutboxFixture.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.OutboxOptions;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.Subscription;
import io.delayqueue.jdbc.outbox.CommittedChange;
import io.delayqueue.jdbc.testsupport.OutboxApplication;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.test.EmbeddedRedis;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** While Redis is away, scheduling goes on; afterwards nothing is lost and nothing was sent twice. */
@Tag("slow")
class RedisAwayTests {

    private static final Duration HOUR = Duration.ofHours(1);

    @EachDatabase
    void schedulingGoesOn(TestDatabase database) {
        Set<String> ids = ConcurrentHashMap.newKeySet();
        try (EmbeddedRedis redis = EmbeddedRedis.builder().appendOnly().start();
                OutboxApplication application = new OutboxApplication(
                        database,
                        redis,
                        "delayqueue.command-timeout=1s",
                        "delayqueue.journal.outbox.send-timeout=1s",
                        "delayqueue.journal.outbox.poll-interval=100ms")) {
            scheduleWhile(application, ids, redis::kill);
            redis.restart();
            await().ignoreExceptions().until(() -> application.outboxRows() == 0);

            // the kernel goes on to take calls, which come late
            scheduleWhile(application, ids, redis::pause);
            redis.resume();
            await().ignoreExceptions().until(() -> application.outboxRows() == 0);

            // a busy machine may not answer within the command timeout
            await().ignoreExceptions()
                    .untilAsserted(() -> assertThat(
                                    application.client().stats(TOPIC).totals().accepted())
                            .isEqualTo(ids.size()));
            await().ignoreExceptions()
                    .untilAsserted(() -> assertThat(ids)
                            .hasSize(160)
                            .allSatisfy(id -> assertThat(application.client().find(TOPIC, id))
                                    .isPresent()));
            assertThat(application
                            .jdbc()
                            .sql("SELECT COUNT(*) FROM delayqueue_message WHERE status = 'SCHEDULED'")
                            .query(Integer.class)
                            .single())
                    .isEqualTo(160);
        }
    }

    /** Redis goes away in the middle: some calls are on their way, and most come behind. A call may wait a while for Redis' answer. */
    private static void scheduleWhile(OutboxApplication application, Set<String> ids, Runnable goesAway) {
        int before = ids.size();
        CompletableFuture<?>[] calls = IntStream.range(0, 4)
                .mapToObj(thread -> CompletableFuture.runAsync(
                        () -> schedule(application, ids, 20), task -> new Thread(task).start()))
                .toArray(CompletableFuture[]::new);
        await().pollInterval(Duration.ofMillis(1)).until(() -> ids.size() >= before + 20);
        goesAway.run();
        CompletableFuture.allOf(calls).join();
        // rows were left, are free, and no relay can send them
        await().until(() -> application.context().getBean(Relay.class).isFailing());
    }

    private static void schedule(OutboxApplication application, Set<String> ids, int count) {
        for (int i = 0; i < count; i += 2) {
            String inTransaction = application
                    .transaction()
                    .execute(status -> application.template().schedule(TOPIC, "in a transaction", HOUR));
            ids.add(inTransaction);
            ids.add(application.template().schedule(TOPIC, "without", HOUR));
        }
    }

    /**
     * Messages that consumers handled before the outage are known when relays send them again, although Redis would have forgotten them by
     * now.
     */
    @EachDatabase(DatabaseKind.POSTGRESQL)
    void whatWasHandledBeforeAnOutageLongerThanRedisRemembersIsNotSentAgain(TestDatabase database) {
        Duration sendTimeout = Duration.ofSeconds(1);
        OutboxSettings settings = new OutboxSettings(sendTimeout, 500, Duration.ofMillis(100), 10, 10);
        OutboxFixture rows = new OutboxFixture(database);
        for (int i = 0; i < 50; i++) {
            rows.message("m" + i, "aaaaaaaa", 0, new byte[1]);
            rows.row("m" + i, "Saaaaaaaa;", 1, 1, OutboxFixture.ENDED);
        }
        AtomicInteger handled = new AtomicInteger();
        try (RedisFixture redis = new RedisFixture(new OutboxOptions(sendTimeout, sendTimeout.multipliedBy(3)));
                Relay relay = new Relay(rows.database, redis.outbox, OutboxListener.NONE, settings)) {
            redis.outbox.beforeReply = () -> {
                // not if all came too late
                if (!redis.outbox.applied.isEmpty()) {
                    redis.outbox.beforeReply = () -> {};
                    throw new RedisUnavailableException("the reply is lost", null, null, null);
                }
            };
            assertThatExceptionOfType(RedisUnavailableException.class).isThrownBy(relay::runOnce);
            Subscription subscription = redis.client.subscribe(
                    TOPIC, ConsumerOptions.defaults(), (message, delivery) -> handled.incrementAndGet());
            subscription.start();
            await().until(() -> redis.client.stats(TOPIC).totals().acked() == 50);

            redis.server.pause();
            Instant remembered = Instant.now().plus(sendTimeout.multipliedBy(4));
            await().until(() -> Instant.now().isAfter(remembered));
            redis.server.resume();
            rows.freeRows();
            assertThat(relay.runOnce()).isEqualTo(50);

            assertThat(redis.outbox.repeated).hasValueGreaterThanOrEqualTo(50);
            assertThat(rows.outboxRows()).isZero();
            assertThat(redis.accepted()).isEqualTo(50);
            subscription.stop(Duration.ofMinutes(1));
        }
        assertThat(handled).hasValue(50);
    }

    /** Ten minutes by Redis' clock, which remembers changes for five, while consumers, hand-over and relay are at work. */
    @EachDatabase
    void tenMinutesWithoutRedisLoseAndRepeatNothing(TestDatabase database, @TempDir Path directory) throws Exception {
        OutboxSettings settings = new OutboxSettings(Duration.ofSeconds(10), 500, Duration.ofMillis(100), 100, 1_000);
        OutboxFixture rows = new OutboxFixture(database);
        for (int i = 0; i < 50; i++) {
            rows.message("before" + i, "aaaaaaaa", 0, new byte[1]);
            rows.row("before" + i, "Saaaaaaaa;", 1, 1, OutboxFixture.ENDED);
        }
        Map<String, Integer> handled = new ConcurrentHashMap<>();
        try (MovedRedis redis = MovedRedis.start(directory, Duration.ZERO, Duration.ofSeconds(5));
                Relay relay = new Relay(rows.database, redis.outbox, OutboxListener.NONE, settings);
                QueuedHandOver handOver =
                        new QueuedHandOver(rows.database, redis.outbox, OutboxListener.NONE, settings, MINE)) {
            redis.outbox.beforeNextReply(() -> {
                throw new RedisUnavailableException("the reply is lost", null, null, null);
            });
            assertThatExceptionOfType(RedisUnavailableException.class).isThrownBy(relay::runOnce);
            Subscription subscription = redis.client.subscribe(
                    TOPIC,
                    ConsumerOptions.defaults(),
                    (message, delivery) -> handled.merge(message.id(), 1, Integer::sum));
            subscription.start();
            await().ignoreExceptions().until(() -> acked(redis) == 50);
            redis.outbox.repeated.set(0);

            redis.pause();
            rows.freeRows();
            relay.start();
            handOver.start();
            List<CommittedChange> meanwhile = changes("meanwhile");
            write(rows, meanwhile);
            handOver.offer(meanwhile);
            for (CommittedChange change : meanwhile) {
                assertThat(change.answer().get(1, TimeUnit.MINUTES)).isEmpty();
            }
            await().until(relay::isFailing);
            // new changes come first: with each, Redis forgets old ones
            CountDownLatch handedOver = new CountDownLatch(1);
            redis.outbox.beforeCall = operations -> {
                if (operations.get(0).id().startsWith("before")) {
                    await().until(() -> handedOver.getCount() == 0);
                }
            };
            redis.resumeAfter(Duration.ofMinutes(10));

            write(rows, changes("behind"));
            await().ignoreExceptions().until(() -> {
                handOver.offer(changes("behind"));
                return redis.client.stats(TOPIC).totals().accepted() == 60;
            });
            handedOver.countDown();
            await().until(() -> {
                rows.freeRows();
                return rows.outboxRows() == 0;
            });
            await().ignoreExceptions().until(() -> acked(redis) >= 70);
            assertThat(redis.outbox.repeated).hasValueGreaterThanOrEqualTo(50);
            assertThat(redis.client.stats(TOPIC).totals().accepted()).isEqualTo(70);
            subscription.stop(Duration.ofMinutes(1));
        }
        assertThat(handled)
                .hasSize(70)
                .allSatisfy((id, times) -> assertThat(times).as(id).isEqualTo(1));
    }

    private static long acked(MovedRedis redis) {
        return redis.client.stats(TOPIC).totals().acked();
    }

    private static List<CommittedChange> changes(String prefix) {
        return IntStream.range(0, 10)
                .mapToObj(i -> new CommittedChange(OutboxFixture.key(prefix + i), "bbbbbbbb"))
                .toList();
    }

    private static void write(OutboxFixture rows, List<CommittedChange> changes) {
        for (CommittedChange change : changes) {
            rows.message(change.key().id(), change.token(), 0, new byte[1]);
            rows.row(change.key().id(), "S" + change.token() + ";", 1, MINE, HOUR.toNanos() / 1_000);
        }
    }
}
