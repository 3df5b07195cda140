package io.delayqueue.jdbc.relay;

import static io.delayqueue.jdbc.relay.OutboxFixture.ENDED;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Rows become visible in the order of their commits, which is another one than that in which they were written. A relay finds a row though
 * it has sent younger ones since.
 */
class LateCommitTests {

    private static final Duration NEVER = Duration.ofDays(1);
    private static final long A_MOMENT_AGO = ENDED - TimeUnit.SECONDS.toMicros(1);
    private static final long AN_HOUR_AGO = -TimeUnit.HOURS.toMicros(1);

    @RegisterExtension
    private static final RedisFixture redis = new RedisFixture();

    @EachDatabase
    void theNextPollFindsARowOfSecondsAgo(TestDatabase database) {
        OutboxFixture rows = new OutboxFixture(database);
        try (Relay relay = relay(rows, NEVER)) {
            commitAround(rows, relay, "late", A_MOMENT_AGO);

            assertThat(relay.runOnce()).isOne();
        }
        assertThat(redis.outbox.appliedTokens()).containsExactly("younger0", "late0000");
    }

    @EachDatabase
    void theNextLookAtAllRowsFindsOneOfLongAgo(TestDatabase database) {
        OutboxFixture rows = new OutboxFixture(database);
        try (Relay relay = relay(rows, NEVER)) {
            commitAround(rows, relay, "late", AN_HOUR_AGO);

            assertThat(relay.runOnce())
                    .as("the row lies behind those that were sent")
                    .isZero();
        }
        rows.jdbc.sql("DELETE FROM delayqueue_outbox").update();
        rows.jdbc.sql("DELETE FROM delayqueue_message").update();
        try (Relay relay = relay(rows, Duration.ZERO)) {
            commitAround(rows, relay, "later", AN_HOUR_AGO);

            assertThat(relay.runOnce()).isOne();
        }
        assertThat(rows.outboxRows()).isZero();
    }

    /** A transaction writes its row, the relay sends what others committed meanwhile, and then the transaction commits. */
    private static void commitAround(OutboxFixture rows, Relay relay, String id, long endsInMicros) {
        new TransactionTemplate(new DataSourceTransactionManager(rows.database.dataSource()))
                .executeWithoutResult(status -> {
                    rows.scheduled(id, "late0000", 1, endsInMicros);
                    Thread others = new Thread(() -> {
                        rows.scheduled("younger " + id, "younger0", 1, ENDED);
                        assertThat(relay.runOnce()).isOne();
                    });
                    Throwable[] failure = new Throwable[1];
                    others.setUncaughtExceptionHandler((thread, e) -> failure[0] = e);
                    others.start();
                    join(others);
                    assertThat(failure[0]).isNull();
                });
    }

    private static Relay relay(OutboxFixture rows, Duration lookAtAll) {
        return new Relay(
                rows.database,
                redis.outbox,
                OutboxListener.NONE,
                OutboxSettings.DEFAULTS,
                new Relay.Intervals(lookAtAll, NEVER));
    }

    private static void join(Thread thread) {
        try {
            thread.join(60_000);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
