package io.delayqueue.jdbc.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.test.EmbeddedRedis;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;

/** Redis restarts from a dump that lacks what happened since: it has messages that ended, and lacks others. */
@Tag("slow")
class OlderDumpTests {

    private final EmbeddedRedis server = EmbeddedRedis.start();

    @AfterEach
    void close() {
        server.close();
    }

    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void whatEndedStaysEndedAndTheRestIsDelivered(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.start();
            List<String> acked = here.schedule("acked", 100, Duration.ZERO);
            List<String> cancelled = here.schedule("cancelled", 20, Duration.ofHours(1));
            here.schedule("later", 50, Duration.ofSeconds(2));
            here.awaitSent();
            here.redis().save();

            here.consume();
            RestoreFixture.await().until(() -> here.recordedAcks.containsAll(acked));
            cancelled.forEach(here::cancel);
            List<String> lacking = here.schedule("lacking", 60, Duration.ofSeconds(2));
            here.awaitSent();
            server.kill();
            server.restart();

            here.awaitAllDone();
            assertThat(here.delivered).doesNotContainKeys(cancelled.toArray(String[]::new));
            assertThat(here.delivered).containsKeys(lacking.toArray(String[]::new));
            assertThat(acked)
                    .allSatisfy(id -> assertThat(here.delivered.get(id)).hasValue(1));
            assertThat(here.delivered).hasSize(210);
            assertThat(here.count("status = 'CANCELLED'")).isEqualTo(20);
            assertThat(here.losses).containsExactly(new RedisLossDetectedEvent(RestoreFixture.TOPIC, 0, Loss.SET_BACK));
        }
    }

    /** Their former due times must not count while the refill settles. */
    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void messagesThatWereRescheduledSinceTheDumpAreNotEarly(TestDatabase database) {
        RestoreSettings slow = new RestoreSettings(
                RestoreMode.AUTOMATIC,
                100_000,
                Duration.ofMillis(500),
                Duration.ZERO,
                Duration.ofSeconds(60),
                Duration.ofSeconds(30),
                Duration.ofSeconds(4));
        try (RestoreFixture here = new RestoreFixture(database, server.uri(), slow)) {
            here.start();
            List<String> ids = here.schedule("a", 30, Duration.ofSeconds(3));
            here.awaitSent();
            here.redis().save();
            ids.subList(0, 20).forEach(id -> here.reschedule(id, Duration.ofSeconds(9), Duration.ZERO));
            here.awaitSent();

            killAndRestart(here);
            here.consume();

            // those that were not put off are not held up by the rest
            RestoreFixture.await().until(() -> here.delivered.size() >= 10 || !here.violations.isEmpty());
            here.awaitAllDone();
            assertThat(here.delivered).hasSize(30);
            assertThat(here.losses).hasSize(1);
        }
    }

    /** Nothing was sent since the dump: only the counter of acks tells. */
    @EachDatabase(DatabaseKind.H2)
    void aDumpThatLacksOnlyAcksIsNoticed(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.start();
            List<String> acked = here.schedule("acked", 30, Duration.ZERO);
            here.awaitSent();
            here.redis().save();
            here.consume();
            RestoreFixture.await().until(() -> here.recordedAcks.containsAll(acked));

            server.kill();
            server.restart();

            RestoreFixture.await().until(() -> !here.losses.isEmpty());
            here.awaitAllDone();
            assertThat(acked)
                    .allSatisfy(id -> assertThat(here.delivered.get(id)).hasValue(1));
        }
    }

    /** Nothing was sent or acked since the dump. */
    @EachDatabase(DatabaseKind.H2)
    void aDumpThatLacksOnlyCancellationsOrPurgesIsNoticed(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.start();
            here.schedule("cancelled", 20, Duration.ofSeconds(3));
            here.awaitSent();
            here.redis().save();
            here.client.cancelAll(
                    RestoreFixture.TOPIC,
                    IntStream.range(0, 10).mapToObj(i -> "cancelled" + i).toList());
            RestoreFixture.await().until(() -> here.count("status = 'CANCELLED'") == 10);

            killAndRestart(here);

            RestoreFixture.await().until(() -> here.losses.size() == 1 && pending(here) == 10);
            here.redis().save();
            here.client
                    .pending(RestoreFixture.TOPIC)
                    .purge(IntStream.range(10, 20)
                            .mapToObj(i -> "cancelled" + i)
                            .toList());
            RestoreFixture.await().until(() -> here.count("status = 'PURGED'") == 10);

            killAndRestart(here);

            here.consume();
            RestoreFixture.await().until(() -> here.losses.size() == 2);
            here.awaitAllDone();
            assertThat(here.delivered).isEmpty();
        }
    }

    /** The dump has the message that gave way, which keeps the later one out until it is removed. */
    @EachDatabase(DatabaseKind.POSTGRESQL)
    void aMessageThatReplacedOneOfTheDumpComesBack(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.schedule("a", 3, Duration.ofHours(1));
            here.relay.runOnce();
            here.awaitSent();
            here.redis().save();
            // they gave way to others after the dump
            here.jdbc
                    .sql("UPDATE delayqueue_message SET status = 'REPLACED', finished = updated")
                    .update();
            String columns =
                    "status, finished, topic, id, attempts, priority, duplicates, due, due_is_instant, updated,"
                            + " headers, payload";
            here.jdbc
                    .sql("INSERT INTO delayqueue_message (generation, created, " + columns + ") SELECT 'later000',"
                            + " created + 1, " + columns + " FROM delayqueue_message")
                    .update();
            here.jdbc
                    .sql(
                            "UPDATE delayqueue_message SET status = 'SCHEDULED', finished = NULL WHERE generation = 'later000'")
                    .update();
            here.jdbc
                    .sql("UPDATE delayqueue_partition SET sent = sent + 3 WHERE instance = ?")
                    .param(here.name("here"))
                    .update();
            killAndRestart(here);

            assertThat(here.restore.check(RestoreFixture.TOPIC)).isTrue();
            assertThat(here.restore.refill(RestoreFixture.TOPIC, () -> false)).isEqualTo(JournalRestore.Outcome.AGAIN);
            assertThat(here.restore.removeRevived(RestoreFixture.TOPIC, () -> false))
                    .isEqualTo(JournalRestore.Outcome.DONE);
            assertThat(here.reports).isEmpty();
            assertThat(here.restore.refill(RestoreFixture.TOPIC, () -> false)).isEqualTo(JournalRestore.Outcome.DONE);

            assertThat(here.reports).singleElement().satisfies(report -> {
                assertThat(report.restored()).isEqualTo(3);
                assertThat(report.waiting()).isZero();
            });
            here.relay.start();
            here.awaitSent();
            assertThat(here.client.find(RestoreFixture.TOPIC, "a0"))
                    .hasValueSatisfying(found -> assertThat(found.generation()).isEqualTo("later000"));
        }
    }

    private static long pending(RestoreFixture here) {
        return here.client.stats(RestoreFixture.TOPIC).pending().total();
    }

    private void killAndRestart(RestoreFixture here) {
        server.kill();
        server.restart();
        here.awaitRedis();
    }
}
