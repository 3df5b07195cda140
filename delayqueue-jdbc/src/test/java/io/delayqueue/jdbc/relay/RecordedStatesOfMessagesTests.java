package io.delayqueue.jdbc.relay;

import static io.delayqueue.jdbc.relay.OutboxFixture.ENDED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.delayqueue.DuplicatePolicy;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.Everyday;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import java.util.List;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The relay records the answers of Redis, and ends of messages that others know already. */
@Everyday(DatabaseKind.MARIADB)
class RecordedStatesOfMessagesTests {

    @RegisterExtension
    private static final RedisFixture redis = new RedisFixture();

    private final WatchedOutbox outbox = redis.outbox;

    @EachDatabase
    void recordsWhatRedisDecidedAboutDuplicates(TestDatabase database) {
        OutboxFixture rows = new OutboxFixture(database);
        rows.scheduled("a", "older000", 1, ENDED);
        try (Relay relay = relay(rows)) {
            relay.runOnce();
            rows.scheduled("a", "rejected", 1, ENDED);
            relay.runOnce();
            rows.scheduled("a", "kept0000", 1, ENDED);
            rows.ifExists("kept0000", DuplicatePolicy.KEEP);
            relay.runOnce();
            rows.scheduled("a", "replaces", 1, ENDED);
            rows.ifExists("replaces", DuplicatePolicy.REPLACE);
            relay.runOnce();
        }

        assertThat(rows.status("a", "older000")).isEqualTo("REPLACED");
        assertThat(rows.status("a", "rejected")).isEqualTo("REJECTED");
        assertThat(rows.status("a", "kept0000")).isEqualTo("KEPT");
        assertThat(rows.status("a", "replaces")).isEqualTo("SCHEDULED");
        assertThat(rows.outboxRows()).isZero();
    }

    @EachDatabase
    void leavesAMessageAloneWhoseEndWasRecordedBeforeItsRowWasRemoved(TestDatabase database) {
        OutboxFixture rows = new OutboxFixture(database);
        rows.scheduled("a", "aaaaaaaa", 1, ENDED);
        rows.jdbc
                .sql("UPDATE delayqueue_message SET status = 'ACKED', finished = updated")
                .update();
        try (Relay relay = relay(rows)) {
            relay.runOnce();
        }

        assertThat(outbox.applied).isEmpty();
        assertThat(rows.outboxRows()).isZero();
        assertThat(rows.status("a", "aaaaaaaa")).isEqualTo("ACKED");
    }

    /** The audit may know of messages before their row is recorded: the database was away, or the relay was frozen. */
    @EachDatabase
    void whatGaveWayToAMessageWhoseEndIsKnownIsRecorded(TestDatabase database) {
        OutboxFixture rows = new OutboxFixture(database);
        rows.message("a", "older000", 60_000_000, new byte[0]);
        rows.message("a", "newer000", 60_000_000, new byte[0]);
        rows.ifExists("newer000", DuplicatePolicy.REPLACE);
        rows.row("a", "Solder000;Snewer000;", 2, 1, ENDED);
        sendWithoutRecording(rows);
        rows.set("newer000", "status", "ACKED");
        rows.set("newer000", "finished", rows.now());
        try (Relay relay = relay(rows)) {
            relay.runOnce();
        }

        assertThat(outbox.applied).hasSize(2);
        assertThat(rows.status("a", "older000")).isEqualTo("REPLACED");
        assertThat(rows.status("a", "newer000")).isEqualTo("ACKED");
        assertThat(rows.outboxRows()).isZero();
    }

    @EachDatabase
    void messagesBehindACancellationOrReplacementAreLeftAlone(TestDatabase database) {
        OutboxFixture rows = new OutboxFixture(database);
        for (String generation : List.of("first000", "second00", "third000")) {
            rows.message("a", generation, 60_000_000, new byte[0]);
            rows.ifExists(generation, DuplicatePolicy.REPLACE);
        }
        rows.row("a", "Sfirst000;Ssecond00;Ccccccccc;Sthird000;", 4, 1, ENDED);
        sendWithoutRecording(rows);
        rows.set("third000", "status", "IN_FLIGHT");
        try (Relay relay = relay(rows)) {
            relay.runOnce();
        }

        assertThat(outbox.applied).hasSize(4);
        assertThat(rows.status("a", "first000")).isEqualTo("REPLACED");
        assertThat(rows.status("a", "second00")).isEqualTo("CANCELLED");
        assertThat(rows.status("a", "third000")).isEqualTo("IN_FLIGHT");
        assertThat(rows.outboxRows()).isZero();
    }

    /** Redis takes everything, but its reply is lost. */
    private void sendWithoutRecording(OutboxFixture rows) {
        outbox.beforeNextReply(() -> {
            throw new RedisUnavailableException("the reply is lost", null, null, null);
        });
        try (Relay relay = relay(rows)) {
            assertThatExceptionOfType(RedisUnavailableException.class).isThrownBy(relay::runOnce);
        }
        rows.freeRows();
    }

    @EachDatabase
    void deadLettersThatGaveWayAreRecorded(TestDatabase database) {
        OutboxFixture rows = new OutboxFixture(database);
        for (String id : List.of("replaced", "cancelled", "moved")) {
            rows.scheduled(id, "dead0000", 1, ENDED);
        }
        try (Relay relay = relay(rows)) {
            relay.runOnce();
            rows.jdbc
                    .sql("UPDATE delayqueue_message SET status = 'DEAD', finished = updated")
                    .update();
            rows.scheduled("replaced", "newer000", 1, ENDED);
            rows.ifExists("newer000", DuplicatePolicy.REPLACE);
            rows.row("cancelled", "Ccccccccc;", 1, 1, ENDED);
            rows.row("moved", "Rrrrrrrrr:i4000000000000000;", 1, 1, ENDED);
            relay.runOnce();
        }
        assertThat(rows.status("replaced", "dead0000")).isEqualTo("REPLACED");
        assertThat(rows.status("cancelled", "dead0000")).isEqualTo("CANCELLED");
        assertThat(rows.status("moved", "dead0000")).isEqualTo("SCHEDULED");
        assertThat(rows.jdbc
                        .sql("SELECT COUNT(*) FROM delayqueue_message WHERE status = 'SCHEDULED' AND finished IS NULL")
                        .query(Integer.class)
                        .single())
                .isEqualTo(2);
    }

    private Relay relay(OutboxFixture rows) {
        return new Relay(rows.database, outbox, OutboxListener.NONE, OutboxSettings.DEFAULTS);
    }
}
