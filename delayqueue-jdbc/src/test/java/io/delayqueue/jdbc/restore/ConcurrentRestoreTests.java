package io.delayqueue.jdbc.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.database.DatabaseKind;
import io.delayqueue.jdbc.database.EachDatabase;
import io.delayqueue.jdbc.database.TestDatabase;
import io.delayqueue.test.EmbeddedRedis;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;

/** Several restores at once. */
class ConcurrentRestoreTests {

    private static final int COUNT = 1_500;

    private final EmbeddedRedis server = EmbeddedRedis.start();

    @AfterEach
    void close() {
        server.close();
    }

    @EachDatabase({DatabaseKind.H2, DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void callersAtTheSameTimeRestoreEachMessageOnce(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.relay.start();
            here.schedule("a", COUNT, Duration.ofHours(1));
            here.awaitSent();
            here.redis().flushall();

            List<CompletableFuture<RestoreReport>> reports = IntStream.range(0, 4)
                    .mapToObj(
                            i -> CompletableFuture.supplyAsync(() -> here.restore.restore(RestoreRequest.all(), false)))
                    .toList();
            long restored = reports.stream()
                    .mapToLong(report -> report.join().restored())
                    .sum();

            assertThat(restored).isGreaterThanOrEqualTo(COUNT);
            assertRestoredOnce(here);
        }
    }

    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void instancesThatNoticeALossTogetherRestoreEachMessageOnce(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri());
                RestoreFixture there = new RestoreFixture(database, server.uri())) {
            here.start();
            there.start();
            here.schedule("a", COUNT, Duration.ofHours(1));
            here.awaitSent();
            here.redis().flushall();
            assertRestoredOnce(here);
            RestoreFixture.await().until(() -> !here.reports.isEmpty() || !there.reports.isEmpty());
        }
    }

    private static void assertRestoredOnce(RestoreFixture here) {
        RestoreFixture.await()
                .untilAsserted(() -> assertThat(here.client
                                .stats(RestoreFixture.TOPIC)
                                .pending()
                                .scheduled())
                        .isEqualTo(COUNT));
        here.awaitSent();
        assertThat(here.client.stats(RestoreFixture.TOPIC).totals().accepted()).isEqualTo(COUNT);
        assertThat(here.count("status = 'SCHEDULED' AND finished IS NULL")).isEqualTo(COUNT);
    }
}
