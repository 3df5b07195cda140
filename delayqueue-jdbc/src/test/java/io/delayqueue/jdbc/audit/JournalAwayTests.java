package io.delayqueue.jdbc.audit;

import static io.delayqueue.jdbc.audit.AuditFixture.TOPIC;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.TopicStats;
import io.delayqueue.jdbc.MessageStatus;
import io.delayqueue.jdbc.restore.RestoreMode;
import io.delayqueue.jdbc.restore.RestoreSettings;
import io.delayqueue.jdbc.testsupport.OutboxApplication;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.listener.DelayQueueListenerEndpointRegistry;
import io.delayqueue.test.EmbeddedRedis;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.springframework.context.event.EventListener;

/** A database that goes away while messages are handled, and comes back. */
@Tag("slow")
class JournalAwayTests {

    private static final String RECONCILED = "reconciled";

    private final EmbeddedRedis redis = EmbeddedRedis.start();

    private @Nullable TestDatabase away;

    @AfterEach
    void close() throws Exception {
        redis.close();
        comeBack();
    }

    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void eventsWaitInMemoryAndNoneIsLostWhileTheyFit(TestDatabase database) throws Exception {
        try (AuditFixture audit = away(database, AuditSettings.DEFAULTS)) {
            List<OutgoingMessage> messages = audit.sent(TOPIC, 3_000);
            audit.writer.start();
            messages.subList(0, 1_000).forEach(message -> audit.handled(message, 1));
            await().atMost(Duration.ofSeconds(60)).until(() -> audit.buffer.size() == 0);

            goAway(database);
            messages.subList(1_000, 3_000).forEach(message -> audit.handled(message, 1));
            await().atMost(Duration.ofSeconds(30)).until(audit.writer::isFailing);
            comeBack();

            await().atMost(Duration.ofSeconds(60)).ignoreExceptions().until(() -> acked(audit) == 3_000);
            assertThat(audit.count("event")).isEqualTo(3_000);
            assertThat(audit.buffer.dropped()).isZero();
            audit.writer.close();
        }
    }

    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void flowDropsTheOldestEventsCountsThemAndTellsOnceAMinute(TestDatabase database) throws Exception {
        AuditSettings small = new AuditSettings(AuditPolicy.FLOW, 500, 1 << 20, Duration.ofMillis(20));
        try (AuditFixture audit = away(database, small)) {
            List<OutgoingMessage> messages = audit.sent(TOPIC, 3_000);
            List<AuditEventsDroppedEvent> told = new CopyOnWriteArrayList<>();
            AuditWatch watch = new AuditWatch(
                    audit.buffer,
                    AuditPolicy.FLOW,
                    paused -> {
                        throw new AssertionError("nothing is paused");
                    },
                    told::add);
            goAway(database);
            messages.forEach(message -> audit.handled(message, 1));
            watch.look();
            audit.observer.cancelled(TOPIC, "one more", Duration.ZERO);
            watch.look();

            assertThat(told).containsExactly(new AuditEventsDroppedEvent(2_500, 2_500));
            assertThat(audit.buffer.dropped()).isEqualTo(2_501);
            audit.writer.start();
            await().atMost(Duration.ofSeconds(30)).until(audit.writer::isFailing);
            comeBack();

            await().atMost(Duration.ofSeconds(60)).ignoreExceptions().until(() -> acked(audit) == 499);
            assertThat(audit.status(messages.get(2_999))).isEqualTo("ACKED");
            assertThat(audit.status(messages.get(2_500))).isEqualTo("SCHEDULED");
            await().atMost(Duration.ofSeconds(60))
                    .untilAsserted(() -> assertThat(audit.jdbc
                                    .sql("SELECT state FROM delayqueue_lease WHERE name = 'audit-gap'")
                                    .query(String.class)
                                    .list())
                            .containsExactly("2501 events were not recorded"));
            audit.writer.close();
        }
    }

    @EachDatabase(DatabaseKind.MARIADB)
    void stopPausesListenersBeforeEventsAreLostAndResumesThem(TestDatabase database) throws Exception {
        try (OutboxApplication application = new OutboxApplication(
                database,
                redis,
                context -> {
                    context.registerBean(Listener.class);
                    context.registerBean(Dropped.class);
                },
                "spring.datasource.hikari.connection-timeout=5000",
                "delayqueue.listener.concurrency=20",
                "delayqueue.journal.audit.policy=stop",
                "delayqueue.journal.audit.capacity=2000")) {
            Listener listener = application.context().getBean(Listener.class);
            AuditBuffer buffer = application.context().getBean(AuditBuffer.class);
            AuditWriter writer = application.context().getBean(AuditWriter.class);
            var registry = application.context().getBean(DelayQueueListenerEndpointRegistry.class);
            goAway(database);
            await().atMost(Duration.ofSeconds(30)).until(() -> {
                schedule(application, 10);
                return writer.isFailing();
            });
            await().atMost(Duration.ofSeconds(60)).until(() -> {
                // no more than the buffer takes, however late the watch looks: it pauses at 1,600
                if (messages(application) + buffer.size() <= 1_700) {
                    schedule(application, 100);
                }
                return !registry.pauseReasons().isEmpty();
            });
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> application.client().stats(TOPIC).inFlight() == 0);
            int handled = listener.handled.get();
            schedule(application, 1_000);
            assertThat(application.client().stats(TOPIC).pending().ready()).isGreaterThanOrEqualTo(1_000);
            await().during(Duration.ofSeconds(1)).until(() -> listener.handled.get() == handled);
            assertThat(buffer.dropped()).isZero();

            comeBack();

            await().atMost(Duration.ofSeconds(60))
                    .until(() -> application.client().stats(TOPIC).pending().total() == 0);
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> events(application)
                            == application.client().stats(TOPIC).totals().acked());
            assertThat(registry.pauseReasons()).isEmpty();
            assertThat(buffer.dropped()).isZero();
            assertThat(application.context().getBean(Dropped.class).events).isEmpty();
        }
    }

    /** The journal does not know how they ended; Redis' counters show that they did. */
    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void messagesWhoseEventsWereDroppedAreUnrecordedLater(TestDatabase database) throws Exception {
        RestoreSettings often = new RestoreSettings(
                RestoreMode.AUTOMATIC,
                5_000,
                Duration.ofSeconds(1),
                Duration.ofSeconds(1),
                Duration.ofSeconds(60),
                Duration.ofSeconds(5),
                Duration.ofMillis(500));
        try (OutboxApplication application = new OutboxApplication(
                database,
                redis,
                context -> {
                    context.registerBean(ReconciledListener.class);
                    context.registerBean(RestoreSettings.class, () -> often);
                },
                "spring.datasource.hikari.connection-timeout=5000",
                "delayqueue.journal.audit.capacity=100")) {
            AuditBuffer buffer = application.context().getBean(AuditBuffer.class);
            var registry = application.context().getBean(DelayQueueListenerEndpointRegistry.class);
            registry.pauseAll("test");
            application.template().scheduleAll(RECONCILED, Collections.nCopies(300, "payload"), Duration.ZERO);
            await().atMost(Duration.ofSeconds(30)).until(() -> application.outboxRows() == 0);

            goAway(database);
            registry.resumeAll("test");
            AtomicInteger handled = application.context().getBean(ReconciledListener.class).handled;
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> application.client().stats(RECONCILED).totals().acked() == 300);
            // Redis counts an ack before its event comes
            await().atMost(Duration.ofSeconds(60)).until(() -> buffer.dropped() >= 100);
            comeBack();

            await().atMost(Duration.ofSeconds(60)).ignoreExceptions().untilAsserted(() -> {
                long unrecorded = messages(application, MessageStatus.UNRECORDED);
                assertThat(messages(application, MessageStatus.ACKED)).isEqualTo(300 - unrecorded);
                // an attempt that stalls for more than a second has two events
                assertThat(unrecorded).isBetween(100L, buffer.dropped());
            });
            assertThat(handled).hasValue(300);
            assertThat(application.client().stats(RECONCILED).totals().accepted())
                    .isEqualTo(300);
        }
    }

    private static long messages(OutboxApplication application, MessageStatus status) {
        return application
                .jdbc()
                .sql("SELECT COUNT(*) FROM delayqueue_message WHERE status = ?")
                .param(status.name())
                .query(Long.class)
                .single();
    }

    /** Those that will be events yet: to be read before the buffer. */
    private static long messages(OutboxApplication application) {
        TopicStats stats = application.client().stats(TOPIC);
        return stats.pending().total() + stats.inFlight();
    }

    private static void schedule(OutboxApplication application, int count) {
        application
                .client()
                .scheduleAll(IntStream.range(0, count)
                        .mapToObj(i -> OutgoingMessage.to(TOPIC)
                                .payload(new byte[] {'"', '"'})
                                .build())
                        .toList());
    }

    private static long events(OutboxApplication application) {
        return application
                .jdbc()
                .sql("SELECT COUNT(*) FROM delayqueue_event WHERE to_status = 'ACKED'")
                .query(Long.class)
                .single();
    }

    private static long acked(AuditFixture audit) {
        return audit.jdbc
                .sql("SELECT COUNT(*) FROM delayqueue_message WHERE status = 'ACKED'")
                .query(Long.class)
                .single();
    }

    private static AuditFixture away(TestDatabase database, AuditSettings settings) {
        database.withSchema();
        return new AuditFixture(database.dataSource(pool -> pool.setConnectionTimeout(5_000)), settings);
    }

    /** PostgreSQL lets nobody in. MariaDB is stopped. */
    private void goAway(TestDatabase database) throws Exception {
        if (database.kind() == DatabaseKind.POSTGRESQL) {
            String name = name(database);
            admin(database, "ALTER DATABASE " + name + " ALLOW_CONNECTIONS false");
            away = database;
            admin(database, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" + name + "'");
        } else {
            assumeTrue(database.stopServer(), "the server that the environment names is not stopped");
            away = database;
        }
    }

    private void comeBack() throws Exception {
        TestDatabase database = away;
        away = null;
        if (database == null) {
            return;
        }
        if (database.kind() == DatabaseKind.POSTGRESQL) {
            admin(database, "ALTER DATABASE " + name(database) + " ALLOW_CONNECTIONS true");
        } else {
            database.restartServer();
        }
    }

    private static String name(TestDatabase database) {
        return database.url().replaceAll(".*/([^?]+).*", "$1");
    }

    private static void admin(TestDatabase database, String sql) throws Exception {
        String url = database.url().replaceAll("/[^/?]+(\\?|$)", "/postgres$1");
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    static class Listener {

        final AtomicInteger handled = new AtomicInteger();

        @DelayQueueListener(topic = TOPIC)
        void handle(byte[] payload) {
            handled.incrementAndGet();
        }
    }

    static class ReconciledListener {

        final AtomicInteger handled = new AtomicInteger();

        @DelayQueueListener(topic = RECONCILED)
        void handle(String payload) {
            handled.incrementAndGet();
        }
    }

    static class Dropped {

        final List<Object> events = new CopyOnWriteArrayList<>();

        @EventListener
        void dropped(AuditEventsDroppedEvent event) {
            events.add(event);
        }
    }
}
