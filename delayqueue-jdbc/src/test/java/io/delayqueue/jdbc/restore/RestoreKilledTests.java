package io.delayqueue.jdbc.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.testsupport.ChildJvm;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.test.EmbeddedRedis;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;

/** A process is killed in the middle of a restore. */
@Tag("slow")
class RestoreKilledTests {

    private static final int COUNT = 3_000;

    private final EmbeddedRedis server = EmbeddedRedis.start();

    @AfterEach
    void close() {
        server.close();
    }

    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void anotherOneGoesOn(TestDatabase database) throws Exception {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.relay.start();
            here.schedule("a", COUNT, Duration.ofHours(1));
            here.awaitSent();
            here.redis().flushall();
            killInTheMiddle(database, RestoreMode.AUTOMATIC);

            assertThat(here.client.stats(RestoreFixture.TOPIC).pending().scheduled())
                    .isPositive()
                    .isLessThan(COUNT);
            assertThat(refills(here)).isEqualTo(1);
            // the time that the dead process had the lease for
            here.jdbc.sql("UPDATE delayqueue_lease SET expires = 0").update();
            here.watch.start();

            RestoreFixture.await()
                    .untilAsserted(() -> assertThat(here.client
                                    .stats(RestoreFixture.TOPIC)
                                    .pending()
                                    .scheduled())
                            .isEqualTo(COUNT));
            RestoreFixture.await().untilAsserted(() -> assertThat(refills(here)).isZero());
            here.awaitSent();
            assertThat(here.client.stats(RestoreFixture.TOPIC).totals().accepted())
                    .isEqualTo(COUNT);
            // what the other one had begun is no loss any more
            assertThat(here.losses).isEmpty();
        }
    }

    /** No instance takes it over. A second request restores the rest. */
    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void restoreByHandIsRepeated(TestDatabase database) throws Exception {
        try (RestoreFixture here = new RestoreFixture(database, server.uri(), RestoreFixture.REPORTING)) {
            here.relay.start();
            here.schedule("a", COUNT, Duration.ofHours(1));
            here.awaitSent();
            here.redis().flushall();
            killInTheMiddle(database, RestoreMode.REPORT);

            here.awaitSent();
            long before = here.scheduled();
            assertThat(before).isPositive().isLessThan(COUNT);
            here.jdbc.sql("UPDATE delayqueue_lease SET expires = 0").update();
            here.watch.start();
            RestoreFixture.await().during(Duration.ofSeconds(3)).until(() -> here.scheduled() == before);

            RestoreReport report = here.restore.restore(RestoreRequest.all(), false);

            assertThat(report.restored()).as("the rest").isEqualTo(COUNT - before);
            here.awaitAllScheduled(COUNT);
            RestoreFixture.await()
                    .untilAsserted(() -> assertThat(here.restore.losses()).isEmpty());
        }
    }

    private static long refills(RestoreFixture here) {
        return here.jdbc
                .sql("SELECT COUNT(*) FROM delayqueue_partition WHERE instance = ?")
                .param(here.name(KnownPartitions.REFILL))
                .query(Long.class)
                .single();
    }

    private void killInTheMiddle(TestDatabase database, RestoreMode mode) throws Exception {
        Process process = ChildJvm.running(
                        RestoreProcess.class, List.of("-Xmx256m"), List.of(database.url(), server.uri(), mode.name()))
                .start();
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); !"MIDDLE".equals(line); line = lines.readLine()) {
                assertThat(line).as("the process ended").isNotNull();
            }
        } finally {
            process.destroyForcibly();
            assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
        }
    }
}
