package io.delayqueue.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.jdbc.testsupport.OutboxApplication;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.Everyday;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.jdbc.datasource.DataSourceUtils;

/** Redis gets exactly what the database has committed. */
@Everyday(DatabaseKind.H2)
@ExtendWith(EmbeddedRedisExtension.class)
class SentIsCommittedTests {

    private static final Duration HOUR = Duration.ofHours(1);

    @EachDatabase
    void rollbacksOfAnyKindLeaveNothingInRedis(TestDatabase database, EmbeddedRedis redis) throws Exception {
        try (OutboxApplication application = new OutboxApplication(database, redis)) {
            DataSource dataSource = application.context().getBean(DataSource.class);

            application.transaction().executeWithoutResult(status -> {
                schedule(application, "kept-1");
                Object nested = status.createSavepoint();
                schedule(application, "to-savepoint");
                status.rollbackToSavepoint(nested);
                rollbackBehindSpring(dataSource, () -> {
                    schedule(application, "behind-spring");
                    application.template().cancel("orders", "kept-1");
                });
                schedule(application, "kept-2");
            });
            application.transaction().executeWithoutResult(status -> {
                schedule(application, "rolled-back");
                application.template().cancel("orders", "kept-2");
                status.setRollbackOnly();
            });

            await().atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> assertThat(application.outboxRows()).isZero());
            DelayQueueOperations template = application.template();
            assertThat(List.of("kept-1", "kept-2"))
                    .allSatisfy(id -> assertThat(template.find("orders", id)).isPresent());
            assertThat(List.of("to-savepoint", "behind-spring", "rolled-back"))
                    .allSatisfy(id -> assertThat(template.find("orders", id)).isEmpty());
            assertThat(application.accepted("orders")).isEqualTo(2);
        }
    }

    /** A future whose row went behind Spring's back ends like a call that was only recorded: nobody waits for ever. */
    @EachDatabase
    void aFutureOfARowThatIsNotThereCompletes(TestDatabase database, EmbeddedRedis redis) throws Exception {
        try (OutboxApplication application = new OutboxApplication(database, redis)) {
            DataSource dataSource = application.context().getBean(DataSource.class);
            CompletableFuture<?>[] future = new CompletableFuture<?>[1];

            application
                    .transaction()
                    .executeWithoutResult(status -> rollbackBehindSpring(
                            dataSource, () -> future[0] = application.template().scheduleAsync("orders", "x", HOUR)));

            assertThat(future[0].get(30, TimeUnit.SECONDS)).isNotNull();
            assertThat(application.accepted("orders")).isZero();
        }
    }

    private static void schedule(OutboxApplication application, String id) {
        application.template().message("orders", "x").id(id).delay(HOUR).schedule();
    }

    private static void rollbackBehindSpring(DataSource dataSource, Runnable work) {
        Connection connection = DataSourceUtils.getConnection(dataSource);
        try {
            Savepoint savepoint = connection.setSavepoint();
            work.run();
            connection.rollback(savepoint);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
