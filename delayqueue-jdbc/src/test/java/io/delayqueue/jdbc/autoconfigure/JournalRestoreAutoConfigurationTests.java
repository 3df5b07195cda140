package io.delayqueue.jdbc.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.delayqueue.jdbc.audit.AuditWriter;
import io.delayqueue.jdbc.inbox.InboxDecorator;
import io.delayqueue.jdbc.restore.JournalRestore;
import io.delayqueue.jdbc.restore.Loss;
import io.delayqueue.jdbc.restore.RedisLossDetectedEvent;
import io.delayqueue.jdbc.restore.RestoreFinishedEvent;
import io.delayqueue.jdbc.restore.RestoreMode;
import io.delayqueue.jdbc.restore.RestoreReport;
import io.delayqueue.jdbc.restore.RestoreRequest;
import io.delayqueue.jdbc.restore.RestoreSettings;
import io.delayqueue.jdbc.testsupport.OutboxApplication;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.listener.DelayQueueListenerEndpointRegistry;
import io.delayqueue.test.EmbeddedRedis;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.LoggerFactory;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Restoring in an application as users have it. */
class JournalRestoreAutoConfigurationTests {

    private static final int HANDLED = 100;
    private static final int EFFECTS = 20;
    private static final RedisLossDetectedEvent SET_BACK = new RedisLossDetectedEvent("handled", 0, Loss.SET_BACK);

    private final EmbeddedRedis server = EmbeddedRedis.start();

    private final Logger log = (Logger) LoggerFactory.getLogger("io.delayqueue.jdbc");
    private final Level level = log.getLevel();

    @AfterEach
    void close() {
        log.setLevel(level);
        server.close();
    }

    @EachDatabase(DatabaseKind.H2)
    void anApplicationRestoresByItselfAndTellsOfIt(TestDatabase database) {
        Queue<Object> events = new ConcurrentLinkedQueue<>();
        try (OutboxApplication application =
                new OutboxApplication(database, server, "delayqueue.journal.restore.check-interval=200ms")) {
            application.context().addApplicationListener(event -> {
                if (event instanceof PayloadApplicationEvent<?> told) {
                    events.add(told.getPayload());
                }
            });
            scheduleAndEmpty(application);

            await().untilAsserted(() -> assertThat(events)
                    .hasSize(2)
                    .contains(new RedisLossDetectedEvent("orders", 0, Loss.EMPTY))
                    .anySatisfy(event -> assertThat(event)
                            .isInstanceOfSatisfying(RestoreFinishedEvent.class, finished -> {
                                assertThat(finished.topic()).isEqualTo("orders");
                                assertThat(finished.report().restored()).isEqualTo(1);
                            })));
            await().until(() -> application.client().stats("orders").pending().scheduled() == 1);
        }
    }

    /** Acks settle for six seconds after a loss, not after that of each topic in turn. */
    @EachDatabase(DatabaseKind.H2)
    @Tag("slow")
    void topicsThatAreLostTogetherComeBackTogether(TestDatabase database) {
        List<String> topics =
                IntStream.range(0, 20).mapToObj(number -> "topic-" + number).toList();
        try (OutboxApplication application =
                new OutboxApplication(database, server, "delayqueue.journal.restore.check-interval=200ms")) {
            topics.forEach(topic -> application.template().schedule(topic, "payload", Duration.ofHours(1)));
            await().until(() -> application.outboxRows() == 0);
            empty();

            await().until(() -> topics.stream()
                    .allMatch(
                            topic -> application.client().stats(topic).pending().scheduled() == 1));
        }
    }

    @EachDatabase(DatabaseKind.H2)
    void propertiesSetTheRestore(TestDatabase database) {
        try (OutboxApplication application = new OutboxApplication(
                database,
                server,
                "delayqueue.journal.restore.mode=report",
                "delayqueue.journal.restore.rate=77",
                "delayqueue.journal.restore.check-interval=3s",
                "delayqueue.journal.restore.compare-interval=2h",
                "delayqueue.journal.restore.hold-timeout=7s")) {
            assertThat(application.context().getBean(JournalRestore.class).settings())
                    .isEqualTo(new RestoreSettings(
                            RestoreMode.REPORT,
                            77,
                            Duration.ofSeconds(3),
                            Duration.ofHours(2),
                            Duration.ofSeconds(7),
                            RestoreSettings.DEFAULTS.checkTimeout(),
                            RestoreSettings.DEFAULTS.settleTime()));
        }
    }

    @EachDatabase(DatabaseKind.H2)
    void anApplicationThatDoesNotLookRestoresByHand(TestDatabase database) {
        try (OutboxApplication application =
                new OutboxApplication(database, server, "delayqueue.journal.restore.mode=off")) {
            scheduleAndEmpty(application);
            JournalRestore restore = application.context().getBean(JournalRestore.class);
            assertThat(restore.settings().mode()).isEqualTo(RestoreMode.OFF);
            RestoreReport report = restore.restore(RestoreRequest.all(), false);
            assertThat(report.restored()).isEqualTo(1);
        }
    }

    /** The dump has all messages, and lacks only their acks, which the audit recorded. Nothing but the gate looks. */
    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB, DatabaseKind.H2})
    void whatWasHandledBeforeAnOlderDumpIsNotHandledAgain(TestDatabase database) {
        Queue<Object> events = new ConcurrentLinkedQueue<>();
        try (OutboxApplication application = handling(database, events)) {
            DelayQueueListenerEndpointRegistry listeners = scheduleAndDump(application);
            listeners.resumeAll("test");
            await().until(() -> acked(application) == HANDLED);

            server.kill();
            server.restart();

            await().until(() -> events.contains(SET_BACK));
            assertHandledOnce(application);
        }
    }

    /** The replica that takes over has all messages, and lacks only their acks, which the audit recorded. */
    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    @Tag("slow")
    void whatWasHandledBeforeAFailoverIsNotHandledAgain(TestDatabase database) {
        Queue<Object> events = new ConcurrentLinkedQueue<>();
        try (OutboxApplication application = handling(database, events);
                EmbeddedRedis replica =
                        EmbeddedRedis.builder().replicaOf(server).start()) {
            DelayQueueListenerEndpointRegistry listeners = schedulePaused(application);
            detachInSync(replica);
            listeners.resumeAll("test");
            await().until(() -> acked(application) == HANDLED);
            application.template().schedule("handled", "lost", Duration.ofSeconds(10));
            await().until(() -> application.outboxRows() == 0);

            server.close();
            try (EmbeddedRedis promoted = EmbeddedRedis.builder()
                    .port(server.port())
                    .replicaOf(replica)
                    .start()) {
                detachInSync(promoted);

                await().until(() -> events.contains(SET_BACK));
                await().until(() -> calls(application).containsKey("lost"));
                assertHandledOnce(application, HANDLED + 1);
            }
        }
    }

    private static void detachInSync(EmbeddedRedis replica) {
        try (RedisClient client = RedisClient.create(replica.uri())) {
            RedisCommands<String, String> redis = client.connect().sync();
            await().until(() -> redis.info("replication").contains("master_link_status:up"));
            await().until(() -> redis.info("replication").contains("master_sync_in_progress:0"));
            redis.replicaofNoOne();
        }
    }

    /** Claims wait until the acks are recorded that were on their way when Redis was set back. */
    @EachDatabase(DatabaseKind.H2)
    void whatIsBeingRecordedWhenRedisIsSetBackIsNotHandledAgain(TestDatabase database) {
        Queue<Object> events = new ConcurrentLinkedQueue<>();
        try (OutboxApplication application = handling(database, events)) {
            DelayQueueListenerEndpointRegistry listeners = scheduleAndDump(application);
            application
                    .jdbc()
                    .sql("ALTER TABLE delayqueue_event RENAME TO elsewhere")
                    .update();
            listeners.resumeAll("test");
            await().until(() -> application.client().stats("handled").totals().acked() == HANDLED);
            AuditWriter audit = application.context().getBean(AuditWriter.class);
            await().until(audit::isFailing);

            server.kill();
            server.restart();

            await().until(() -> events.contains(SET_BACK));
            await().during(Duration.ofSeconds(1))
                    .untilAsserted(() -> assertThat(calls(application))
                            .allSatisfy((payload, calls) -> assertThat(calls).hasValue(1)));
            assertThat(acked(application)).isZero();
            application
                    .jdbc()
                    .sql("ALTER TABLE elsewhere RENAME TO delayqueue_event")
                    .update();
            assertHandledOnce(application);
            assertThat(acked(application)).isGreaterThanOrEqualTo(HANDLED);
        }
    }

    private OutboxApplication handling(TestDatabase database, Queue<Object> events) {
        RestoreSettings defaults = RestoreSettings.DEFAULTS;
        // and waits longer than by default for the answer to its look: a busy machine may need that to start a server
        RestoreSettings onlyTheGateLooks = new RestoreSettings(
                defaults.mode(),
                defaults.rate(),
                Duration.ofHours(1),
                defaults.compareInterval(),
                defaults.holdTimeout(),
                Duration.ofSeconds(30),
                defaults.settleTime());
        OutboxApplication application = new OutboxApplication(
                database,
                server,
                context -> {
                    context.registerBean(Counter.class);
                    context.registerBean(RestoreSettings.class, () -> onlyTheGateLooks);
                },
                "delayqueue.listener.concurrency=10");
        application.context().addApplicationListener(event -> {
            if (event instanceof PayloadApplicationEvent<?> told) {
                events.add(told.getPayload());
            }
        });
        return application;
    }

    /** Schedules messages that are handled when the listeners, which this pauses, go on. */
    private DelayQueueListenerEndpointRegistry scheduleAndDump(OutboxApplication application) {
        DelayQueueListenerEndpointRegistry listeners = schedulePaused(application);
        try (RedisClient client = RedisClient.create(server.uri())) {
            client.connect().sync().save();
        }
        return listeners;
    }

    private static DelayQueueListenerEndpointRegistry schedulePaused(OutboxApplication application) {
        DelayQueueListenerEndpointRegistry listeners =
                application.context().getBean(DelayQueueListenerEndpointRegistry.class);
        listeners.pauseAll("test");
        application
                .template()
                .scheduleAll(
                        "handled",
                        IntStream.range(0, HANDLED)
                                .mapToObj(i -> "message " + i)
                                .toList(),
                        Duration.ZERO);
        await().until(() -> application.outboxRows() == 0);
        return listeners;
    }

    private static int acked(OutboxApplication application) {
        return count(application, "delayqueue_message WHERE status = 'ACKED'");
    }

    private static Map<String, AtomicInteger> calls(OutboxApplication application) {
        return application.context().getBean(Counter.class).calls;
    }

    /** Messages that came back are removed; then claims go on, and have nothing else. */
    private static void assertHandledOnce(OutboxApplication application) {
        assertHandledOnce(application, HANDLED);
    }

    private static void assertHandledOnce(OutboxApplication application, int messages) {
        await().ignoreExceptions()
                .until(() -> application.client().stats("handled").totals().purged() == HANDLED);
        application.template().schedule("handled", "another", Duration.ZERO);
        await().until(() -> calls(application).containsKey("another"));
        assertThat(calls(application))
                .hasSize(messages + 1)
                .allSatisfy((payload, calls) -> assertThat(calls).hasValue(1));
    }

    /** Counts calls by payload. */
    static final class Counter {

        private final Map<String, AtomicInteger> calls = new ConcurrentHashMap<>();

        @DelayQueueListener(topic = "handled")
        void handle(String payload) {
            calls.computeIfAbsent(payload, any -> new AtomicInteger()).incrementAndGet();
        }
    }

    /** A process died before it recorded the acks, and then Redis was emptied: messages come back, their effects don't. */
    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    @Tag("slow")
    void handledMessagesThatComeBackHaveNoSecondEffect(TestDatabase database) {
        try (OutboxApplication application = new OutboxApplication(
                database,
                server,
                context -> context.registerBean(Effects.class),
                "delayqueue.journal.restore.check-interval=200ms")) {
            application
                    .jdbc()
                    .sql("CREATE TABLE effects (payload VARCHAR(100))")
                    .update();
            for (int i = 0; i < EFFECTS; i++) {
                application.template().schedule("effects", "message " + i, Duration.ZERO);
            }
            await().until(() -> count(application, "delayqueue_message WHERE status = 'ACKED'") == EFFECTS);
            await().until(() -> application.outboxRows() == 0);
            application
                    .jdbc()
                    .sql("UPDATE delayqueue_message SET status = 'SCHEDULED', finished = NULL")
                    .update();

            empty();

            InboxDecorator inbox = application.context().getBean(InboxDecorator.class);
            await().untilAsserted(() -> assertThat(inbox.duplicates()).isEqualTo(EFFECTS));
            await().until(() -> count(application, "delayqueue_message WHERE status = 'ACKED'") == EFFECTS);
            assertThat(count(application, "effects")).isEqualTo(EFFECTS);
            assertThat(inbox.duplicates()).isEqualTo(EFFECTS);
        }
    }

    private static int count(OutboxApplication application, String rows) {
        return application
                .jdbc()
                .sql("SELECT COUNT(*) FROM " + rows)
                .query(Integer.class)
                .single();
    }

    /** Has an effect in the database for each message. */
    static final class Effects {

        private final JdbcClient jdbc;

        Effects(JdbcClient jdbc) {
            this.jdbc = jdbc;
        }

        @DelayQueueListener(topic = "effects", idempotent = true)
        void handle(String payload) {
            jdbc.sql("INSERT INTO effects (payload) VALUES (?)").param(payload).update();
        }
    }

    private static ConditionFactory await() {
        return Awaitility.await().atMost(Duration.ofSeconds(60));
    }

    /** Nobody would know which messages were handled. */
    @EachDatabase(DatabaseKind.H2)
    @ExtendWith(OutputCaptureExtension.class)
    void thereIsNoRestoreWithoutTheAudit(TestDatabase database, CapturedOutput output) {
        try (OutboxApplication application = new OutboxApplication(
                database, server, "delayqueue.journal.audit.enabled=false", "logging.level.io.delayqueue.jdbc=warn")) {
            assertThat(output).contains("Without the audit").contains("delayqueue.journal.restore.mode=off");
            assertThat(application.context().getBeanProvider(JournalRestore.class))
                    .isEmpty();
            scheduleAndEmpty(application);
            application.template().schedule("orders", "order 2", Duration.ofHours(1));
            await().until(() -> application.outboxRows() == 0);
            assertThat(application.client().stats("orders").pending().scheduled())
                    .isEqualTo(1);
        }
    }

    private void scheduleAndEmpty(OutboxApplication application) {
        application.template().schedule("orders", "order 1", Duration.ofHours(1));
        await().until(() -> application.outboxRows() == 0);
        empty();
    }

    private void empty() {
        try (RedisClient client = RedisClient.create(server.uri())) {
            client.connect().sync().flushall();
        }
    }
}
