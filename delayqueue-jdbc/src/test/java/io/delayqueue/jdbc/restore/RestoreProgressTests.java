package io.delayqueue.jdbc.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.test.EmbeddedRedis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;

/** A restore keeps to its rate, and tells how far it is. */
@Tag("slow")
class RestoreProgressTests {

    private static final int COUNT = 2_000;
    private static final int RATE = 500;

    private static final RestoreSettings PACED = new RestoreSettings(
            RestoreMode.AUTOMATIC,
            RATE,
            Duration.ofMillis(500),
            Duration.ZERO,
            Duration.ofSeconds(60),
            Duration.ofSeconds(30),
            Duration.ofMillis(100));

    private final EmbeddedRedis server = EmbeddedRedis.start();

    @AfterEach
    void close() {
        server.close();
    }

    /** Each difference is looked at twice, and only the second look costs the rate. */
    @EachDatabase(DatabaseKind.POSTGRESQL)
    void byHand(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri(), PACED)) {
            lose(here);
            long began = System.nanoTime();
            CompletableFuture<RestoreReport> report =
                    CompletableFuture.supplyAsync(() -> here.restore.restore(RestoreRequest.all(), false));
            List<RestoreProgress> told = watch(here, report);

            assertThat(report.join().restored()).isEqualTo(COUNT);
            assertPaced(Duration.ofNanos(System.nanoTime() - began), told);
            RestoreFixture.await().until(() -> here.scheduled() == COUNT);
        }
    }

    /** As it restores by itself. */
    @EachDatabase(DatabaseKind.POSTGRESQL)
    void afterALoss(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri(), PACED)) {
            lose(here);
            long began = System.nanoTime();
            CompletableFuture<?> refill =
                    CompletableFuture.supplyAsync(() -> here.restore.refill(RestoreFixture.TOPIC, () -> false));
            List<RestoreProgress> told = watch(here, refill);

            assertThat(refill.join()).isEqualTo(JournalRestore.Outcome.DONE);
            assertPaced(Duration.ofNanos(System.nanoTime() - began), told);
            assertThat(told.get(told.size() / 2).topic()).isEqualTo(RestoreFixture.TOPIC);
        }
    }

    private static void lose(RestoreFixture here) {
        here.relay.start();
        here.schedule("a", COUNT, Duration.ofHours(1));
        here.awaitSent();
        here.redis().flushall();
    }

    private static List<RestoreProgress> watch(RestoreFixture here, CompletableFuture<?> work) {
        List<RestoreProgress> told = new ArrayList<>();
        RestoreFixture.await().until(() -> {
            told.add(here.restore.progress());
            return work.isDone();
        });
        assertThat(here.restore.progress()).isEqualTo(RestoreProgress.NONE);
        return told;
    }

    private static void assertPaced(Duration took, List<RestoreProgress> told) {
        assertThat(took).isGreaterThan(Duration.ofMillis(COUNT * 1_000L / RATE));
        assertThat(told)
                .anySatisfy(progress -> {
                    assertThat(progress.restored()).isBetween(1L, COUNT - 1L);
                    assertThat(progress.remaining()).isPositive();
                    assertThat(progress.perSecond()).isPositive();
                    assertThat(progress.running()).isPositive();
                })
                .extracting(RestoreProgress::restored)
                .filteredOn(restored -> restored > 0)
                .isSorted()
                .satisfies(restored ->
                        assertThat(restored.stream().distinct().count()).isGreaterThan(1));
    }
}
