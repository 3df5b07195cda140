package io.delayqueue.jdbc.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.delayqueue.jdbc.autoconfigure.JournalEndpointAutoConfiguration;
import io.delayqueue.jdbc.autoconfigure.JournalHealthContributorAutoConfiguration;
import io.delayqueue.jdbc.health.JournalHealthIndicator;
import io.delayqueue.jdbc.restore.RestoreMode;
import io.delayqueue.jdbc.restore.RestoreSettings;
import io.delayqueue.jdbc.support.JournalDatabase;
import io.delayqueue.jdbc.support.JournalInstance;
import io.delayqueue.jdbc.testsupport.JournalApplication;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.test.EmbeddedRedis;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** The database is away, and a restore is stopped that nobody should have begun. */
class JournalInAnIncidentTests {

    private static EmbeddedRedis redis;

    @BeforeAll
    static void startRedis() {
        redis = EmbeddedRedis.start();
    }

    @AfterAll
    static void stopRedis() {
        redis.close();
    }

    private static ApplicationContextRunner application(DataSource dataSource) {
        return JournalApplication.on(dataSource, redis.uri())
                .withConfiguration(AutoConfigurations.of(
                        JournalEndpointAutoConfiguration.class, JournalHealthContributorAutoConfiguration.class))
                .withPropertyValues("management.endpoints.web.exposure.include=*", "delayqueue.command-timeout=20s");
    }

    @EachDatabase(DatabaseKind.H2)
    void theInstanceReportsWhatItKnowsWhileTheDatabaseIsDown(TestDatabase database) {
        Outage outage = new Outage(database.withSchema().dataSource());
        application(outage).run(context -> {
            JournalEndpoint endpoint = context.getBean(JournalEndpoint.class);
            JournalHealthIndicator health = context.getBean(JournalHealthIndicator.class);
            assertThat(status(endpoint).outbox().error()).isNull();
            outage.away = true;

            JournalStatusDescriptor status = status(endpoint);
            assertThat(status.instance()).isEqualTo(JournalInstance.name());
            assertThat(status.outbox().error()).isEqualTo("DataAccessResourceFailureException: ******");
            assertThat(status.outbox().lag()).isNull();
            assertThat(status.outbox().blocked()).isNull();
            assertThat(status.outbox().relayRuns()).isTrue();
            assertThat(status.audit()).isNotNull();
            assertThat(status.restore().losses()).isEmpty();
            Health down = health.health();
            assertThat(down.getStatus()).isEqualTo(Status.DOWN);
            assertThat(down.getDetails())
                    .containsEntry("losses", 0)
                    .containsEntry("auditDropped", 0L)
                    .containsKeys("relay", "audit", "error");

            outage.away = false;
            assertThat(status(endpoint).outbox().lag()).isNotNull();
        });
    }

    @EachDatabase(DatabaseKind.H2)
    void aRestoreIsStopped(TestDatabase database) {
        RestoreSettings slow = new RestoreSettings(
                RestoreMode.REPORT,
                1,
                Duration.ofHours(1),
                Duration.ZERO,
                Duration.ofSeconds(1),
                Duration.ofSeconds(1),
                Duration.ofHours(1));
        application(database.withSchema().dataSource())
                .withBean(RestoreSettings.class, () -> slow)
                .run(context -> {
                    JournalEndpoint endpoint = context.getBean(JournalEndpoint.class);
                    assertThatExceptionOfType(InvalidEndpointRequestException.class)
                            .isThrownBy(() -> stop(endpoint))
                            .withMessageContaining(JournalInstance.name());
                    assertThatExceptionOfType(InvalidEndpointRequestException.class)
                            .isThrownBy(() -> endpoint.change(JournalAction.RESTORE, "orders", null, null, null, true))
                            .withMessageContaining("'topic'");
                    context.getBean(DelayQueueOperations.class).schedule("orders", "p", Duration.ofHours(1));
                    // what is sent after the loss is not lost
                    awaitSent(context.getBean(JournalDatabase.class));
                    context.getBean(RedisConnectionFactory.class)
                            .getConnection()
                            .serverCommands()
                            .flushAll();

                    RestoreRunDescriptor begun = (RestoreRunDescriptor)
                            endpoint.change(JournalAction.RESTORE, null, null, null, false, null);
                    assertThat(begun.accepted()).isTrue();
                    await().atMost(Duration.ofSeconds(30))
                            .until(() -> status(endpoint).restore().progress() != null);
                    RestoreRunDescriptor stopped = stop(endpoint);

                    assertThat(stopped.state()).isEqualTo("STOPPED");
                    assertThat(status(endpoint).restore().requested().state()).isEqualTo("STOPPED");
                    await().atMost(Duration.ofSeconds(30)).until(() -> !isRestoring());
                    assertThat(status(endpoint).restore().restored()).isZero();
                    assertThat(((RestoreRunDescriptor)
                                            endpoint.change(JournalAction.RESTORE, null, null, null, null, false))
                                    .accepted())
                            .isTrue();
                    stop(endpoint);
                });
    }

    private static void awaitSent(JournalDatabase journal) {
        await().atMost(Duration.ofSeconds(30))
                .until(() -> journal.jdbc()
                                .sql("SELECT COUNT(*) FROM delayqueue_outbox")
                                .query(Long.class)
                                .single()
                        == 0);
    }

    private static boolean isRestoring() {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().equals("delayqueue-restore-request"));
    }

    private static RestoreRunDescriptor stop(JournalEndpoint endpoint) {
        return (RestoreRunDescriptor) endpoint.change(JournalAction.RESTORE, null, null, null, null, true);
    }

    private static JournalStatusDescriptor status(JournalEndpoint endpoint) {
        return (JournalStatusDescriptor) endpoint.query(null, null, null, null, null, null, null, null);
    }

    /** Gives no connection while the database is away. */
    private static final class Outage extends DelegatingDataSource {

        private volatile boolean away;

        Outage(DataSource dataSource) {
            super(dataSource);
        }

        @Override
        public Connection getConnection() throws SQLException {
            if (away) {
                throw new SQLTransientConnectionException("away");
            }
            return super.getConnection();
        }
    }
}
