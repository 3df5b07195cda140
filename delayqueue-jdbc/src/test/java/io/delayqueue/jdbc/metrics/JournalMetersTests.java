package io.delayqueue.jdbc.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.jdbc.autoconfigure.JournalMetricsAutoConfiguration;
import io.delayqueue.jdbc.autoconfigure.JournalRestoreAutoConfiguration;
import io.delayqueue.jdbc.restore.JournalRestore;
import io.delayqueue.jdbc.restore.RestoreRequest;
import io.delayqueue.jdbc.testsupport.JournalApplication;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.test.EmbeddedRedis;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.jdbc.core.simple.JdbcClient;

class JournalMetersTests {

    private final EmbeddedRedis redis = EmbeddedRedis.start();
    private final MeterRegistry registry = new SimpleMeterRegistry();

    @AfterEach
    void stopRedis() {
        redis.close();
    }

    private ApplicationContextRunner application(DataSource dataSource) {
        return JournalApplication.withQuickRestoresOn(dataSource, redis.uri())
                .withConfiguration(AutoConfigurations.of(JournalMetricsAutoConfiguration.class))
                .withBean(MeterRegistry.class, () -> registry);
    }

    @EachDatabase(DatabaseKind.H2)
    void countsWhatIsSent(TestDatabase database) {
        application(database.withSchema().dataSource()).run(context -> {
            DelayQueueOperations template = context.getBean(DelayQueueOperations.class);
            template.scheduleAll("orders", IntStream.range(0, 50).boxed().toList(), Duration.ofHours(1));
            template.cancel("orders", "unknown");

            await().atMost(Duration.ofSeconds(30)).until(() -> sent("scheduled") == 50 && sent("not_found") == 1);
            assertThat(sent("cancelled")).isZero();
            assertThat(registry.get("delayqueue.journal.commit.to.redis")
                            .timer()
                            .count())
                    .isEqualTo(51);
            assertThat(gauge("outbox.lag")).isZero();
            assertThat(gauge("outbox.blocked")).isZero();
        });
    }

    @EachDatabase(DatabaseKind.H2)
    void countsFailuresAndBlockedIds(TestDatabase database) {
        DataSource dataSource = database.withSchema().dataSource();
        rowOfALostMessage(dataSource);
        application(dataSource).run(context -> {
            await().atMost(Duration.ofSeconds(30)).until(() -> gauge("outbox.blocked") == 1);

            // told behind the commit
            await().atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> assertThat(registry.get("delayqueue.journal.outbox.failed")
                                    .counter()
                                    .count())
                            .isEqualTo(1));
        });
    }

    @EachDatabase(DatabaseKind.H2)
    void showsTheLagWhileRedisIsDownAndCountsChangesLeftToTheRelay(TestDatabase database) {
        DataSource dataSource = database.withSchema().dataSource();
        redis.close();
        application(dataSource)
                .withPropertyValues("delayqueue.command-timeout=2s")
                .run(context -> {
                    rowOfALostMessage(dataSource);
                    context.getBean(DelayQueueOperations.class).schedule("orders", "later", Duration.ofHours(1));

                    assertThat(gauge("outbox.lag")).isGreaterThan(1_000_000);
                    await().atMost(Duration.ofSeconds(30))
                            .until(() -> registry.get("delayqueue.journal.handover.deferred")
                                            .counter()
                                            .count()
                                    == 1);
                });
    }

    @EachDatabase(DatabaseKind.H2)
    void gaugesHaveNoValueWithoutTheDatabase(TestDatabase database) {
        DataSource dataSource = database.withSchema().dataSource();
        application(dataSource).run(context -> {
            JdbcClient.create(dataSource).sql("DROP TABLE delayqueue_outbox").update();

            await().atMost(Duration.ofSeconds(30)).until(() -> Double.isNaN(gauge("outbox.lag")));
            assertThat(gauge("outbox.blocked")).isNaN();
        });
    }

    @EachDatabase(DatabaseKind.H2)
    void countsDuplicatesOfTheInboxAndPrunedRows(TestDatabase database) {
        DataSource dataSource = database.withSchema().dataSource();
        JdbcClient.create(dataSource)
                .sql("INSERT INTO delayqueue_inbox (topic, id, generation, listener, handled)"
                        + " VALUES ('orders', 'A-17', 'g0000001', 'orders', 1)")
                .update();
        application(dataSource).run(context -> {
            await().atMost(Duration.ofSeconds(30)).until(() -> counter("pruned") == 1);
            assertThat(counter("inbox.duplicates")).isZero();
            String topic = JournalApplication.OrderListener.TOPIC;
            DelayQueueOperations template = context.getBean(DelayQueueOperations.class);
            JdbcClient jdbc = JdbcClient.create(dataSource);
            template.schedule(topic, "first", Duration.ZERO);
            await().atMost(Duration.ofSeconds(30)).until(() -> rows(jdbc, "inbox") == 1);
            // as if its handler's transaction had been committed by an instance that was killed then
            String second = template.schedule(topic, "second", Duration.ofHours(1));
            jdbc.sql("INSERT INTO delayqueue_inbox (topic, id, generation, listener, handled)"
                            + " SELECT m.topic, m.id, m.generation, i.listener, i.handled"
                            + " FROM delayqueue_message m, delayqueue_inbox i WHERE m.id = ?")
                    .param(second)
                    .update();
            template.reschedule(topic, second, Duration.ZERO);

            await().atMost(Duration.ofSeconds(30)).until(() -> counter("inbox.duplicates") == 1);
        });
    }

    private static long rows(JdbcClient jdbc, String table) {
        return jdbc.sql("SELECT COUNT(*) FROM delayqueue_" + table)
                .query(Long.class)
                .single();
    }

    @EachDatabase(DatabaseKind.H2)
    void countsLossesOfRedisAndWhatIsRestored(TestDatabase database) {
        application(database.withSchema().dataSource())
                .withConfiguration(AutoConfigurations.of(JournalRestoreAutoConfiguration.class))
                .withPropertyValues(
                        "delayqueue.journal.restore.mode=report", "delayqueue.journal.restore.check-interval=200ms")
                .run(context -> {
                    context.getBean(DelayQueueOperations.class)
                            .scheduleAll("orders", List.of(1, 2, 3), Duration.ofHours(1));
                    await().atMost(Duration.ofSeconds(30)).until(() -> sent("scheduled") == 3);
                    assertThat(gauge("restore.losses")).isZero();

                    context.getBean(RedisConnectionFactory.class)
                            .getConnection()
                            .serverCommands()
                            .flushAll();

                    await().atMost(Duration.ofSeconds(30)).until(() -> gauge("restore.losses") == 1);
                    assertThat(counter("restore.restored")).isZero();
                    context.getBean(JournalRestore.class).restore(RestoreRequest.all(), false);
                    assertThat(counter("restore.restored")).isEqualTo(3);
                });
    }

    private double counter(String name) {
        return registry.get("delayqueue.journal." + name).functionCounter().count();
    }

    /** Each number of tags is a series in every instance of every application. */
    @EachDatabase(DatabaseKind.H2)
    void metersAreDescribedAndHaveFewTags(TestDatabase database) {
        application(database.withSchema().dataSource()).run(context -> {
            List<Meter> meters = registry.getMeters().stream()
                    .filter(meter -> meter.getId().getName().startsWith("delayqueue.journal."))
                    .toList();

            assertThat(meters).hasSizeBetween(10, 40).allSatisfy(meter -> {
                assertThat(meter.getId().getDescription()).isNotBlank();
            });
            assertThat(meters.stream()
                            .flatMap(meter -> meter.getId().getTags().stream())
                            .map(Tag::getKey)
                            .collect(Collectors.toSet()))
                    .containsOnly("outcome");
        });
    }

    private double sent(String outcome) {
        return registry.get("delayqueue.journal.outbox.sent")
                .tag("outcome", outcome)
                .counter()
                .count();
    }

    private double gauge(String name) {
        return registry.get("delayqueue.journal." + name).gauge().value();
    }

    private static void rowOfALostMessage(DataSource dataSource) {
        JdbcClient.create(dataSource)
                .sql(
                        "INSERT INTO delayqueue_outbox (topic, id, operations, changes, sender, send_at, created, failures)"
                                + " VALUES ('orders', 'A-17', 'Sg0000001;', 1, 1, 1700000000000000, 1700000000000000, 0)")
                .update();
    }
}
