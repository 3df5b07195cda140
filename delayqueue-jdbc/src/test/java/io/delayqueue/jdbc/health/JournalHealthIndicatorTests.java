package io.delayqueue.jdbc.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.jdbc.autoconfigure.JournalHealthContributorAutoConfiguration;
import io.delayqueue.jdbc.autoconfigure.JournalRestoreAutoConfiguration;
import io.delayqueue.jdbc.testsupport.JournalApplication;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.test.EmbeddedRedis;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.jdbc.core.simple.JdbcClient;

@Tag("slow")
class JournalHealthIndicatorTests {

    private final EmbeddedRedis redis = EmbeddedRedis.start();

    @AfterEach
    void stopRedis() {
        redis.close();
    }

    private ApplicationContextRunner application(DataSource dataSource) {
        return JournalApplication.on(dataSource, redis.uri())
                .withConfiguration(AutoConfigurations.of(JournalHealthContributorAutoConfiguration.class))
                .withPropertyValues("delayqueue.command-timeout=20s");
    }

    @EachDatabase(DatabaseKind.H2)
    void isUpWhileNothingWaits(TestDatabase database) {
        application(database.withSchema().dataSource()).run(context -> {
            Health health = context.getBean(JournalHealthIndicator.class).health();

            assertThat(health.getStatus()).isEqualTo(Status.UP);
            assertThat(health.getDetails()).containsEntry("blocked", 0).containsEntry("relay", "running");
        });
    }

    @EachDatabase(DatabaseKind.H2)
    void aBlockedIdIsOverdue(TestDatabase database) {
        DataSource dataSource = database.withSchema().dataSource();
        rowOfALostMessage(dataSource);
        application(dataSource).run(context -> {
            JournalHealthIndicator indicator = context.getBean(JournalHealthIndicator.class);

            await().atMost(Duration.ofSeconds(30))
                    .until(() -> indicator.health().getDetails().get("blocked").equals(1));
            assertThat(indicator.health().getStatus()).isEqualTo(JournalHealthIndicator.OVERDUE);
        });
    }

    /** The row could have been sent for years. */
    @EachDatabase(DatabaseKind.H2)
    void aRelayThatGetsNothingThroughIsOverdue(TestDatabase database) {
        DataSource dataSource = database.withSchema().dataSource();
        redis.close();
        application(dataSource)
                .withPropertyValues("delayqueue.command-timeout=2s")
                .run(context -> {
                    rowOfALostMessage(dataSource);
                    JournalHealthIndicator indicator = context.getBean(JournalHealthIndicator.class);

                    assertThat(indicator.health().getStatus()).isEqualTo(JournalHealthIndicator.OVERDUE);
                    await().atMost(Duration.ofSeconds(30))
                            .until(() ->
                                    indicator.health().getDetails().get("relay").equals("failing"));
                });
    }

    @EachDatabase(DatabaseKind.H2)
    void aLossOfRedisThatIsLeftToAPersonIsOverdue(TestDatabase database) {
        application(database.withSchema().dataSource())
                .withConfiguration(AutoConfigurations.of(JournalRestoreAutoConfiguration.class))
                .withPropertyValues(
                        "delayqueue.journal.restore.mode=report", "delayqueue.journal.restore.check-interval=200ms")
                .run(context -> {
                    JournalHealthIndicator indicator = context.getBean(JournalHealthIndicator.class);
                    context.getBean(DelayQueueOperations.class).schedule("orders", 1, Duration.ofHours(1));
                    await().atMost(Duration.ofSeconds(30))
                            .until(() -> context.getBean(DelayQueueClient.class)
                                            .stats("orders")
                                            .pending()
                                            .total()
                                    == 1);
                    assertThat(indicator.health().getStatus()).isEqualTo(Status.UP);
                    assertThat(indicator.health().getDetails()).containsEntry("losses", 0);

                    context.getBean(RedisConnectionFactory.class)
                            .getConnection()
                            .serverCommands()
                            .flushAll();

                    await().atMost(Duration.ofSeconds(30))
                            .until(() -> indicator.health().getStatus().equals(JournalHealthIndicator.OVERDUE));
                    assertThat(indicator.health().getDetails()).containsEntry("losses", 1);
                });
    }

    @EachDatabase(DatabaseKind.H2)
    void anAuditTrailThatDropsEventsIsOverdue(TestDatabase database) {
        DataSource dataSource = database.withSchema().dataSource();
        application(dataSource)
                .withPropertyValues("delayqueue.journal.audit.capacity=10")
                .run(context -> {
                    JournalHealthIndicator indicator = context.getBean(JournalHealthIndicator.class);
                    DelayQueueOperations queue = context.getBean(DelayQueueOperations.class);
                    assertThat(indicator.health().getDetails()).containsEntry("audit", "running");
                    JdbcClient.create(dataSource)
                            .sql("ALTER TABLE delayqueue_event RENAME TO elsewhere")
                            .update();

                    queue.schedule("handled-once", "first", Duration.ZERO);
                    await().atMost(Duration.ofSeconds(30))
                            .until(() -> "failing"
                                    .equals(indicator.health().getDetails().get("audit")));
                    assertThat(indicator.health().getStatus()).isEqualTo(Status.UP);

                    await().atMost(Duration.ofSeconds(30)).until(() -> {
                        queue.scheduleAll("handled-once", List.of("a", "b", "c", "d", "e"), Duration.ZERO);
                        return indicator.health().getStatus().equals(JournalHealthIndicator.OVERDUE);
                    });
                    assertThat(indicator.health().getDetails()).containsEntry("audit", "full");

                    JdbcClient.create(dataSource)
                            .sql("ALTER TABLE elsewhere RENAME TO delayqueue_event")
                            .update();
                    await().atMost(Duration.ofSeconds(30))
                            .until(() -> indicator.health().getStatus().equals(Status.UP));
                });
    }

    @EachDatabase(DatabaseKind.H2)
    void aStoppedRelayIsDown(TestDatabase database) {
        application(database.withSchema().dataSource()).run(context -> {
            ((ConfigurableApplicationContext) context.getSourceApplicationContext()).stop();

            assertThat(context.getBean(JournalHealthIndicator.class).health().getStatus())
                    .isEqualTo(Status.DOWN);
        });
    }

    @EachDatabase(DatabaseKind.H2)
    void aDatabaseThatDoesNotAnswerIsDown(TestDatabase database) {
        DataSource dataSource = database.withSchema().dataSource();
        application(dataSource).run(context -> {
            JdbcClient.create(dataSource).sql("DROP TABLE delayqueue_outbox").update();

            Health health = context.getBean(JournalHealthIndicator.class).health();
            assertThat(health.getStatus()).isEqualTo(Status.DOWN);
            assertThat(health.getDetails()).containsKey("error");
        });
    }

    private static void rowOfALostMessage(DataSource dataSource) {
        JdbcClient.create(dataSource)
                .sql(
                        "INSERT INTO delayqueue_outbox (topic, id, operations, changes, sender, send_at, created, failures)"
                                + " VALUES ('orders', 'A-17', 'Sg0000001;', 1, 1, 1700000000000000, 1700000000000000, 0)")
                .update();
    }
}
