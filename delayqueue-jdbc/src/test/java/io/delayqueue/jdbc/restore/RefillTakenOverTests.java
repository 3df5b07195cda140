package io.delayqueue.jdbc.restore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.test.EmbeddedRedis;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;

/** A refill ends before its end, and goes on later, elsewhere or here. */
@Tag("slow")
class RefillTakenOverTests {

    private static final String TOPIC = RestoreFixture.TOPIC;
    private static final int COUNT = 1_500;

    private static final RestoreSettings PACED = new RestoreSettings(
            RestoreMode.AUTOMATIC,
            COUNT / 3,
            Duration.ofHours(1),
            Duration.ZERO,
            Duration.ofSeconds(60),
            Duration.ofSeconds(30),
            Duration.ofSeconds(2));

    private final EmbeddedRedis server = EmbeddedRedis.start();

    @AfterEach
    void close() {
        server.close();
    }

    private RestoreFixture instance(DataSource dataSource, String name) {
        return new RestoreFixture(dataSource, server.uri(), PACED, false, name, 1);
    }

    /** Messages that came back were handled, and nobody has recorded that yet. */
    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void messagesThatWereHandledMeanwhileAreNotScheduledAgain(TestDatabase database) {
        DataSource dataSource = database.withSchema().dataSource();
        try (RestoreFixture consuming = instance(dataSource, "consuming");
                RestoreFixture here = instance(dataSource, "here");
                RestoreFixture there = instance(dataSource, "there")) {
            lose(consuming, Duration.ZERO);
            CountDownLatch recorded = new CountDownLatch(1);
            consuming.holdRecords(recorded);
            JournalRestore goesOn = recordingBetweenLooks(there, recorded, consuming);
            here.restore.check(TOPIC);
            consuming.consume();
            endEarly(here, () -> here.restore.restored() > 0);
            RestoreFixture.await().until(() -> consuming.delivered.size() > COUNT / 10);

            assertThat(goesOn.refill(TOPIC, () -> false)).isEqualTo(JournalRestore.Outcome.DONE);

            consuming.awaitAllDone();
            assertThat(consuming.delivered)
                    .hasSize(COUNT)
                    .allSatisfy((id, times) -> assertThat(times).hasValue(1));
            assertThat(here.restore.restored() + goesOn.restored()).isEqualTo(COUNT);
        }
    }

    /** The time between two looks is long enough for the records, however slow the machine. */
    private static JournalRestore recordingBetweenLooks(
            RestoreFixture there, CountDownLatch recorded, RestoreFixture consuming) {
        AtomicBoolean looked = new AtomicBoolean();
        PendingEnds ends = () -> {
            if (!looked.getAndSet(true)) {
                return () -> true;
            }
            recorded.countDown();
            return consuming.recording();
        };
        return new JournalRestore(there.client, there.database, there.seen, ends, PACED, event -> {});
    }

    /** A report counts neither the messages that another instance restored nor those of an earlier loss. */
    @EachDatabase(DatabaseKind.POSTGRESQL)
    void aReportCountsItsOwnLoss(TestDatabase database) {
        DataSource dataSource = database.withSchema().dataSource();
        try (RestoreFixture here = instance(dataSource, "here");
                RestoreFixture there = instance(dataSource, "there")) {
            lose(here, Duration.ofHours(1));
            here.restore.check(TOPIC);
            endEarly(here, () -> here.restore.restored() > 0);
            here.awaitSent();
            there.restore.refill(TOPIC, () -> false);
            here.awaitSent();
            assertThat(here.scheduled()).isEqualTo(COUNT);
            here.redis().flushall();
            here.restore.check(TOPIC);

            assertThat(here.restore.refill(TOPIC, () -> false)).isEqualTo(JournalRestore.Outcome.DONE);

            assertThat(here.reports)
                    .singleElement()
                    .satisfies(report -> assertThat(report.restored()).isEqualTo(COUNT));
        }
    }

    /** Else a stop waits for a walk through all messages, and the lease ends meanwhile. */
    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.H2})
    void theLookForChangedMessagesIsInterruptible(TestDatabase database) {
        try (RestoreFixture here = instance(database.withSchema().dataSource(), "here")) {
            here.relay.start();
            here.schedule("a", COUNT, Duration.ofHours(1));
            here.awaitSent();
            here.jdbc
                    .sql("UPDATE delayqueue_message SET updated = updated - 60000000")
                    .update();
            RestoreContext context = RestoreContext.of(here.client, here.database, here.seen, PendingEnds.NONE, PACED);
            AtomicInteger looks = new AtomicInteger();
            RestoreTally tally = new RestoreTally(new AtomicLong());
            RestoreWork work = new RestoreWork(TOPIC, new RestorePace(PACED.rate()), tally, progress -> {
                if (looks.incrementAndGet() == 2) {
                    throw new RestoreEndedException("the application stops");
                }
            });
            ComparisonPass pass =
                    new ComparisonPass(context, TOPIC, here.client.survey(TOPIC), work, PACED.settleTime(), found -> 0);

            assertThatThrownBy(() -> pass.walkChangedSince(context.recorded().now()))
                    .isInstanceOf(RestoreEndedException.class);
            assertThat(tally.scanned).hasValue(0);
        }
    }

    private static void lose(RestoreFixture here, Duration delay) {
        here.relay.start();
        here.schedule("a", COUNT, delay, Duration.ofNanos(1_000));
        here.awaitSent();
        // what changed just before is looked at twice
        here.jdbc
                .sql("UPDATE delayqueue_message SET updated = updated - 60000000")
                .update();
        here.redis().flushall();
    }

    private static void endEarly(RestoreFixture here, BooleanSupplier stopping) {
        assertThatThrownBy(() -> here.restore.refill(TOPIC, stopping)).isInstanceOf(RestoreEndedException.class);
        assertThat(here.restore.restored()).isBetween(1L, COUNT - 1L);
        assertThat(here.openRefills()).isEqualTo(1);
    }
}
