package io.delayqueue.jdbc.relay;

import static io.delayqueue.jdbc.relay.OutboxFixture.ENDED;
import static io.delayqueue.jdbc.relay.OutboxFixture.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.OutboxOptions;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Redis forgets changes that it applied when the outbox is empty, and not before: a row that is left may be sent again. */
class ForgottenChangesTests {

    private static final Duration SEND_TIMEOUT = Duration.ofSeconds(1);

    private static final OutboxSettings SETTINGS =
            new OutboxSettings(SEND_TIMEOUT, 500, Duration.ofMillis(100), 10, 10);

    private static final long AN_HOUR = TimeUnit.HOURS.toMicros(1);

    @RegisterExtension
    private static final RedisFixture redis =
            new RedisFixture(new OutboxOptions(SEND_TIMEOUT, SEND_TIMEOUT.multipliedBy(3)));

    @EachDatabase(DatabaseKind.H2)
    void anIdleTopicLeavesNoAppliedChangesInRedis(TestDatabase database) {
        OutboxFixture rows = new OutboxFixture(database);
        rows.scheduled("a", "aaaaaaaa", 1, ENDED);
        try (Relay relay = relay(rows)) {
            relay.start();
            await().until(() -> rows.outboxRows() == 0);

            await().until(() -> redis.keys().stream().noneMatch(key -> key.endsWith(":applied")));
        }
        assertThat(redis.accepted()).isEqualTo(1);
    }

    @EachDatabase
    void nothingIsForgottenWhileARowIsLeft(TestDatabase database) {
        OutboxFixture rows = new OutboxFixture(database);
        rows.scheduled("held", "aaaaaaaa", 1, AN_HOUR);
        try (Relay relay = relay(rows)) {
            relay.forgetIfEmpty();
            assertThat(redis.outbox.forgotten).isEmpty();

            rows.jdbc.sql("DELETE FROM delayqueue_outbox").update();
            relay.forgetIfEmpty();
            assertThat(redis.outbox.forgotten).hasSize(1);
        }
    }

    @EachDatabase(DatabaseKind.H2)
    void nothingIsForgottenThatWasSentWhileTheRelayLooked(TestDatabase database) {
        OutboxFixture rows = new OutboxFixture(database);
        redis.outbox.beforeTime = () -> rows.scheduled("meanwhile", "aaaaaaaa", 1, AN_HOUR);
        try (Relay relay = relay(rows)) {
            relay.forgetIfEmpty();
        }
        assertThat(rows.outboxRows()).isEqualTo(1);
        assertThat(redis.outbox.forgotten).isEmpty();
    }

    private static Relay relay(OutboxFixture rows) {
        return new Relay(
                rows.database,
                redis.outbox,
                OutboxListener.NONE,
                SETTINGS,
                new Relay.Intervals(Duration.ofDays(1), Duration.ZERO));
    }
}
