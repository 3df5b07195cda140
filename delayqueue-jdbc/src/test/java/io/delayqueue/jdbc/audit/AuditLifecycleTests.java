package io.delayqueue.jdbc.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.Everyday;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

@Everyday(DatabaseKind.H2)
class AuditLifecycleTests {

    private static final int PULLED = 10_000;

    /** Other processes settle them, so nothing else ends them here. */
    @EachDatabase(DatabaseKind.H2)
    void pulledMessagesDoNotFillTheMemoryWhileTheDatabaseIsSilent(TestDatabase database) {
        CompletableFuture<Void> answers = new CompletableFuture<>();
        try (AuditFixture audit = new AuditFixture(database)) {
            AuditWriter writer = audit.writer(
                    events -> answers.orTimeout(2, TimeUnit.MINUTES).join());
            AuditWatch watch = new AuditWatch(audit.buffer, AuditPolicy.FLOW, paused -> {}, dropped -> {});
            AuditLifecycle lifecycle = new AuditLifecycle(writer, audit.observer, watch);
            lifecycle.start();
            try {
                audit.handled(audit.sent("first"), 1);
                await().atMost(Duration.ofSeconds(60)).until(() -> writer.unwritten() > 0);

                for (int i = 0; i < PULLED; i++) {
                    audit.observer.pulled(
                            AuditFixture.received(AuditFixture.message("m" + i).build(), 1), Duration.ZERO);
                }

                await().atMost(Duration.ofSeconds(60)).until(() -> audit.observer.inFlight() == 0);
                assertThat(writer.unwritten())
                        .as("the database is still silent")
                        .isPositive();
            } finally {
                answers.complete(null);
                lifecycle.stop();
            }
        }
    }
}
