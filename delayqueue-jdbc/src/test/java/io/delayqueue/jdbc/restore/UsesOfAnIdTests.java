package io.delayqueue.jdbc.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.test.EmbeddedRedis;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;

/** After a loss, an id that was used several times comes back as the message that had it last. */
@Tag("slow")
class UsesOfAnIdTests {

    private final EmbeddedRedis server = EmbeddedRedis.start();

    @AfterEach
    void close() {
        server.close();
    }

    /** As of one bulk, where the database has one time for a statement. */
    @EachDatabase
    void ofUsesWithOneTimeTheOneThatHasNotEndedComesBack(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.start();
            here.schedule("a", 3, Duration.ofHours(1));
            here.awaitSent();
            for (String ended : List.of("0before", "zbehind")) {
                here.jdbc
                        .sql(
                                "INSERT INTO delayqueue_message (topic, id, generation, status, attempts, priority, duplicates,"
                                        + " due, due_is_instant, created, updated, finished, headers, payload)"
                                        + " SELECT topic, id, ?, 'REPLACED', 0, 4, 'REPLACE', due, 0, created, updated, updated,"
                                        + " headers, payload FROM delayqueue_message WHERE status = 'SCHEDULED'")
                        .param(ended)
                        .update();
            }

            here.redis().flushall();

            RestoreFixture.await()
                    .untilAsserted(() -> assertThat(here.scheduled()).isEqualTo(3));
            assertThat(here.client.find(RestoreFixture.TOPIC, "a1")).isPresent();
            assertThat(here.count("status = 'SCHEDULED'")).isEqualTo(3);
        }
    }

    /** Which use was the last one is told by times that may be wrong, and Redis can't say: nothing is concluded from what it lost. */
    @EachDatabase({DatabaseKind.H2, DatabaseKind.POSTGRESQL})
    void aLossFinishesNoMessageWhoseIdWasUsedAgain(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.auditing = false;
            here.start();
            List<String> ids = here.schedule("a", 2, Duration.ofHours(1));
            here.awaitSent();
            here.jdbc
                    .sql("UPDATE delayqueue_message SET generation = 'older000'")
                    .update();
            ids.forEach(id -> here.client.cancel(RestoreFixture.TOPIC, id));
            // generations of the fixture come again
            here.redis().del("dq:{orders:0}:applied");
            here.schedule("a", 2, Duration.ofHours(1));
            here.awaitSent();

            here.redis().flushall();

            RestoreFixture.await().untilAsserted(() -> assertThat(here.reports).isNotEmpty());
            RestoreFixture.await()
                    .untilAsserted(() -> assertThat(here.scheduled()).isEqualTo(2));
            here.awaitSent();
            assertThat(here.count("generation = 'older000' AND status = 'SCHEDULED'"))
                    .isEqualTo(2);

            here.restore.compare(RestoreFixture.TOPIC, () -> false);
            assertThat(here.count("generation = 'older000' AND status = 'UNRECORDED'"))
                    .as("a Redis that lost nothing since tells")
                    .isEqualTo(2);
            assertThat(here.scheduled()).isEqualTo(2);
        }
    }

    /** The time to live of a message that was dead for long counts from the redrive. */
    @EachDatabase({DatabaseKind.H2, DatabaseKind.POSTGRESQL})
    void aDeadMessageThatIsRestoredIsDeliveredThoughItsTimeToLiveIsShort(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.auditing = false;
            here.relay.start();
            here.schedule("a", 1, Duration.ofHours(1));
            here.awaitSent();
            here.client.cancel(RestoreFixture.TOPIC, "a0");
            long minute = Duration.ofMinutes(1).toNanos() / 1_000;
            here.jdbc
                    .sql(
                            "UPDATE delayqueue_message SET status = 'DEAD', finished = updated, due = due - ?, time_to_live = ?")
                    .params(90 * minute, 5 * minute)
                    .update();

            assertThat(here.restore
                            .restore(RestoreRequest.id(RestoreFixture.TOPIC, "a0"), false)
                            .restored())
                    .isEqualTo(1);
            here.awaitSent();
            here.consume();

            RestoreFixture.await()
                    .untilAsserted(() -> assertThat(here.client
                                    .stats(RestoreFixture.TOPIC)
                                    .totals()
                                    .acked())
                            .isEqualTo(1));
            assertThat(here.delivered).containsKey("a0");
            assertThat(here.violations).isEmpty();
        }
    }
}
