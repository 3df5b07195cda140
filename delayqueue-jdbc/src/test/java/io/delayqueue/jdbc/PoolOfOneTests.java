package io.delayqueue.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.CancelOutcome;
import io.delayqueue.MessageState;
import io.delayqueue.ScheduleOutcome;
import io.delayqueue.jdbc.testsupport.OutboxApplication;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.Everyday;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.extension.ExtendWith;

/** An application whose pool has one connection, which neither a commit nor the sending may hold while Redis is slow. */
@Everyday(DatabaseKind.H2)
@ExtendWith(EmbeddedRedisExtension.class)
class PoolOfOneTests {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration LIMIT = Duration.ofSeconds(60);

    @EachDatabase
    void commitsGoOnWhileRedisIsFrozenAndEverythingIsSentBehindIt(TestDatabase database, EmbeddedRedis redis)
            throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try (OutboxApplication application = new OutboxApplication(
                database,
                redis,
                "spring.datasource.hikari.maximum-pool-size=1",
                "delayqueue.command-timeout=2s",
                "delayqueue.journal.outbox.send-timeout=2s",
                "delayqueue.journal.outbox.remember-applied=1m")) {
            application.template().schedule("orders", "first", HOUR);
            redis.pause();
            long began = System.nanoTime();
            try {
                List<Future<?>> commits = new ArrayList<>();
                for (int i = 0; i < 40; i++) {
                    commits.add(threads.submit(() -> application
                            .transaction()
                            .executeWithoutResult(
                                    status -> application.template().schedule("orders", "x", HOUR))));
                }
                for (Future<?> commit : commits) {
                    commit.get(60, TimeUnit.SECONDS);
                }
                assertThat(Duration.ofNanos(System.nanoTime() - began))
                        .as("40 commits; one call of Redis takes 2 s to fail")
                        .isLessThan(Duration.ofSeconds(20));
                assertThat(application.outboxRows()).isGreaterThanOrEqualTo(40);
            } finally {
                redis.resume();
            }

            await().atMost(LIMIT)
                    .untilAsserted(() -> assertThat(application.outboxRows()).isZero());
            assertThat(application.accepted("orders")).isEqualTo(41);
        } finally {
            threads.shutdownNow();
        }
    }

    @EachDatabase
    void aCallTellsRedissOutcomeOnceItsOwnTransactionIsCommitted(TestDatabase database, EmbeddedRedis redis) {
        try (OutboxApplication application =
                new OutboxApplication(database, redis, "spring.datasource.hikari.maximum-pool-size=1")) {
            assertThat(application
                            .template()
                            .message("orders", "x")
                            .id("a")
                            .delay(HOUR)
                            .schedule()
                            .outcome())
                    .isEqualTo(ScheduleOutcome.SCHEDULED);
            // the first call of a slow machine may be answered after 0.2 s
            await().atMost(LIMIT)
                    .untilAsserted(() -> assertThat(application.outboxRows()).isZero());

            assertThat(application.template().find("orders", "a"))
                    .hasValueSatisfying(found -> assertThat(found.state()).isEqualTo(MessageState.SCHEDULED));
            await().atMost(LIMIT)
                    .untilAsserted(() -> assertThat(application
                                    .template()
                                    .message("orders", "y")
                                    .id("a")
                                    .schedule()
                                    .outcome())
                            .isEqualTo(ScheduleOutcome.REJECTED_DUPLICATE));
            await().atMost(LIMIT)
                    .untilAsserted(() -> assertThat(application.template().cancel("orders", "b"))
                            .isEqualTo(CancelOutcome.NOT_FOUND));
            assertThat(application.template().cancelAsync("orders", "a").join()).isEqualTo(CancelOutcome.CANCELLED);
            await().atMost(LIMIT)
                    .untilAsserted(() -> assertThat(application
                                    .jdbc()
                                    .sql(
                                            "SELECT status FROM delayqueue_message WHERE duplicates = 'REJECT' ORDER BY created")
                                    .query(String.class)
                                    .list())
                            .startsWith("CANCELLED", "REJECTED"));
        }
    }
}
