package io.delayqueue.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.delayqueue.ConsumerOptions;
import io.delayqueue.jdbc.dialect.Dialect;
import io.delayqueue.jdbc.support.JournalTransaction;
import io.delayqueue.jdbc.testsupport.OutboxApplication;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.jdbc.core.simple.JdbcClient;

/** An instance freezes in a transaction that holds rows which all instances write. */
@Tag("slow")
@ExtendWith(EmbeddedRedisExtension.class)
class FrozenInstanceTests {

    @EachDatabase(DatabaseKind.POSTGRESQL)
    void othersSendOtherTopicsMeanwhileAndEverythingAfterTheServerHasEndedIt(TestDatabase database, EmbeddedRedis redis)
            throws Exception {
        try (OutboxApplication application = new OutboxApplication(database, redis);
                FrozenInstance frozen = new FrozenInstance(database.dataSource())) {
            consume(application, "orders");
            consume(application, "other");
            schedule(application, "orders", "first", Duration.ZERO);
            schedule(application, "other", "first", Duration.ZERO);
            await().until(() -> acked(application, "first") == 2 && application.outboxRows() == 0);

            frozen.holdMarksOf("orders");
            schedule(application, "orders", "held", Duration.ZERO);
            await().until(database::isSomebodyWaiting);
            schedule(application, "other", "free", Duration.ofHours(1));
            await().until(() -> outboxRows(application, "other") == 0);
            HikariDataSource pool = application.context().getBean(HikariDataSource.class);
            // but for a moment, while the pool connects
            await().until(() -> pool.getHikariPoolMXBean().getThreadsAwaitingConnection() == 0);
            assertThat(frozen.isInTransaction())
                    .as("while the other topic was sent, and nobody waited for a connection")
                    .isTrue();
            assertThat(outboxRows(application, "orders")).isEqualTo(1);
            assertThat(acked(application, "held")).isZero();

            await().until(() -> !frozen.isInTransaction());
            await().until(() -> acked(application, "held") == 1 && application.outboxRows() == 0);
        }
    }

    private static void consume(OutboxApplication application, String topic) {
        application
                .client()
                .subscribe(topic, ConsumerOptions.defaults(), (message, delivery) -> {})
                .start();
    }

    /** Without waiting for Redis' answer. */
    private static void schedule(OutboxApplication application, String topic, String id, Duration delay) {
        application
                .transaction()
                .executeWithoutResult(status -> application
                        .template()
                        .message(topic, "x")
                        .id(id)
                        .delay(delay)
                        .schedule());
    }

    private static long acked(OutboxApplication application, String id) {
        return application
                .jdbc()
                .sql("SELECT COUNT(*) FROM delayqueue_message WHERE id = ? AND status = 'ACKED'")
                .param(id)
                .query(Long.class)
                .single();
    }

    private static long outboxRows(OutboxApplication application, String topic) {
        return application
                .jdbc()
                .sql("SELECT COUNT(*) FROM delayqueue_outbox WHERE topic = ?")
                .param(topic)
                .query(Long.class)
                .single();
    }

    /** Patient: the server ends a transaction after 30 s. */
    private static ConditionFactory await() {
        return Awaitility.await().atMost(Duration.ofMinutes(2));
    }

    /** A transaction as each of the journal's, which does not go on. */
    private static final class FrozenInstance implements AutoCloseable {

        private final JdbcClient jdbc;
        private final JournalTransaction transaction;
        private final ExecutorService thread = Executors.newSingleThreadExecutor();
        private final CountDownLatch closed = new CountDownLatch(1);
        private int process;

        FrozenInstance(DataSource dataSource) {
            this.jdbc = JdbcClient.create(dataSource);
            this.transaction = new JournalTransaction(dataSource, Dialect.of(dataSource));
        }

        /** As an instance that decides whether Redis lost data. */
        void holdMarksOf(String topic) throws Exception {
            CompletableFuture<Integer> held = new CompletableFuture<>();
            thread.execute(() -> transaction.execute(() -> {
                assertThat(jdbc.sql("SELECT instance FROM delayqueue_partition WHERE topic = ? FOR UPDATE")
                                .param(topic)
                                .query(String.class)
                                .list())
                        .as("epoch, sent changes, ends")
                        .hasSizeGreaterThanOrEqualTo(3);
                held.complete(
                        jdbc.sql("SELECT pg_backend_pid()").query(Integer.class).single());
                awaitClose();
                return true;
            }));
            process = held.get(1, TimeUnit.MINUTES);
        }

        private void awaitClose() {
            try {
                closed.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        boolean isInTransaction() {
            return jdbc.sql("SELECT COUNT(*) FROM pg_stat_activity WHERE pid = ? AND state = 'idle in transaction'")
                            .param(process)
                            .query(Long.class)
                            .single()
                    == 1;
        }

        @Override
        public void close() {
            closed.countDown();
            thread.shutdown();
        }
    }
}
