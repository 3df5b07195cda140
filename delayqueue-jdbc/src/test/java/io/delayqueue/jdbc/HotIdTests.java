package io.delayqueue.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.jdbc.testsupport.OutboxApplication;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** Transactions change one id without a pause: its row in the outbox, which takes some 130 changes, never gets free. */
@Tag("slow")
@ExtendWith(EmbeddedRedisExtension.class)
class HotIdTests {

    private static final int THREADS = 6;
    private static final int TRANSACTIONS = 60;
    private static final Duration HOUR = Duration.ofHours(1);

    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void changesThatWereSentMakeRoomForOthers(TestDatabase database, EmbeddedRedis redis) throws Exception {
        String hold = database.kind() == DatabaseKind.POSTGRESQL ? "SELECT pg_sleep(0.03)" : "SELECT SLEEP(0.03)";
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try (OutboxApplication application =
                new OutboxApplication(database, redis, "spring.datasource.hikari.maximum-pool-size=12")) {
            application.template().message("orders", "x").id("hot").delay(HOUR).schedule();
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                all.add(threads.submit(() -> {
                    for (int n = 0; n < TRANSACTIONS; n++) {
                        application.transaction().executeWithoutResult(status -> {
                            application.template().reschedule("orders", "hot", HOUR);
                            // others queue up meanwhile
                            application.jdbc().sql(hold).query().listOfRows();
                        });
                    }
                }));
            }
            for (Future<?> each : all) {
                each.get(2, TimeUnit.MINUTES);
            }

            await().atMost(Duration.ofMinutes(1))
                    .untilAsserted(() -> assertThat(application.outboxRows()).isZero());
            assertThat(application.client().find("orders", "hot")).isPresent();
        } finally {
            threads.shutdownNow();
        }
    }
}
