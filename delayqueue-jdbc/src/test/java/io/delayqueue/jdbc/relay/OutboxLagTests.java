package io.delayqueue.jdbc.relay;

import static io.delayqueue.jdbc.relay.OutboxFixture.ENDED;
import static io.delayqueue.jdbc.relay.OutboxFixture.MINE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.delayqueue.RedisFullException;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The lag is the age of what waits, however often it was tried. */
class OutboxLagTests {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final long HOUR_AGO = -TimeUnit.HOURS.toMicros(1);

    @RegisterExtension
    private static final RedisFixture redis = new RedisFixture();

    @AfterEach
    void makeRoom() {
        redis.configure("maxmemory", "0");
    }

    /** Redis answers, so each pass takes the rows anew. */
    @EachDatabase
    void aFullRedisMakesTheLagGrow(TestDatabase database) {
        OutboxFixture rows = new OutboxFixture(database);
        OutboxOperator operator = new OutboxOperator(rows.database);
        rows.scheduled("a", "aaaaaaaa", 1, HOUR_AGO);
        redis.configure("maxmemory", "1");
        try (Relay relay = new Relay(rows.database, redis.outbox, OutboxListener.NONE, OutboxSettings.DEFAULTS)) {
            for (int i = 0; i < 2; i++) {
                assertThatExceptionOfType(RedisFullException.class).isThrownBy(relay::runOnce);
                assertThat(operator.status().lag()).isGreaterThanOrEqualTo(HOUR);
                rows.freeRows();
            }
            redis.configure("maxmemory", "0");
            assertThat(relay.runOnce()).isOne();
        }
        assertThat(operator.status().lag()).isZero();
    }

    /** Failures move a row to the end of the index, behind any number of younger ones. */
    @EachDatabase
    void theOldestChangeCountsAtEitherEndOfTheOrderOfSending(TestDatabase database) {
        OutboxFixture rows = new OutboxFixture(database);
        OutboxOperator operator = new OutboxOperator(rows.database);
        rows.scheduled(300, "young", new byte[1], MINE, 0);
        assertThat(operator.status().lag()).isLessThan(HOUR);

        rows.scheduled("postponed", "aaaaaaaa", MINE, HOUR_AGO);
        postpone(rows, TimeUnit.MINUTES.toMicros(5));
        assertThat(operator.status().lag()).isGreaterThanOrEqualTo(HOUR);

        postpone(rows, -TimeUnit.MINUTES.toMicros(5));
        assertThat(operator.status().lag()).isGreaterThanOrEqualTo(HOUR);

        // blocked
        rows.jdbc
                .sql("UPDATE delayqueue_outbox SET send_at = ? WHERE operations = 'Saaaaaaaa;'")
                .param(Long.MAX_VALUE)
                .update();
        assertThat(operator.status().lag()).isLessThan(HOUR);
        assertThat(operator.status().blocked()).isOne();
    }

    private static void postpone(OutboxFixture rows, long micros) {
        rows.jdbc
                .sql("UPDATE delayqueue_outbox SET send_at = ? WHERE operations = 'Saaaaaaaa;'")
                .param(rows.now() + micros)
                .update();
    }

    /** As when a relay had taken the row, or its process died, just before the database's clock was corrected by an hour. */
    @EachDatabase
    void aClaimThatEndsLaterThanAnyIsEnded(TestDatabase database) {
        OutboxFixture rows = new OutboxFixture(database);
        rows.scheduled("of a clock ahead", "aaaaaaaa", MINE, TimeUnit.HOURS.toMicros(1));
        rows.scheduled("taken", "bbbbbbbb", MINE, TimeUnit.MINUTES.toMicros(4));
        rows.scheduled("blocked", "cccccccc", MINE, ENDED);
        rows.jdbc
                .sql("UPDATE delayqueue_outbox SET send_at = ? WHERE operations = 'Scccccccc;'")
                .param(Long.MAX_VALUE)
                .update();
        try (Relay relay = new Relay(rows.database, redis.outbox, OutboxListener.NONE, OutboxSettings.DEFAULTS)) {
            assertThat(relay.runOnce()).isOne();
        }
        assertThat(redis.outbox.appliedTokens()).containsExactly("aaaaaaaa");
        assertThat(rows.outboxRows()).isEqualTo(2);
    }
}
