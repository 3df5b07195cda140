package io.delayqueue.jdbc.relay;

import static io.delayqueue.jdbc.relay.OutboxFixture.ENDED;
import static io.delayqueue.jdbc.relay.OutboxFixture.TOO_LARGE;
import static io.delayqueue.jdbc.relay.OutboxFixture.TOPIC;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.jdbc.outbox.MessageId;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.Everyday;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Rows that Redis refuses or nobody can read hold up only their own ids. */
@Everyday(DatabaseKind.MARIADB)
class BlockedRowsTests {

    private static final OutboxSettings TWICE =
            new OutboxSettings(Duration.ofSeconds(10), 500, Duration.ofSeconds(1), 10, 2);

    @RegisterExtension
    private static final RedisFixture redis = new RedisFixture();

    private final WatchedOutbox outbox = redis.outbox;
    private final Map<String, String> postponed = new ConcurrentHashMap<>();
    private final Map<String, String> blocked = new ConcurrentHashMap<>();
    private final OutboxListener listener = new OutboxListener() {
        @Override
        public void postponed(MessageId key, String error) {
            postponed.put(key.id(), error);
        }

        @Override
        public void blocked(MessageId key, String error) {
            blocked.put(key.id(), error);
        }
    };

    @EachDatabase
    void aFirstBatchOfBadRowsDoesNotHoldUpTheGoodOnes(TestDatabase database) {
        OutboxFixture rows = new OutboxFixture(database);
        rows.scheduled(600, "bad", TOO_LARGE, 1, ENDED);
        rows.scheduled("good", "good0000", 1, 0);
        try (Relay relay = new Relay(rows.database, outbox, listener, TWICE)) {
            relay.runOnce();
        }
        assertThat(outbox.appliedTokens()).containsExactly("good0000");
        assertThat(postponed).hasSize(600);
        assertThat(rows.outboxRows()).isEqualTo(600);

        relayAgain(rows);
        assertThat(blocked).hasSize(600);
        assertThat(rows.statuses()).isEqualTo(Map.of("BLOCKED", 600, "SCHEDULED", 1));
        assertThat(new OutboxOperator(rows.database).status().blocked()).isEqualTo(600);

        rows.scheduled("next", "next0000", 1, ENDED);
        try (Relay relay = new Relay(rows.database, outbox, listener, TWICE)) {
            assertThat(relay.runOnce()).isEqualTo(1);
        }
    }

    @EachDatabase
    void eachKindOfBadRowIsBlockedWithItsReason(TestDatabase database) {
        OutboxFixture rows = new OutboxFixture(database);
        rows.row("not understood", "?;", 1, 1, ENDED);
        rows.row("without message", "Sg1g1g1g1;", 1, 1, ENDED);
        rows.scheduled("bad headers", "headers0", 1, ENDED);
        rows.set("headers0", "headers", "{\"a\u0001b");
        rows.scheduled("bad policy", "policy00", 1, ENDED);
        rows.set("policy00", "duplicates", "NONE");
        rows.row("too late", "Rrrrrrrrr:i999999999999999999;", 1, 1, ENDED);
        rows.scheduled("good", "good0000", 1, ENDED);
        rows.row("also good", "Ccccccccc;", 1, 1, ENDED);
        try (Relay relay = new Relay(rows.database, outbox, listener, TWICE)) {
            relay.runOnce();
        }
        assertThat(outbox.appliedTokens()).containsExactlyInAnyOrder("good0000", "cccccccc");

        relayAgain(rows);
        assertThat(blocked)
                .containsOnlyKeys("not understood", "without message", "bad headers", "bad policy", "too late")
                .containsEntry("without message", "the message has no row in the journal");
        assertThat(blocked.get("not understood")).contains("'?;'");
        assertThat(blocked.get("too late")).contains("year 9999");
    }

    @EachDatabase
    void anotherProgramsKeyInRedisBlocksOnlyItsTopic(TestDatabase database) {
        OutboxFixture rows = new OutboxFixture(database);
        rows.scheduled("a", "aaaaaaaa", 1, ENDED);
        rows.moveTo("foreign");
        rows.scheduled("b", "bbbbbbbb", 1, ENDED);
        redis.set("dq:{foreign:0}:messages", "no hash");
        try (Relay relay = new Relay(rows.database, outbox, listener, TWICE)) {
            relay.runOnce();
        }
        assertThat(outbox.appliedTokens()).containsExactly("bbbbbbbb");
        assertThat(postponed).containsOnlyKeys("a");
        assertThat(postponed.get("a")).contains("WRONGTYPE");
    }

    @EachDatabase
    void laterChangesOfABlockedIdWaitWithItUntilItIsUnblocked(TestDatabase database) {
        OutboxFixture rows = new OutboxFixture(database);
        OutboxOperator operator = new OutboxOperator(rows.database);
        rows.row("a", "Sg1g1g1g1;", 1, 1, ENDED);
        OutboxSettings once = new OutboxSettings(Duration.ofSeconds(10), 500, Duration.ofSeconds(1), 10, 1);
        assertThat(operator.status().lag()).isBetween(Duration.ofSeconds(1), Duration.ofMinutes(5));
        try (Relay relay = new Relay(rows.database, outbox, listener, once)) {
            relay.runOnce();
            assertThat(operator.status()).isEqualTo(new OutboxStatus(Duration.ZERO, 1));
            assertThat(operator.blocked(10))
                    .singleElement()
                    .satisfies(one -> assertThat(one.error()).contains("no row in the journal"));

            rows.append("a", "Rrrrrrrrr:i4000000000000000;");
            rows.freeRows();
            assertThat(relay.runOnce()).isZero();

            rows.message("a", "g1g1g1g1", 0, new byte[0]);
            assertThat(operator.unblock(TOPIC, "a")).isTrue();
            assertThat(operator.unblock(TOPIC, "a")).isFalse();
            assertThat(operator.unblock(TOPIC, "unknown")).isFalse();
            relay.runOnce();
        }
        assertThat(outbox.appliedTokens()).containsExactly("g1g1g1g1", "rrrrrrrr");
        assertThat(rows.outboxRows()).isZero();
        assertThat(operator.status()).isEqualTo(new OutboxStatus(Duration.ZERO, 0));
    }

    @EachDatabase
    void allIdsOfATopicAreUnblocked(TestDatabase database) {
        OutboxFixture rows = new OutboxFixture(database);
        OutboxOperator operator = new OutboxOperator(rows.database);
        rows.scheduled("other", "other000", 1, ENDED);
        rows.moveTo("elsewhere");
        rows.scheduled(1_100, "bad", new byte[1], 1, ENDED);
        rows.jdbc
                .sql("UPDATE delayqueue_outbox SET send_at = ?")
                .param(UnsentRows.BLOCKED)
                .update();
        rows.jdbc.sql("UPDATE delayqueue_message SET status = 'BLOCKED'").update();

        assertThat(operator.unblockAll("unknown")).isZero();
        assertThat(operator.unblockAll(TOPIC)).isEqualTo(1_100);

        assertThat(rows.statuses()).isEqualTo(Map.of("BLOCKED", 1, "OUTBOX", 1_100));
        assertThat(operator.blocked(10)).extracting(BlockedId::topic).containsExactly("elsewhere");
        assertThat(operator.unblockAll(TOPIC)).isZero();
    }

    @EachDatabase
    void aFullTopicIsTriedAgainForEver(TestDatabase database) {
        OutboxFixture rows = new OutboxFixture(database);
        redis.client.schedule(OutgoingMessage.to(RedisFixture.SMALL_TOPIC)
                .id("first")
                .payload(new byte[0])
                .delay(Duration.ofHours(1))
                .build());
        rows.scheduled("a", "aaaaaaaa", 1, -Duration.ofHours(1).toNanos() / 1_000);
        rows.moveTo(RedisFixture.SMALL_TOPIC);
        for (int i = 0; i < 5; i++) {
            relayAgain(rows);
            assertThat(rows.outboxRows()).isEqualTo(1);
        }
        assertThat(postponed).containsOnlyKeys("a");
        assertThat(blocked).isEmpty();
        assertThat(new OutboxOperator(rows.database).status().lag()).isGreaterThan(Duration.ofHours(1));

        redis.client.cancel(RedisFixture.SMALL_TOPIC, "first");
        relayAgain(rows);
        assertThat(rows.outboxRows()).isZero();
    }

    @EachDatabase
    void eachFailureDoublesThePauseUntilTheIdIsBlocked(TestDatabase database) {
        OutboxFixture rows = new OutboxFixture(database);
        rows.scheduled("bad", "aaaaaaaa", 1, ENDED);
        rows.set("aaaaaaaa", "payload", TOO_LARGE);
        for (int seconds : List.of(1, 2, 4, 8, 16, 32, 64, 128, 256)) {
            assertPause(rows, seconds);
        }
        rows.freeRows();
        try (Relay relay = new Relay(rows.database, outbox, listener, OutboxSettings.DEFAULTS)) {
            relay.runOnce();
        }
        assertThat(blocked).containsOnlyKeys("bad");
    }

    private void assertPause(OutboxFixture rows, int seconds) {
        rows.freeRows();
        long before = rows.now();
        try (Relay relay = new Relay(rows.database, outbox, listener, OutboxSettings.DEFAULTS)) {
            relay.runOnce();
        }
        long until = rows.jdbc
                .sql("SELECT send_at FROM delayqueue_outbox")
                .query(Long.class)
                .single();
        assertThat(until).isBetween(before + seconds * 1_000_000L, rows.now() + seconds * 1_000_000L);
        assertThat(blocked).isEmpty();
    }

    private void relayAgain(OutboxFixture rows) {
        rows.freeRows();
        try (Relay relay = new Relay(rows.database, outbox, listener, TWICE)) {
            relay.runOnce();
        }
    }
}
