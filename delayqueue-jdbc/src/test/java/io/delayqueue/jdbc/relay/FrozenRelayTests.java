package io.delayqueue.jdbc.relay;

import static io.delayqueue.jdbc.relay.OutboxFixture.ENDED;
import static io.delayqueue.jdbc.relay.OutboxFixture.TOPIC;
import static io.delayqueue.jdbc.relay.OutboxFixture.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.OutboxOperation;
import io.delayqueue.OutboxOptions;
import io.delayqueue.Subscription;
import io.delayqueue.jdbc.relay.RelayProcess.Step;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A relay that freezes after it took rows, before its call, must not schedule a message again that was handled meanwhile. */
@Tag("slow")
class FrozenRelayTests {

    private static final Duration SEND_TIMEOUT = Duration.ofSeconds(1);
    private static final Duration MEMORY = SEND_TIMEOUT.multipliedBy(3);
    private static final OutboxSettings SETTINGS =
            new OutboxSettings(SEND_TIMEOUT, 500, Duration.ofMillis(100), 10, 10);

    @RegisterExtension
    private static final RedisFixture redis = new RedisFixture(new OutboxOptions(SEND_TIMEOUT, MEMORY));

    private final AtomicInteger handled = new AtomicInteger();

    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void aFrozenProcessSendsNothingAgainAfterTheAck(TestDatabase database) throws Exception {
        OutboxFixture rows = dueMessage(database);
        try (RelayProcesses processes = new RelayProcesses(database, redis)) {
            RelayProcesses.One frozen = processes.start(Step.TAKEN, SEND_TIMEOUT, 500);
            frozen.awaitLine(Step.TAKEN.name());
            frozen.freeze();
            // it has what it waits for, and sends as soon as it runs
            frozen.goOn();
            sendAndHandle(rows);
            assertThat(frozen.isFrozen()).isTrue();

            frozen.thaw();
            assertThat(frozen.awaitSent()).isEqualTo(1);
        }
        assertHandledOnce();
    }

    /** Redis has forgotten the change, and refuses the call since it comes too late. */
    @EachDatabase(DatabaseKind.POSTGRESQL)
    void aProcessThatWasFrozenForLongerThanRedisRemembersSendsNothingAgain(TestDatabase database) throws Exception {
        OutboxFixture rows = dueMessage(database);
        useTopicBefore(rows);
        try (RelayProcesses processes = new RelayProcesses(database, redis)) {
            RelayProcesses.One frozen = processes.start(Step.TAKEN, SEND_TIMEOUT, 500);
            frozen.awaitLine(Step.TAKEN.name());
            frozen.freeze();
            frozen.goOn();
            sendAndHandle(rows);
            await().until(FrozenRelayTests::forgets);

            frozen.thaw();
            assertThat(frozen.awaitSent()).isEqualTo(1);
        }
        assertHandledOnce();
    }

    /** Else Redis refuses the call as one that is older than the topic. */
    private static void useTopicBefore(OutboxFixture rows) throws Exception {
        OutboxOperation cancel = new OutboxOperation.Cancel(TOPIC, "other", OutboxOperation.newToken());
        long now = redis.outbox.timeMicros().get(1, TimeUnit.MINUTES);
        redis.outbox.send(List.of(cancel), now).get(1, TimeUnit.MINUTES);
    }

    private static boolean forgets() throws Exception {
        redis.outbox.forget(redis.outbox.timeMicros().get(1, TimeUnit.MINUTES)).get(1, TimeUnit.MINUTES);
        return redis.keys().stream().noneMatch(key -> key.endsWith(":applied"));
    }

    @EachDatabase
    void aFrozenThreadSendsNothingAgainAfterTheAck(TestDatabase database) throws Exception {
        OutboxFixture rows = dueMessage(database);
        try (FreezingRelay frozen = new FreezingRelay(rows, redis.outbox, SETTINGS)) {
            frozen.freeze();
            sendAndHandle(rows);
            assertThat(frozen.isFrozen()).isTrue();

            assertThat(frozen.thaw()).isEqualTo(1);
            assertThat(frozen.applied()).isZero();
        }
        assertHandledOnce();
    }

    private static OutboxFixture dueMessage(TestDatabase database) {
        OutboxFixture rows = new OutboxFixture(database);
        rows.message("a", "aaaaaaaa", 0, new byte[] {1});
        rows.row("a", "Saaaaaaaa;", 1, 1, ENDED);
        return rows;
    }

    /** Another relay sends the row when the send timeout is over, and a consumer acks the message. */
    private void sendAndHandle(OutboxFixture rows) {
        try (Relay other = new Relay(rows.database, redis.outbox, OutboxListener.NONE, SETTINGS)) {
            await().until(() -> other.runOnce() == 1);
        }
        assertThat(rows.outboxRows()).isZero();
        Subscription subscription = redis.client.subscribe(
                TOPIC, ConsumerOptions.defaults(), (message, delivery) -> handled.incrementAndGet());
        subscription.start();
        await().until(() -> redis.client.stats(TOPIC).totals().acked() == 1);
        subscription.stop(Duration.ofMinutes(1));
    }

    private void assertHandledOnce() {
        assertThat(redis.accepted()).isEqualTo(1);
        assertThat(redis.client.find(TOPIC, "a")).isEmpty();
        assertThat(handled).hasValue(1);
    }
}
