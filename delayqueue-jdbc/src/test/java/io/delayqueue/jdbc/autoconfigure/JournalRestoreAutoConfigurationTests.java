package io.delayqueue.jdbc.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.OutboxApplication;
import io.delayqueue.jdbc.database.DatabaseKind;
import io.delayqueue.jdbc.database.EachDatabase;
import io.delayqueue.jdbc.database.TestDatabase;
import io.delayqueue.jdbc.restore.JournalRestore;
import io.delayqueue.jdbc.restore.Loss;
import io.delayqueue.jdbc.restore.RedisLossDetectedEvent;
import io.delayqueue.jdbc.restore.RestoreFinishedEvent;
import io.delayqueue.jdbc.restore.RestoreMode;
import io.delayqueue.jdbc.restore.RestoreReport;
import io.delayqueue.jdbc.restore.RestoreRequest;
import io.delayqueue.test.EmbeddedRedis;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.springframework.context.PayloadApplicationEvent;

/** Restoring in an application as users have it. */
class JournalRestoreAutoConfigurationTests {

    private final EmbeddedRedis server = EmbeddedRedis.start();

    @AfterEach
    void close() {
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

            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .untilAsserted(() -> assertThat(events)
                            .hasSize(2)
                            .contains(new RedisLossDetectedEvent("orders", 0, Loss.EMPTY))
                            .anySatisfy(event -> assertThat(event)
                                    .isInstanceOfSatisfying(
                                            RestoreFinishedEvent.class,
                                            finished -> assertThat(
                                                            finished.report().restored())
                                                    .isEqualTo(1))));
            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> application.client().stats("orders").pending().scheduled() == 1);
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

    /** Nobody would know which messages were handled. */
    @EachDatabase(DatabaseKind.H2)
    void thereIsNoRestoreWithoutTheAudit(TestDatabase database) {
        try (OutboxApplication application =
                new OutboxApplication(database, server, "delayqueue.journal.audit.enabled=false")) {
            assertThat(application.context().getBeanProvider(JournalRestore.class))
                    .isEmpty();
            scheduleAndEmpty(application);
            application.template().schedule("orders", "order 2", Duration.ofHours(1));
            Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> application.outboxRows() == 0);
            assertThat(application.client().stats("orders").pending().scheduled())
                    .isEqualTo(1);
        }
    }

    private void scheduleAndEmpty(OutboxApplication application) {
        application.template().schedule("orders", "order 1", Duration.ofHours(1));
        Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> application.outboxRows() == 0);
        try (RedisClient client = RedisClient.create(server.uri())) {
            client.connect().sync().flushall();
        }
    }
}
