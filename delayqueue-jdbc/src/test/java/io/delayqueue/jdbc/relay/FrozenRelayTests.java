package io.delayqueue.jdbc.relay;

import static io.delayqueue.jdbc.relay.OutboxFixture.ENDED;
import static io.delayqueue.jdbc.relay.OutboxFixture.TOPIC;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.OutboxOptions;
import io.delayqueue.Subscription;
import io.delayqueue.jdbc.database.EachDatabase;
import io.delayqueue.jdbc.database.TestDatabase;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;

/** A relay that freezes between its claim and its call must not schedule a message again that was handled meanwhile. */
class FrozenRelayTests {

    private static final OutboxSettings SETTINGS =
            new OutboxSettings(Duration.ofSeconds(1), 500, Duration.ofMillis(100), 10, 10);

    private final RedisFixture redis =
            new RedisFixture(new OutboxOptions(Duration.ofSeconds(1), Duration.ofMinutes(1)));
    private final CountDownLatch frozen = new CountDownLatch(1);
    private final CountDownLatch thaw = new CountDownLatch(1);

    @AfterEach
    void close() {
        thaw.countDown();
        redis.close();
    }

    @EachDatabase
    void sendsNothingAgainAfterTheAck(TestDatabase database) throws Exception {
        OutboxFixture rows = new OutboxFixture(database);
        rows.message("a", "aaaaaaaa", 0, new byte[] {1});
        rows.row("a", "Saaaaaaaa;", 1, 1, ENDED);
        AtomicInteger handled = new AtomicInteger();
        WatchedOutbox frozenOutbox = new WatchedOutbox(redis.outbox);
        frozenOutbox.beforeCall = operations -> freeze();
        try (Relay slow = new Relay(rows.database, frozenOutbox, OutboxListener.NONE, SETTINGS);
                Relay other = new Relay(rows.database, redis.outbox, OutboxListener.NONE, SETTINGS)) {
            CompletableFuture<Integer> late = CompletableFuture.supplyAsync(slow::runOnce);
            assertThat(frozen.await(10, TimeUnit.SECONDS)).isTrue();
            await().until(() -> other.runOnce() == 1);
            assertThat(rows.outboxRows()).isZero();

            Subscription subscription = redis.client.subscribe(
                    TOPIC, ConsumerOptions.defaults(), (message, delivery) -> handled.incrementAndGet());
            subscription.start();
            await().until(() -> redis.client.stats(TOPIC).totals().acked() == 1);
            thaw.countDown();

            assertThat(late.get(10, TimeUnit.SECONDS)).isEqualTo(1);
            subscription.stop(Duration.ofSeconds(5));
        }
        assertThat(frozenOutbox.applied).isEmpty();
        assertThat(redis.client.stats(TOPIC).totals().accepted()).isEqualTo(1);
        assertThat(redis.client.find(TOPIC, "a")).isEmpty();
        assertThat(handled).hasValue(1);
    }

    private void freeze() {
        frozen.countDown();
        try {
            thaw.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
