package io.delayqueue.jdbc.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.jdbc.MessageStatus;
import io.delayqueue.jdbc.autoconfigure.JournalEndpointAutoConfiguration;
import io.delayqueue.jdbc.autoconfigure.JournalRestoreAutoConfiguration;
import io.delayqueue.jdbc.relay.OutboxOperator;
import io.delayqueue.jdbc.restore.JournalRestore;
import io.delayqueue.jdbc.restore.RestoreMode;
import io.delayqueue.jdbc.restore.RestoreSettings;
import io.delayqueue.jdbc.testsupport.JournalApplication;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.test.EmbeddedRedis;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.jdbc.core.simple.JdbcClient;

@Tag("slow")
class JournalEndpointTests {

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
                .withConfiguration(AutoConfigurations.of(JournalEndpointAutoConfiguration.class))
                .withPropertyValues(
                        "management.endpoints.web.exposure.include=*",
                        "delayqueue.command-timeout=20s",
                        "delayqueue.journal.initialize-schema=always");
    }

    @EachDatabase(DatabaseKind.H2)
    void blockedIdsAreShownAndUnblocked(TestDatabase database) {
        DataSource dataSource = database.withSchema().dataSource();
        application(dataSource).run(context -> {
            JournalEndpoint endpoint = context.getBean(JournalEndpoint.class);
            assertThat(outbox(status(endpoint))).satisfies(outbox -> {
                assertThat(outbox.blocked()).isZero();
                assertThat(outbox.lag()).isZero();
                assertThat(outbox.relayRuns()).isTrue();
            });

            blockOne(dataSource);
            OutboxOperator operator = context.getBean(OutboxOperator.class);
            awaitBlocked(operator);

            assertThat(outbox(status(endpoint)).blocked()).isEqualTo(1);
            assertThat(outbox(status(endpoint)).blockedIds())
                    .containsExactly(new BlockedIdDescriptor("orders", "A-17", 1, "******"));

            message(dataSource);
            assertThat(unblock(endpoint, "others", null)).isEqualTo(new UnblockDescriptor(0));
            assertThat(unblock(endpoint, "orders", null)).isEqualTo(new UnblockDescriptor(1));
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> JdbcClient.create(dataSource)
                            .sql("SELECT status FROM delayqueue_message")
                            .query(String.class)
                            .single()
                            .equals("SCHEDULED"));
            assertThat(unblock(endpoint, "orders", "A-17")).isEqualTo(new UnblockDescriptor(0));
        });
    }

    @EachDatabase(DatabaseKind.H2)
    void errorsAreShownIfValuesAre(TestDatabase database) {
        DataSource dataSource = database.withSchema().dataSource();
        blockOne(dataSource);
        application(dataSource)
                .withPropertyValues("management.endpoint.delayqueuejournal.show-values=always")
                .run(context -> {
                    awaitBlocked(context.getBean(OutboxOperator.class));

                    assertThat(outbox(status(context.getBean(JournalEndpoint.class)))
                                    .blockedIds()
                                    .get(0)
                                    .error())
                            .contains("no row in the journal");
                });
    }

    @EachDatabase(DatabaseKind.H2)
    void missingParametersAreNamed(TestDatabase database) {
        application(database.dataSource())
                .run(context -> assertThatExceptionOfType(InvalidEndpointRequestException.class)
                        .isThrownBy(() -> unblock(context.getBean(JournalEndpoint.class), null, "A-17"))
                        .withMessageContaining("'topic'"));
    }

    @EachDatabase
    void storiesAndSearchesAreShown(TestDatabase database) {
        DataSource dataSource = database.withSchema().dataSource();
        String number = "17-" + database.kind();
        application(dataSource).run(context -> {
            context.getBean(DelayQueueOperations.class)
                    .message("orders", "p")
                    .id("2026/" + number)
                    .header("order", "A-17")
                    .delay(Duration.ofHours(1))
                    .schedule();
            JournalEndpoint endpoint = context.getBean(JournalEndpoint.class);
            MessageStatus[] scheduled = {MessageStatus.SCHEDULED};
            await().atMost(Duration.ofSeconds(30)).until(() -> found(endpoint, "orders", null, scheduled) == 1);

            assertThat(found(endpoint, null, "A-17", null)).isEqualTo(1);
            assertThat(found(endpoint, null, "A-18", null)).isZero();
            assertThat(found(endpoint, "orders", null, new MessageStatus[] {MessageStatus.DEAD}))
                    .isZero();
            StoryDescriptor story = (StoryDescriptor) endpoint.story("orders", "2026", number);
            assertThat(story.messages()).hasSize(1).allSatisfy(told -> {
                assertThat(told.events()).isNotEmpty();
                assertThat(told.message().headers()).containsEntry("order", "******");
                assertThat(told.message().businessKey()).isEqualTo("******");
            });
            assertThat(named(endpoint, "orders", "2026/" + number, null, null)).isEqualTo(story);
            assertThat(endpoint.story("orders", "unknown")).isNull();
            assertThatExceptionOfType(InvalidEndpointRequestException.class)
                    .isThrownBy(() -> named(endpoint, null, null, null, scheduled))
                    .withMessageContaining("'topic' or 'key'");
            assertThatExceptionOfType(InvalidEndpointRequestException.class)
                    .isThrownBy(() -> endpoint.query("orders", null, null, null, null, null, "nonsense", null))
                    .withMessageContaining("no position");
        });
    }

    @EachDatabase(DatabaseKind.H2)
    void aRestoreIsADryRunUnlessItIsSaidNotToBe(TestDatabase database) {
        application(database.withSchema().dataSource())
                .withConfiguration(AutoConfigurations.of(JournalRestoreAutoConfiguration.class))
                .withPropertyValues(
                        "delayqueue.journal.restore.mode=report", "delayqueue.journal.restore.check-interval=200ms")
                .run(context -> {
                    DelayQueueOperations queue = context.getBean(DelayQueueOperations.class);
                    queue.scheduleAll("lost", List.of(1, 2, 3), Duration.ofHours(1));
                    JournalEndpoint endpoint = context.getBean(JournalEndpoint.class);
                    MessageStatus[] scheduled = {MessageStatus.SCHEDULED};
                    await().atMost(Duration.ofSeconds(30)).until(() -> found(endpoint, "lost", null, scheduled) == 3);
                    assertThat(restore(endpoint).losses()).isEmpty();

                    context.getBean(RedisConnectionFactory.class)
                            .getConnection()
                            .serverCommands()
                            .flushAll();
                    await().atMost(Duration.ofSeconds(30))
                            .until(() -> restore(endpoint).losses().contains(new LossDescriptor("lost", 0, "EMPTY")));
                    assertThat(((JournalStatusDescriptor) status(endpoint))
                                    .audit()
                                    .failing())
                            .isFalse();

                    RestoreRunDescriptor dryRun = restore(endpoint, null);
                    assertThat(dryRun.accepted()).isTrue();
                    assertThat(dryRun.dryRun()).isTrue();
                    // a difference counts if it is still there after the settling time
                    assertThat(restore(endpoint, false).accepted()).isFalse();
                    assertThat(context.getBean(JournalEndpointWebExtension.class)
                                    .change(JournalAction.RESTORE, null, null, null, false, null)
                                    .getStatus())
                            .isEqualTo(409);
                    RestoreRunDescriptor looked = awaitDone(endpoint);
                    assertThat(looked.dryRun()).isTrue();
                    assertThat(looked.report().differences()).containsEntry("ONLY_IN_JOURNAL", 3L);
                    assertThat(looked.report().restored()).isZero();
                    assertThat(restore(endpoint).restored()).isZero();
                    assertThat(context.getBean(DelayQueueClient.class)
                                    .stats("lost")
                                    .pending()
                                    .total())
                            .isZero();

                    assertThat(restore(endpoint, false).accepted()).isTrue();
                    assertThat(awaitDone(endpoint).report().restored()).isEqualTo(3);
                    assertThat(restore(endpoint).restored()).isEqualTo(3);
                    await().atMost(Duration.ofSeconds(30))
                            .until(() -> context.getBean(DelayQueueClient.class)
                                            .stats("lost")
                                            .pending()
                                            .total()
                                    == 3);
                    // health would be OVERDUE for ever
                    await().during(Duration.ofSeconds(1))
                            .atMost(Duration.ofSeconds(30))
                            .until(() -> restore(endpoint).losses().isEmpty());
                });
    }

    @EachDatabase
    void searchesHaveBoundsAndPages(TestDatabase database) {
        String topic = "paged-" + database.kind();
        application(database.withSchema().dataSource()).run(context -> {
            Instant hour = Instant.now().truncatedTo(ChronoUnit.SECONDS).plus(Duration.ofHours(1));
            List.of(0, 1, 2)
                    .forEach(hours -> context.getBean(DelayQueueOperations.class)
                            .message(topic, "p")
                            .id("in " + hours)
                            .dueAt(hour.plus(Duration.ofHours(hours)))
                            .schedule());
            JournalEndpoint endpoint = context.getBean(JournalEndpoint.class);

            // the end is exclusive
            Instant second = hour.plus(Duration.ofHours(1));
            assertThat(ids(search(endpoint, topic, second, null, null, null))).containsExactly("in 1", "in 2");
            assertThat(ids(search(endpoint, topic, null, second, null, null))).containsExactly("in 0");
            assertThat(ids(search(endpoint, topic, second, second.plusSeconds(1), null, null)))
                    .containsExactly("in 1");
            SearchDescriptor page = search(endpoint, topic, null, null, null, 2);
            assertThat(ids(page)).containsExactly("in 0", "in 1");
            assertThat(ids(search(endpoint, topic, null, null, page.next(), 2))).containsExactly("in 2");
            assertRefused(() -> search(endpoint, topic, null, null, null, 501), "limit");
            assertRefused(() -> search(endpoint, null, null, null, null, 10), "'topic' or 'key'");
            assertRefused(() -> endpoint.story(topic), "no id");
            assertRefused(() -> named(endpoint, topic, null, null, new MessageStatus[] {MessageStatus.OTHER}), "OTHER");
        });
    }

    private static SearchDescriptor search(
            JournalEndpoint endpoint, String topic, Instant from, Instant to, String after, Integer limit) {
        return (SearchDescriptor) endpoint.query(topic, null, null, null, from, to, after, limit);
    }

    private static List<String> ids(SearchDescriptor page) {
        return page.messages().stream().map(JournalMessageDescriptor::id).toList();
    }

    @EachDatabase(DatabaseKind.H2)
    void aRestoreIsOfTheMessagesThatWereAskedFor(TestDatabase database) {
        RestoreSettings settings = new RestoreSettings(
                RestoreMode.REPORT,
                1_000,
                Duration.ofHours(1),
                Duration.ZERO,
                Duration.ofSeconds(1),
                Duration.ofSeconds(1),
                Duration.ofMillis(100));
        application(database.withSchema().dataSource())
                .withConfiguration(AutoConfigurations.of(JournalRestoreAutoConfiguration.class))
                .withBean(RestoreSettings.class, () -> settings)
                .run(context -> {
                    DelayQueueOperations queue = context.getBean(DelayQueueOperations.class);
                    queue.message("asked", "p")
                            .id("a")
                            .delay(Duration.ofHours(1))
                            .schedule();
                    queue.message("asked", "p")
                            .id("b")
                            .delay(Duration.ofHours(1))
                            .schedule();
                    queue.message("due", "p").id("c").delay(Duration.ZERO).schedule();
                    JournalEndpoint endpoint = context.getBean(JournalEndpoint.class);
                    MessageStatus[] scheduled = {MessageStatus.SCHEDULED};
                    await().atMost(Duration.ofSeconds(30))
                            .until(() -> found(endpoint, "asked", null, scheduled) == 2
                                    && found(endpoint, "due", null, scheduled) == 1);
                    context.getBean(RedisConnectionFactory.class)
                            .getConnection()
                            .serverCommands()
                            .flushAll();

                    assertThat(missing(endpoint, "asked", null, null)).isEqualTo(2);
                    assertThat(missing(endpoint, "asked", "a", null)).isEqualTo(1);
                    assertThat(missing(endpoint, null, null, true)).isEqualTo(1);
                    assertThat(missing(endpoint, "asked", null, true)).isZero();
                    assertThat(missing(endpoint, null, null, null)).isEqualTo(3);
                    // as if there were nothing to restore
                    assertRefused(() -> missing(endpoint, "aksed", null, null), "no message of topic 'aksed'");
                    assertRefused(() -> missing(endpoint, "asked", "c", null), "no message 'c' of topic 'asked'");
                });
    }

    /** The findings of a dry run, for the selection of messages that its answer tells. */
    private static long missing(JournalEndpoint endpoint, String topic, String id, Boolean overdue) {
        RestoreRunDescriptor run =
                (RestoreRunDescriptor) endpoint.change(JournalAction.RESTORE, topic, id, overdue, null, null);
        assertThat(run.topic()).isEqualTo(topic);
        assertThat(run.id()).isEqualTo(id);
        assertThat(run.overdue()).isEqualTo(Boolean.TRUE.equals(overdue));
        return awaitDone(endpoint).report().differences().get("ONLY_IN_JOURNAL");
    }

    @EachDatabase(DatabaseKind.H2)
    void requestsThatMeanNothingAreRefused(TestDatabase database) {
        application(database.withSchema().dataSource())
                .withConfiguration(AutoConfigurations.of(JournalRestoreAutoConfiguration.class))
                .run(context -> {
                    JournalEndpoint endpoint = context.getBean(JournalEndpoint.class);

                    assertRefused(
                            () -> endpoint.change(JournalAction.UNBLOCK, "orders", "a", null, true, null), "'dryRun'");
                    assertRefused(() -> endpoint.change(JournalAction.RESTORE, null, "a", null, null, null), "'topic'");
                    assertRefused(
                            () -> endpoint.change(JournalAction.RESTORE, "orders", "a", true, null, null), "'overdue'");
                });
        application(database.dataSource())
                .withPropertyValues("delayqueue.journal.audit.enabled=false")
                .run(context -> {
                    assertThat(context).doesNotHaveBean(JournalRestore.class);
                    JournalEndpoint endpoint = context.getBean(JournalEndpoint.class);
                    assertThat(restore(endpoint)).isNull();
                    assertRefused(() -> restore(endpoint, true), "nothing restores");
                });
    }

    private static void assertRefused(ThrowingCallable request, String reason) {
        assertThatExceptionOfType(InvalidEndpointRequestException.class)
                .isThrownBy(request)
                .withMessageContaining(reason);
    }

    private static RestoreDescriptor restore(JournalEndpoint endpoint) {
        return ((JournalStatusDescriptor) status(endpoint)).restore();
    }

    private static RestoreRunDescriptor restore(JournalEndpoint endpoint, Boolean dryRun) {
        return (RestoreRunDescriptor) endpoint.change(JournalAction.RESTORE, null, null, null, dryRun, null);
    }

    private static RestoreRunDescriptor awaitDone(JournalEndpoint endpoint) {
        return await().atMost(Duration.ofSeconds(60))
                .until(() -> restore(endpoint).requested(), run -> run.state().equals("DONE"));
    }

    private static JournalDescriptor unblock(JournalEndpoint endpoint, String topic, String id) {
        return endpoint.change(JournalAction.UNBLOCK, topic, id, null, null, null);
    }

    private static JournalDescriptor status(JournalEndpoint endpoint) {
        return named(endpoint, null, null, null, null);
    }

    private static int found(JournalEndpoint endpoint, String topic, String key, MessageStatus[] status) {
        return ((SearchDescriptor) named(endpoint, topic, null, key, status))
                .messages()
                .size();
    }

    private static JournalDescriptor named(
            JournalEndpoint endpoint, String topic, String id, String key, MessageStatus[] status) {
        return endpoint.query(topic, id, key, status, null, null, null, null);
    }

    @Test
    void changesNeedAPermission() {
        assertThat(JournalEndpoint.class.getAnnotation(Endpoint.class).defaultAccess())
                .isEqualTo(Access.READ_ONLY);
    }

    private static OutboxDescriptor outbox(JournalDescriptor descriptor) {
        return ((JournalStatusDescriptor) descriptor).outbox();
    }

    private static void awaitBlocked(OutboxOperator operator) {
        await().atMost(Duration.ofSeconds(30)).until(() -> operator.status().blocked() == 1);
    }

    /** A row whose message is missing. */
    private static void blockOne(DataSource dataSource) {
        JdbcClient.create(dataSource)
                .sql(
                        "INSERT INTO delayqueue_outbox (topic, id, operations, changes, sender, send_at, created, failures)"
                                + " VALUES ('orders', 'A-17', 'Sg0000001;', 1, 1, 1700000000000000, 1700000000000000, 0)")
                .update();
    }

    private static void message(DataSource dataSource) {
        JdbcClient.create(dataSource)
                .sql(
                        "INSERT INTO delayqueue_message (topic, id, generation, status, attempts, priority, duplicates, due,"
                                + " due_is_instant, created, updated, headers, payload)"
                                + " VALUES ('orders', 'A-17', 'g0000001', 'BLOCKED', 0, 4, 'REPLACE', 4700000000000000, 0, 1, 1, '{}',"
                                + " x'2a')")
                .update();
    }
}
