package io.delayqueue.jdbc.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.ScheduleOutcome;
import io.delayqueue.jdbc.outbox.HandOver;
import io.delayqueue.jdbc.relay.OutboxBlockedEvent;
import io.delayqueue.jdbc.relay.OutboxOperator;
import io.delayqueue.jdbc.relay.OutboxSettings;
import io.delayqueue.jdbc.relay.OutboxStatus;
import io.delayqueue.jdbc.relay.QueuedHandOver;
import io.delayqueue.jdbc.relay.Relay;
import io.delayqueue.jdbc.support.JournalDatabase;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.autoconfigure.DelayQueueAutoConfiguration;
import io.delayqueue.spring.autoconfigure.DelayQueueJacksonAutoConfiguration;
import io.delayqueue.test.EmbeddedRedis;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcClientAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

@Tag("slow")
class JournalRelayAutoConfigurationTests {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    private static EmbeddedRedis redis;

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DataSourceAutoConfiguration.class,
                    DataSourceTransactionManagerAutoConfiguration.class,
                    TransactionAutoConfiguration.class,
                    JdbcTemplateAutoConfiguration.class,
                    JdbcClientAutoConfiguration.class,
                    DataRedisAutoConfiguration.class,
                    JacksonAutoConfiguration.class,
                    DelayQueueJacksonAutoConfiguration.class,
                    DelayQueueAutoConfiguration.class,
                    JournalSchemaAutoConfiguration.class,
                    JournalRelayAutoConfiguration.class,
                    JournalAutoConfiguration.class))
            .withPropertyValues(
                    "spring.datasource.url=jdbc:h2:mem:" + System.nanoTime() + ";DB_CLOSE_DELAY=-1",
                    "spring.data.redis.url=" + redis.uri(),
                    "delayqueue.command-timeout=20s");

    @BeforeAll
    static void startRedis() {
        redis = EmbeddedRedis.start();
    }

    @AfterAll
    static void stopRedis() {
        redis.close();
    }

    /** Sent by this instance's hand-over: a relay would come after the send timeout. */
    @Test
    void whatATransactionSchedulesIsInRedisAfterItsCommit() {
        runner.withPropertyValues(
                        "delayqueue.journal.outbox.send-timeout=10m", "delayqueue.journal.outbox.remember-applied=1h")
                .run(context -> {
                    DelayQueueOperations template = context.getBean(DelayQueueOperations.class);
                    DelayQueueClient client = context.getBean(DelayQueueClient.class);

                    String id = context.getBean(TransactionTemplate.class)
                            .execute(status -> template.schedule("orders", "A-17", Duration.ofHours(1)));

                    await().atMost(LIMIT).until(() -> client.find("orders", id).isPresent());
                    JdbcClient jdbc = context.getBean(JdbcClient.class);
                    await().atMost(LIMIT)
                            .until(() -> jdbc.sql("SELECT status FROM delayqueue_message")
                                    .query(String.class)
                                    .single()
                                    .equals("SCHEDULED"));
                    assertThat(template.message("orders", "own").schedule().outcome())
                            .isEqualTo(ScheduleOutcome.SCHEDULED);
                    template.cancel("orders", id);
                    await().atMost(LIMIT).until(() -> client.find("orders", id).isEmpty());
                    await().atMost(LIMIT)
                            .until(() -> context.getBean(OutboxOperator.class)
                                    .status()
                                    .equals(new OutboxStatus(Duration.ZERO, 0)));
                });
    }

    @Test
    void aBlockedIdIsPublishedAsAnEvent() {
        List<OutboxBlockedEvent> events = new CopyOnWriteArrayList<>();
        runner.withPropertyValues("delayqueue.journal.outbox.max-failures=1")
                .withInitializer(context -> context.addApplicationListener((PayloadApplicationEvent<?> event) -> {
                    if (event.getPayload() instanceof OutboxBlockedEvent blocked) {
                        events.add(blocked);
                    }
                }))
                .run(context -> {
                    JournalDatabase database = context.getBean(JournalDatabase.class);
                    database.jdbc()
                            .sql(
                                    "INSERT INTO delayqueue_outbox (topic, id, operations, changes, sender, send_at, created,"
                                            + " failures) VALUES (?, ?, 'Sg0000001;', 1, 1, 1, 1, 0)")
                            .params(
                                    database.dialect().name("orders"),
                                    database.dialect().name("A-17"))
                            .update();

                    await().atMost(LIMIT).until(() -> !events.isEmpty());
                    assertThat(events)
                            .containsExactly(
                                    new OutboxBlockedEvent("orders", "A-17", "the message has no row in the journal"));
                });
    }

    /** Else Redis might have forgotten what a relay that was frozen sends again. */
    @Test
    void redisHasToRememberLongerThanClaimsLast() {
        runner.withPropertyValues(
                        "delayqueue.journal.outbox.send-timeout=20s", "delayqueue.journal.outbox.remember-applied=59s")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("at least three times the send timeout"));
    }

    @Test
    void sendsAgainAfterTheContextWasStoppedAndStarted() {
        runner.run(context -> {
            ConfigurableApplicationContext application = context.getSourceApplicationContext();
            application.stop();
            application.start();
            DelayQueueOperations template = context.getBean(DelayQueueOperations.class);

            assertThat(template.message("orders", "later").schedule().outcome()).isEqualTo(ScheduleOutcome.SCHEDULED);
            await().atMost(LIMIT)
                    .until(() -> context.getBean(JdbcClient.class)
                                    .sql("SELECT COUNT(*) FROM delayqueue_outbox")
                                    .query(Integer.class)
                                    .single()
                            == 0);
        });
    }

    @Test
    void propertiesSetTheOutbox() {
        runner.withPropertyValues(
                        "delayqueue.journal.outbox.send-timeout=20s",
                        "delayqueue.journal.outbox.batch-size=100",
                        "delayqueue.journal.outbox.poll-interval=3s",
                        "delayqueue.journal.outbox.hand-over-capacity=50",
                        "delayqueue.journal.outbox.max-failures=4")
                .run(context -> assertThat(context.getBean(OutboxSettings.class))
                        .isEqualTo(new OutboxSettings(Duration.ofSeconds(20), 100, Duration.ofSeconds(3), 50, 4)));
    }

    @Test
    void defaultPropertiesAreThoseOfTheClasses() {
        runner.run(context -> assertThat(context.getBean(OutboxSettings.class)).isEqualTo(OutboxSettings.DEFAULTS));
    }

    @Test
    void anotherHandOverReplacesHandOverAndRelay() {
        runner.withBean(HandOver.class, () -> changes -> {})
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(QueuedHandOver.class)
                        .doesNotHaveBean(Relay.class));
    }
}
