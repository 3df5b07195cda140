package io.delayqueue.jdbc.relay;

import static io.delayqueue.jdbc.relay.OutboxFixture.ENDED;
import static io.delayqueue.jdbc.relay.OutboxFixture.TOO_LARGE;
import static io.delayqueue.jdbc.relay.OutboxFixture.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.delayqueue.Delay;
import io.delayqueue.OutboxOperation;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.Everyday;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

@Everyday(DatabaseKind.MARIADB)
class RelayTests {

    @RegisterExtension
    private static final RedisFixture redis = new RedisFixture();

    private final WatchedOutbox outbox = redis.outbox;

    @EachDatabase
    void sendsRowsWhoseClaimHasEndedAndRemovesThem(TestDatabase database) {
        OutboxFixture rows = new OutboxFixture(database);
        rows.scheduled("a", "aaaaaaaa", 1, ENDED);
        rows.scheduled("b", "bbbbbbbb", 1, 60_000_000);
        try (Relay relay = relay(rows)) {
            assertThat(relay.runOnce()).isEqualTo(1);
        }

        assertThat(outbox.appliedTokens()).containsExactly("aaaaaaaa");
        OutboxOperation.Schedule sent = (OutboxOperation.Schedule) outbox.applied.get(0);
        assertThat(sent.message().payload()).containsExactly(1, 2, 3);
        assertThat(sent.message().headers()).containsEntry("k", "v");
        assertThat(((Delay.After) sent.message().delay()).duration())
                .isBetween(Duration.ofSeconds(30), Duration.ofSeconds(60));
        assertThat(rows.outboxRows()).isEqualTo(1);
        assertThat(rows.status("a", "aaaaaaaa")).isEqualTo("SCHEDULED");
        assertThat(rows.status("b", "bbbbbbbb")).isEqualTo("OUTBOX");
    }

    @EachDatabase
    void sendsTheChangesOfAnIdInTheirOrder(TestDatabase database) {
        OutboxFixture rows = new OutboxFixture(database);
        rows.message("a", "g1g1g1g1", 0, new byte[0]);
        rows.message("a", "g2g2g2g2", 0, new byte[0]);
        rows.row("a", "Sg1g1g1g1;Ccccccccc;Sg2g2g2g2;Rrrrrrrrr:i4000000000000000;", 4, 1, ENDED);
        try (Relay relay = relay(rows)) {
            relay.runOnce();
        }

        assertThat(outbox.appliedTokens()).containsExactly("g1g1g1g1", "cccccccc", "g2g2g2g2", "rrrrrrrr");
        assertThat(rows.outboxRows()).isZero();
        assertThat(rows.status("a", "g1g1g1g1")).isEqualTo("CANCELLED");
        assertThat(rows.status("a", "g2g2g2g2")).isEqualTo("SCHEDULED");
        assertThat(rows.jdbc
                        .sql("SELECT due FROM delayqueue_message WHERE generation = 'g2g2g2g2'")
                        .query(Long.class)
                        .single())
                .isEqualTo(4_000_000_000_000_000L);
    }

    @EachDatabase
    void sendsAChangeThatCameWhileItsRowWasSentInTheSamePass(TestDatabase database) {
        OutboxFixture rows = new OutboxFixture(database);
        rows.scheduled("a", "aaaaaaaa", 1, ENDED);
        outbox.beforeNextReply(() -> rows.append("a", "Ccccccccc;"));
        try (Relay relay = relay(rows)) {
            relay.runOnce();
        }

        assertThat(outbox.appliedTokens()).containsExactly("aaaaaaaa", "cccccccc");
        assertThat(rows.outboxRows()).isZero();
        assertThat(rows.status("a", "aaaaaaaa")).isEqualTo("CANCELLED");
    }

    @EachDatabase
    void aLostReplyMakesNoSecondMessage(TestDatabase database) {
        OutboxFixture rows = new OutboxFixture(database);
        rows.scheduled(700, "m");
        outbox.beforeNextReply(() -> {
            throw new RedisUnavailableException("the reply is lost", null, null, null);
        });
        try (Relay relay = relay(rows)) {
            assertThatExceptionOfType(RedisUnavailableException.class).isThrownBy(relay::runOnce);
            assertThat(rows.outboxRows()).isEqualTo(700);

            rows.freeRows();
        }
        try (Relay next = relay(rows)) {
            next.runOnce();
        }
        assertThat(outbox.appliedTokens()).hasSize(700).doesNotHaveDuplicates();
        assertThat(rows.outboxRows()).isZero();
    }

    @EachDatabase
    void claimsNothingWhileRedisIsDown(TestDatabase database) {
        OutboxFixture rows = new OutboxFixture(database);
        rows.scheduled("a", "aaaaaaaa", 1, ENDED);
        redis.server.stop();
        try (Relay relay = relay(rows)) {
            assertThatExceptionOfType(RedisUnavailableException.class).isThrownBy(relay::runOnce);
            redis.server.restart();
            assertThat(rows.jdbc
                            .sql("SELECT sender FROM delayqueue_outbox")
                            .query(Long.class)
                            .single())
                    .as("the time is asked for before the claim, else a relay that freezes in between is never late")
                    .isEqualTo(1);
            await().ignoreExceptions().until(() -> relay.runOnce() == 1);
        }
        assertThat(rows.outboxRows()).isZero();
    }

    @EachDatabase
    void aChangeThatFailsKeepsThoseBehindItAndThoseBeforeItAreNotSentAgain(TestDatabase database) {
        OutboxFixture rows = new OutboxFixture(database);
        rows.scheduled("a", "aaaaaaaa", 1, ENDED);
        rows.message("a", "bbbbbbbb", 0, TOO_LARGE);
        rows.append("a", "Sbbbbbbbb;");
        rows.append("a", "Ccccccccc;");
        try (Relay relay = relay(rows)) {
            relay.runOnce();
        }
        assertThat(outbox.appliedTokens()).containsExactly("aaaaaaaa");
        assertThat(rows.operations("a")).isEqualTo("Sbbbbbbbb;Ccccccccc;");
        assertThat(rows.status("a", "aaaaaaaa")).isEqualTo("SCHEDULED");
        assertThat(rows.status("a", "bbbbbbbb")).isEqualTo("OUTBOX");
    }

    @EachDatabase
    void oneOperationThatSpoilsTheCallIsFoundAndTheOthersAreSent(TestDatabase database) {
        OutboxFixture rows = new OutboxFixture(database);
        rows.scheduled(20, "m");
        outbox.beforeCall = operations -> {
            if (operations.stream().anyMatch(operation -> operation.id().equals("m7"))) {
                throw new IllegalStateException("spoilt");
            }
        };
        try (Relay relay = relay(rows)) {
            relay.runOnce();
        }
        assertThat(outbox.appliedTokens()).hasSize(19).doesNotHaveDuplicates();
        assertThat(rows.outboxRows()).isEqualTo(1);
    }

    @EachDatabase
    void aTransactionThatHoldsARowHoldsUpNoOtherOne(TestDatabase database) throws Exception {
        OutboxFixture rows = new OutboxFixture(database);
        rows.scheduled(10, "m");
        SingleConnectionDataSource other = new SingleConnectionDataSource(database.url(), true);
        other.setAutoCommit(false);
        outbox.beforeNextReply(() -> rows.append(JdbcClient.create(other), "m3", "Ccccccccc;"));
        try (Relay relay = relay(rows)) {
            relay.runOnce();
            assertThat(rows.outboxRows()).isEqualTo(1);
            assertThat(outbox.appliedTokens()).hasSize(10);

            other.getConnection().commit();
            relay.runOnce();
            assertThat(rows.outboxRows()).isZero();
            assertThat(rows.status("m3", "g0000003")).isEqualTo("CANCELLED");
        } finally {
            other.destroy();
        }
    }

    /** Ten thousand rows may be kept, with payloads of up to 1 MiB each. */
    @EachDatabase(DatabaseKind.H2)
    void sentRowsThatATransactionHoldsAreKeptWithoutTheirPayloads(TestDatabase database) throws Exception {
        OutboxFixture rows = new OutboxFixture(database);
        List<String> ids = rows.scheduled(20, "m", new byte[50_000], 1, OutboxFixture.ENDED);
        SingleConnectionDataSource other = new SingleConnectionDataSource(database.url(), true);
        other.setAutoCommit(false);
        JdbcClient holder = JdbcClient.create(other);
        outbox.beforeNextReply(() -> ids.forEach(id -> rows.append(holder, id, "Ccccccccc;")));
        OutboxPass pass = new OutboxPass(rows.database, outbox, OutboxListener.NONE, OutboxSettings.DEFAULTS);
        try {
            List<UnsentRow> claimed =
                    pass.claim(OutboxFixture.MINE, 10_000_000, 0, 100).rows();
            pass.sendAndRecord(pass.load(claimed).rows(), outbox.timeMicros().get(20, TimeUnit.SECONDS), row -> {});
            assertThat(pass.locked()).isEqualTo(20);
            assertThat(pass.lockedBytes()).isZero();

            other.getConnection().commit();
            assertThat(pass.recordLocked()).hasSize(20);
            assertThat(pass.locked()).isZero();
            assertThat(rows.operations("m7")).isEqualTo("Ccccccccc;");
            assertThat(rows.statuses()).containsEntry("SCHEDULED", 20);
        } finally {
            other.destroy();
        }
    }

    /** Ten thousand rows take as long as a batch: the batches behind don't look at them each time. */
    @EachDatabase({DatabaseKind.H2, DatabaseKind.POSTGRESQL})
    void sentRowsThatATransactionHoldsAreLookedAtOnceASecond(TestDatabase database) throws Exception {
        OutboxFixture rows = new OutboxFixture(database);
        List<String> ids = rows.scheduled(20, "m");
        SingleConnectionDataSource other = new SingleConnectionDataSource(database.url(), true);
        other.setAutoCommit(false);
        JdbcClient holder = JdbcClient.create(other);
        outbox.beforeNextReply(() -> ids.forEach(id -> rows.append(holder, id, "Ccccccccc;")));
        AtomicLong nanos = new AtomicLong();
        OutboxPass pass =
                new OutboxPass(rows.database, outbox, OutboxListener.NONE, OutboxSettings.DEFAULTS, nanos::get);
        try {
            sendFree(pass);
            assertThat(pass.locked()).isEqualTo(20);
            other.getConnection().commit();
            rows.scheduled("n0", "n0000000", 1, OutboxFixture.ENDED);
            sendFree(pass);
            assertThat(pass.locked()).as("not looked at").isEqualTo(20);

            nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
            rows.scheduled("n1", "n0000001", 1, OutboxFixture.ENDED);
            sendFree(pass);
            assertThat(pass.locked()).isZero();
            assertThat(rows.operations("m7")).isEqualTo("Ccccccccc;");
        } finally {
            other.destroy();
        }
    }

    private void sendFree(OutboxPass pass) throws Exception {
        List<UnsentRow> claimed =
                pass.claim(OutboxFixture.MINE, 10_000_000, 0, 100).rows();
        pass.sendAndRecord(pass.load(claimed).rows(), outbox.timeMicros().get(20, TimeUnit.SECONDS), row -> {});
    }

    /** A row that was locked when it was free is found by the next look at all rows: polls begin behind those that were sent. */
    @EachDatabase
    void aTransactionThatHoldsAFreeRowHoldsUpNoOtherOne(TestDatabase database) throws Exception {
        OutboxFixture rows = new OutboxFixture(database);
        rows.scheduled(10, "m");
        rows.jdbc
                .sql("UPDATE delayqueue_outbox SET send_at = send_at - 3600000000 WHERE id = ?")
                .param(rows.name("m3"))
                .update();
        SingleConnectionDataSource other = new SingleConnectionDataSource(database.url(), true);
        other.setAutoCommit(false);
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try (Relay relay = new Relay(
                rows.database,
                outbox,
                OutboxListener.NONE,
                OutboxSettings.DEFAULTS,
                new Relay.Intervals(Duration.ZERO, Duration.ofDays(1)))) {
            assertThat(rows.append(JdbcClient.create(other), "m3", "Ccccccccc;"))
                    .isEqualTo(1);
            assertThat(thread.submit(relay::runOnce).get(30, TimeUnit.SECONDS)).isEqualTo(9);
            assertThat(outbox.appliedTokens()).hasSize(9).doesNotContain("g0000003");

            other.getConnection().commit();
            assertThat(relay.runOnce()).isEqualTo(1);
            assertThat(rows.outboxRows()).isZero();
            assertThat(rows.status("m3", "g0000003")).isEqualTo("CANCELLED");
        } finally {
            other.destroy();
            thread.shutdown();
        }
    }

    @EachDatabase
    void largePayloadsAreReadAFewAtATime(TestDatabase database) {
        OutboxFixture rows = new OutboxFixture(database);
        for (int i = 0; i < 200; i++) {
            rows.message("m" + i, "aaaaaaaa", 0, new byte[100_000]);
            rows.row("m" + i, "Saaaaaaaa;", 1, 1, ENDED);
        }
        try (Relay relay = relay(rows)) {
            relay.runOnce();
        }
        assertThat(rows.outboxRows()).isZero();
        assertThat(outbox.applied).hasSize(200);
        assertThat(outbox.calls).hasValueGreaterThan(2);
    }

    /** As on a new topic, where another instance's first call may have an older time of Redis. */
    @EachDatabase
    void whatCameTooLateIsReadAndSentAgainAtOnce(TestDatabase database) {
        OutboxFixture rows = new OutboxFixture(database);
        rows.scheduled(700, "m");
        WatchedOutbox late = new WatchedOutbox(redis.outbox);
        late.readAfterOffsetMicros = -Duration.ofMinutes(1).toNanos() / 1_000;
        late.beforeNextReply(() -> late.readAfterOffsetMicros = 0);
        try (Relay relay = new Relay(rows.database, late, OutboxListener.NONE, OutboxSettings.DEFAULTS)) {
            relay.runOnce();
        }
        assertThat(late.late).hasValue(500);
        assertThat(outbox.appliedTokens()).hasSize(700).doesNotHaveDuplicates();
        assertThat(rows.outboxRows()).isZero();
    }

    private Relay relay(OutboxFixture rows) {
        return new Relay(rows.database, outbox, OutboxListener.NONE, OutboxSettings.DEFAULTS);
    }
}
