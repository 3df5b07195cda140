package io.delayqueue.jdbc.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.restore.JournalRestore.Outcome;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.test.EmbeddedRedis;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;

/** Removes many messages that ended and came back, for which claims wait. Prints the rate. */
@Tag("soak")
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class RemovalOfManyTests {

    private static final int COUNT = Integer.getInteger("restore.messages", 100_000);

    /** A part of what two cores do that have nothing else to do. */
    private static final int LEAST_PER_SECOND = 1_000;

    private final EmbeddedRedis server = EmbeddedRedis.start();

    @AfterEach
    void close() {
        server.close();
    }

    @EachDatabase(DatabaseKind.POSTGRESQL)
    void oneInstanceRemovesThousandsASecond(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.relay.start();
            here.schedule("m", COUNT, Duration.ofHours(1));
            Awaitility.await().atMost(Duration.ofMinutes(15)).until(() -> here.scheduled() == COUNT);
            here.awaitSent();
            here.jdbc
                    .sql("UPDATE delayqueue_message SET status = 'ACKED', finished = 1")
                    .update();
            here.jdbc.sql("ANALYZE delayqueue_message").update();
            // as if Redis had been set back
            here.jdbc
                    .sql("UPDATE delayqueue_partition SET ended = ? WHERE instance = 'here'")
                    .param(COUNT)
                    .update();
            assertThat(here.restore.check(RestoreFixture.TOPIC)).isTrue();

            long cpuBefore = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
            long began = System.nanoTime();
            assertThat(here.restore.removeRevived(RestoreFixture.TOPIC, () -> false))
                    .isEqualTo(Outcome.DONE);
            long took = System.nanoTime() - began;
            long cpu = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - cpuBefore;

            System.out.printf(
                    "%,d messages removed in %,d ms: %,.0f a second; %,d ms of CPU of the removing thread%n",
                    COUNT, TimeUnit.NANOSECONDS.toMillis(took), COUNT * 1e9 / took, TimeUnit.NANOSECONDS.toMillis(cpu));
            assertThat(here.client.stats(RestoreFixture.TOPIC).totals().purged())
                    .isEqualTo(COUNT);
            assertThat(here.rows(KnownPartitions.REMOVE)).isZero();
            assertThat(COUNT * 1e9 / took).as("messages a second").isGreaterThan(LEAST_PER_SECOND);
        }
    }
}
