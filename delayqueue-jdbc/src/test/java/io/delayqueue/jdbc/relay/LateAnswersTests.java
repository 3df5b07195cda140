package io.delayqueue.jdbc.relay;

import static io.delayqueue.jdbc.relay.OutboxFixture.MINE;
import static io.delayqueue.jdbc.relay.OutboxFixture.await;
import static io.delayqueue.jdbc.relay.OutboxFixture.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.outbox.CommittedChange;
import io.delayqueue.jdbc.outbox.MessageId;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.Everyday;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The clock of a server of a Cluster is ahead of the one that tells the time, so it finds everything too late. */
@Everyday(DatabaseKind.H2)
class LateAnswersTests {

    private static final long AHEAD = TimeUnit.SECONDS.toMicros(11);

    @RegisterExtension
    private static final RedisFixture redis = new RedisFixture();

    private final Map<MessageId, String> told = new ConcurrentHashMap<>();

    private final OutboxListener listener = new OutboxListener() {
        @Override
        public void postponed(MessageId key, String error) {
            told.merge(key, error, (first, second) -> "twice");
        }
    };

    @EachDatabase
    void aRelayTellsOfRowsThatAreTooLateAndSendsThemOnceTheClockIsRight(TestDatabase database) {
        OutboxFixture rows = new OutboxFixture(database);
        rows.scheduled(3, "m");
        redis.outbox.readAfterOffsetMicros = -AHEAD;
        try (Relay relay = new Relay(rows.database, redis.outbox, listener, OutboxSettings.DEFAULTS)) {
            relay.runOnce();

            assertThat(told).containsOnlyKeys(key("m0"), key("m1"), key("m2"));
            assertThat(told.values()).allSatisfy(error -> assertThat(error).contains("too late", "clock"));
            assertThat(redis.outbox.late).hasValueGreaterThan(3);
            assertThat(rows.outboxRows()).isEqualTo(3);
            assertThat(rows.jdbc
                            .sql("SELECT SUM(failures) FROM delayqueue_outbox")
                            .query(Integer.class)
                            .single())
                    .as("they are not blocked, however long that takes")
                    .isZero();

            redis.outbox.readAfterOffsetMicros = 0;
            rows.freeRows();
            relay.runOnce();
            assertThat(rows.outboxRows()).isZero();
        }
        assertThat(redis.accepted()).isEqualTo(3);
    }

    @EachDatabase
    void aHandOverTellsSoToo(TestDatabase database) throws Exception {
        OutboxFixture rows = new OutboxFixture(database);
        rows.scheduled("a", "aaaaaaaa", MINE, TimeUnit.HOURS.toMicros(1));
        redis.outbox.readAfterOffsetMicros = -AHEAD;
        try (QueuedHandOver handOver =
                new QueuedHandOver(rows.database, redis.outbox, listener, OutboxSettings.DEFAULTS, MINE)) {
            handOver.start();
            CommittedChange change = new CommittedChange(key("a"), "aaaaaaaa");
            handOver.offer(List.of(change));

            assertThat(change.answer().get(1, TimeUnit.MINUTES)).isEmpty();
            await().until(() -> told.containsKey(key("a")));
        }
        assertThat(rows.outboxRows()).isEqualTo(1);
    }

    /** As after a pause of the process. */
    @EachDatabase
    void rowsThatWereTooLateOnceAreSentAgainAtOnce(TestDatabase database) {
        OutboxFixture rows = new OutboxFixture(database);
        rows.scheduled(3, "m");
        redis.outbox.beforeCall =
                operations -> redis.outbox.readAfterOffsetMicros = redis.outbox.calls.get() == 1 ? -AHEAD : 0;
        try (Relay relay = new Relay(rows.database, redis.outbox, listener, OutboxSettings.DEFAULTS)) {
            relay.runOnce();
        }
        assertThat(redis.outbox.late).hasValue(3);
        assertThat(rows.outboxRows()).isZero();
        assertThat(told).isEmpty();
    }
}
