package io.delayqueue.jdbc.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.MessageStatus;
import io.delayqueue.jdbc.restore.RestoreWork.Keeper;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.test.EmbeddedRedis;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.zip.CRC32;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Messages that were sent after a loss are handled while a refill looks for those that were lost. */
class AckedDuringRefillTests {

    private static final String TOPIC = RestoreFixture.TOPIC;
    private static final Duration HOUR = Duration.ofHours(1);
    private static final int PAGE = 512;

    private final EmbeddedRedis server = EmbeddedRedis.start();
    private final RestoreTally tally = new RestoreTally(new AtomicLong());

    @AfterEach
    void close() {
        server.close();
    }

    /** Another instance acked it just before the look at Redis, and records that just after it. */
    @EachDatabase
    void aMessageWhoseAckIsRecordedAfterTheLookIsNotScheduledAgain(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            lose(here, 1, HOUR);
            here.auditing = false;
            handleOne(here);

            refill(here, settings(100_000, Duration.ofMillis(300)), progress -> here.finish("sent0", null, "ACKED"));

            assertThat(isInOutbox(here, "lost0")).isTrue();
            assertThat(isInOutbox(here, "sent0")).isFalse();
            assertThat(here.status("sent0")).isEqualTo("ACKED");
        }
    }

    /** Only the former number of partitions puts the id where messages were lost. It was handled where none were. */
    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.H2})
    void aMessageThatWasHandledInAnotherPartitionIsNotScheduledAgain(TestDatabase database) {
        DataSource dataSource = database.withSchema().dataSource();
        try (RestoreFixture here =
                        new RestoreFixture(dataSource, server.uri(), RestoreFixture.SETTINGS, true, "here", 2);
                RestoreFixture growing =
                        new RestoreFixture(dataSource, server.uri(), RestoreFixture.SETTINGS, true, "growing", 3)) {
            here.relay.start();
            List<String> ids = here.schedule("lost", 20, HOUR);
            here.awaitSent();
            growing.client.stats(TOPIC);
            here.redis().del(here.redis().keys("dq:{" + TOPIC + ":1}:*").toArray(String[]::new));
            here.restore.check(TOPIC);
            here.restore.removeRevived(TOPIC, () -> false);
            here.auditing = false;
            String sent = IntStream.range(0, 100)
                    .mapToObj(i -> "sent" + i + "-")
                    .filter(prefix -> partition(prefix + 0, 2) == 1 && partition(prefix + 0, 3) != 1)
                    .findFirst()
                    .orElseThrow();
            handleOne(here, sent);
            String ended = sent + 0;

            refill(here, settings(100_000, Duration.ofMillis(300)), progress -> here.finish(ended, null, "ACKED"));

            assertThat(ids.stream().filter(id -> isInOutbox(here, id)))
                    .containsExactlyElementsOf(
                            ids.stream().filter(id -> partition(id, 2) == 1).toList());
            assertThat(isInOutbox(here, ended)).isFalse();
            assertThat(here.status(ended)).isEqualTo("ACKED");
        }
    }

    /** Number of the partition that a number of partitions puts an id in. */
    private static long partition(String id, int partitions) {
        CRC32 hash = new CRC32();
        hash.update(id.getBytes(StandardCharsets.UTF_8));
        return hash.getValue() % partitions;
    }

    /** Pages take longer than acks may be on their way, so a message that is due comes back behind the second of four at the latest. */
    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.H2})
    @Tag("slow")
    void aLostMessageThatIsDueDoesNotWaitForAllOthers(TestDatabase database) {
        int others = 3 * PAGE + 100;
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            neverSent(here, others, HOUR);
            here.schedule("due", 1, Duration.ZERO);
            lose(here, 1, HOUR);
            handleOne(here);
            RestoreFixture.await().until(() -> here.recordedAcks.contains("sent0"));
            AtomicLong restoredBefore = new AtomicLong(-1);

            refill(here, settings(2_000, Duration.ofMillis(100)), progress -> {
                if (restoredBefore.get() < 0 && isInOutbox(here, "due0")) {
                    restoredBefore.set(tally.restored());
                }
            });

            assertThat(restoredBefore.get()).isBetween(1L, others - 1L);
            assertThat(tally.restored()).isEqualTo(others + 2);
        }
    }

    /** Else many topics that are lost together would wait one after the other. */
    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.H2})
    @Timeout(value = 1, unit = TimeUnit.MINUTES)
    void aTopicOfWhichNothingEndedSinceTheLossIsLookedAtOnce(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            lose(here, 3, Duration.ZERO);
            here.relay.close();

            refill(here, settings(100_000, HOUR), progress -> {});

            assertThat(tally.restored()).isEqualTo(3);
        }
    }

    @EachDatabase(DatabaseKind.H2)
    @Tag("slow")
    void messagesThatAreDueAreKeptUpToALimit(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            neverSent(here, 1, Duration.ZERO);
            here.jdbc
                    .sql(
                            "INSERT INTO delayqueue_message (topic, id, generation, status, attempts, priority, duplicates, due,"
                                    + " due_is_instant, created, updated, headers, payload) SELECT topic, id || '-' || X, generation,"
                                    + " status, attempts, priority, duplicates, due, due_is_instant, created, updated, headers, payload"
                                    + " FROM delayqueue_message, SYSTEM_RANGE(1, ?)")
                    .param(SuspiciousMessages.MOST + 2 * PAGE)
                    .update();
            AtomicInteger most = new AtomicInteger();
            ComparisonPass twice =
                    pass(here, new RestoreWork(TOPIC, new RestorePace(100_000), tally, progress -> {}), 3);
            RestoreWork work = new RestoreWork(
                    TOPIC,
                    new RestorePace(100_000),
                    tally,
                    progress -> most.accumulateAndGet(twice.suspicious(), Math::max));

            pass(here, work, 0).leavingDueTo(twice, ids -> ids).walk();

            assertThat(most).hasValueBetween(1, SuspiciousMessages.MOST + PAGE);
        }
    }

    /** Redis' clock is five hours behind the database's, or ahead of it. */
    @Test
    void instantsAreDueByTheClockOfRedis() {
        long now = TimeUnit.DAYS.toMicros(20_000);
        long behind = now - TimeUnit.HOURS.toMicros(5);
        MessageComparison.Found found = new MessageComparison.Found();
        found.missing()
                .addAll(List.of(
                        message("instant due", behind - 1, true),
                        message("instant", now - 1, true),
                        message("due", now - 1, false),
                        message("later", now + TimeUnit.MINUTES.toMicros(1), false),
                        message("evicted", behind - 1, false)));
        found.evicted().add("evicted");

        found.noteDue(now, behind);

        assertThat(found.take(found.due()))
                .extracting(RecordedMessage::id)
                .containsExactlyInAnyOrder("instant due", "due");
        assertThat(found.missing()).extracting(RecordedMessage::id).containsExactly("instant", "later", "evicted");
    }

    private static RecordedMessage message(String id, long dueMicros, boolean instant) {
        return new RecordedMessage(id, "g", MessageStatus.SCHEDULED, dueMicros, instant, 0, 0, 0, false);
    }

    /** Messages of which Redis has nothing. */
    private static void neverSent(RestoreFixture here, int count, Duration delay) {
        here.schedule("missing", count, delay);
        here.jdbc.sql("DELETE FROM delayqueue_outbox").update();
        here.jdbc.sql("UPDATE delayqueue_message SET status = 'SCHEDULED'").update();
    }

    /** Redis has had messages, and comes back empty. */
    private static void lose(RestoreFixture here, int count, Duration delay) {
        here.relay.start();
        here.schedule("lost", count, delay);
        here.awaitSent();
        here.redis().flushall();
        here.restore.check(TOPIC);
        here.restore.removeRevived(TOPIC, () -> false);
    }

    /** A message is sent and handled after the loss; nothing is sent from then on. */
    private static void handleOne(RestoreFixture here) {
        handleOne(here, "sent");
    }

    private static void handleOne(RestoreFixture here, String prefix) {
        here.schedule(prefix, 1, Duration.ZERO);
        here.awaitSent();
        here.consume();
        RestoreFixture.await().until(() -> here.client.stats(TOPIC).totals().acked() == 1);
        here.relay.close();
    }

    private static RestoreSettings settings(int rate, Duration settleTime) {
        RestoreSettings some = RestoreFixture.SETTINGS;
        return new RestoreSettings(
                some.mode(),
                rate,
                some.checkInterval(),
                some.compareInterval(),
                some.holdTimeout(),
                some.checkTimeout(),
                settleTime);
    }

    private static ComparisonPass pass(RestoreFixture here, RestoreWork work, int secondsBetweenLooks) {
        RestoreContext context =
                RestoreContext.of(here.client, here.database, here.seen, PendingEnds.NONE, RestoreFixture.SETTINGS);
        return new ComparisonPass(
                context,
                TOPIC,
                here.client.survey(TOPIC),
                work,
                Duration.ofSeconds(secondsBetweenLooks),
                found -> found.missing().size());
    }

    private void refill(RestoreFixture here, RestoreSettings settings, Keeper keeper) {
        RestoreContext context = RestoreContext.of(here.client, here.database, here.seen, PendingEnds.NONE, settings);
        RestoreWork work = new RestoreWork(TOPIC, new RestorePace(settings.rate()), tally, keeper);
        new TopicRefill(context, TOPIC, work).run(new OpenRefill(tally), settings.settleTime());
    }

    private static boolean isInOutbox(RestoreFixture here, String id) {
        return here.jdbc
                        .sql("SELECT COUNT(*) FROM delayqueue_outbox WHERE id = ?")
                        .param(here.name(id))
                        .query(Long.class)
                        .single()
                == 1;
    }
}
