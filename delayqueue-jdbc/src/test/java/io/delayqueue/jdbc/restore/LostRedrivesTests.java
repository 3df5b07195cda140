package io.delayqueue.jdbc.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.test.EmbeddedRedis;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;

/** Messages are dead letters in Redis and unfinished in the journal: the later of dead-lettering and redrive holds. */
class LostRedrivesTests {

    private static final String TOPIC = RestoreFixture.TOPIC;

    private final EmbeddedRedis server = EmbeddedRedis.start();

    @AfterEach
    void close() {
        server.close();
    }

    /** The dump has them dead. */
    @EachDatabase({DatabaseKind.H2, DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void messagesThatWereRedrivenOrRescheduledSinceTheDumpAreDelivered(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.start();
            List<String> redriven = here.schedule("redriven", 10, Duration.ZERO);
            List<String> rescheduled = here.schedule("rescheduled", 10, Duration.ZERO);
            here.schedule("dead", 5, Duration.ZERO);
            here.awaitSent();
            here.deadLetterAll(25);
            assertThat(here.count("status = 'DEAD'")).isEqualTo(25);
            here.redis().save();
            assertThat(here.client.deadLetters(TOPIC).redrive(redriven)).isEqualTo(10);
            rescheduled.forEach(id -> here.reschedule(id, Duration.ofSeconds(1), Duration.ZERO));
            here.awaitSent();
            RestoreFixture.await().until(() -> here.count("status = 'SCHEDULED'") == 20);

            server.kill();
            server.restart();

            here.consume();
            RestoreFixture.await().untilAsserted(() -> {
                assertThat(here.violations).isEmpty();
                assertThat(here.delivered).containsKeys(redriven.toArray(String[]::new));
                assertThat(here.delivered).containsKeys(rescheduled.toArray(String[]::new));
            });
            RestoreFixture.await().until(() -> here.count("status = 'ACKED'") == 20);
            assertThat(here.delivered).hasSize(20);
            assertThat(here.count("status = 'DEAD'")).isEqualTo(5);
            assertThat(here.client.stats(TOPIC).dead()).isEqualTo(5);
        }
    }

    /** A redrive raises none of the counters that show a loss, but a comparison finds it. */
    @EachDatabase({DatabaseKind.H2, DatabaseKind.POSTGRESQL})
    void aComparisonFindsLostRedrives(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.relay.start();
            List<String> ids = here.schedule("a", 10, Duration.ZERO);
            here.awaitSent();
            here.deadLetterAll(10);
            here.redis().save();
            here.client.deadLetters(TOPIC).redrive(ids);
            RestoreFixture.await().until(() -> here.count("status = 'SCHEDULED'") == 10);
            server.kill();
            server.restart();
            here.awaitRedis();
            assertThat(here.restore.check(TOPIC)).isFalse();

            assertThat(here.restore.restore(RestoreRequest.all(), true).differences())
                    .isEqualTo(Map.of(Difference.Kind.OTHER_STATUS, 10L));
            assertThat(here.restore.compare(TOPIC, () -> false)).isEqualTo(JournalRestore.Outcome.DONE);

            here.consume();
            RestoreFixture.await().until(() -> here.count("status = 'ACKED'") == 10);
            assertThat(here.restore.compare(TOPIC, () -> false)).isEqualTo(JournalRestore.Outcome.NOTHING);
        }
    }

    /** They were dead-lettered, and their process died before it could record that. */
    @EachDatabase({DatabaseKind.H2, DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void aDeadLetterThatWasNotRecordedIsTakenOver(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.relay.start();
            here.schedule("a", 10, Duration.ZERO);
            here.awaitSent();
            here.auditing = false;
            here.deadLetterAll(10);
            assertThat(here.count("status = 'SCHEDULED'")).isEqualTo(10);

            here.restore.compare(TOPIC, () -> false);

            assertThat(here.count("status = 'DEAD' AND finished IS NOT NULL AND state_time > 0"))
                    .isEqualTo(10);
            here.awaitSent();
            assertThat(here.client.stats(TOPIC).dead()).isEqualTo(10);
        }
    }
}
