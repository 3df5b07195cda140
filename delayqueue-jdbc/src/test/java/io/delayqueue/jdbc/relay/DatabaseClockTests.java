package io.delayqueue.jdbc.relay;

import static io.delayqueue.jdbc.relay.OutboxFixture.ENDED;
import static io.delayqueue.jdbc.relay.OutboxFixture.TOPIC;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.delayqueue.jdbc.testsupport.MovedClock;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * The clock of a relay's process does not count, and the database's and Redis' may differ. The rest of a delay by the one is added to the
 * other. Needs Linux and a C compiler; without them the test is skipped with a message.
 */
class DatabaseClockTests {

    @RegisterExtension
    private static final RedisFixture redis = new RedisFixture();

    @TempDir
    private Path directory;

    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void aRelayWhoseClockIsHoursAheadSendsTheSameDelays(TestDatabase database) throws Exception {
        assertSentOnTime(database, Duration.ofHours(5));
    }

    @EachDatabase(DatabaseKind.POSTGRESQL)
    void aRelayWhoseClockIsHoursBackSendsTheSameDelays(TestDatabase database) throws Exception {
        assertSentOnTime(database, Duration.ofHours(-5));
    }

    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void aRedisWhoseClockIsHoursAheadGetsWhatIsLeftOfTheDelays(TestDatabase database) throws Exception {
        assertSentWithWhatIsLeft(database, Duration.ofHours(5));
    }

    @EachDatabase(DatabaseKind.H2)
    void aRedisWhoseClockIsHoursBackGetsWhatIsLeftOfTheDelays(TestDatabase database) throws Exception {
        assertSentWithWhatIsLeft(database, Duration.ofHours(-5));
    }

    private void assertSentWithWhatIsLeft(TestDatabase database, Duration ahead) throws Exception {
        OutboxFixture rows = new OutboxFixture(database);
        try (MovedRedis moved = MovedRedis.start(directory, ahead, Duration.ofSeconds(20));
                Relay relay = new Relay(rows.database, moved.outbox, OutboxListener.NONE, OutboxSettings.DEFAULTS)) {
            assertThat(moved.now()).isCloseTo(Instant.now().plus(ahead), within(5, ChronoUnit.MINUTES));
            Instant before = moved.now();
            rows.message("a", "aaaaaaaa", TimeUnit.HOURS.toMicros(2), new byte[0]);
            rows.row("a", "Saaaaaaaa;", 1, 1, ENDED);
            rows.message("moved", "bbbbbbbb", TimeUnit.HOURS.toMicros(2), new byte[0]);
            long newDue = rows.now() + TimeUnit.HOURS.toMicros(3);
            rows.row("moved", "Sbbbbbbbb;Rrrrrrrrr:d" + newDue + ";", 2, 1, ENDED);

            assertThat(relay.runOnce()).isEqualTo(2);

            Instant after = moved.now();
            // nothing is early: the database's time was read before Redis'
            assertThat(due(moved, "a")).isBetween(before.plus(2, ChronoUnit.HOURS), after.plus(2, ChronoUnit.HOURS));
            assertThat(due(moved, "moved"))
                    .isBetween(before.plus(3, ChronoUnit.HOURS), after.plus(3, ChronoUnit.HOURS));
        }
    }

    private static Instant due(MovedRedis redis, String id) {
        return redis.client.find(TOPIC, id).orElseThrow().due();
    }

    private void assertSentOnTime(TestDatabase database, Duration ahead) throws Exception {
        OutboxFixture rows = new OutboxFixture(database);
        Instant before = Instant.now();
        rows.message("a", "aaaaaaaa", TimeUnit.HOURS.toMicros(2), new byte[0]);
        rows.row("a", "Saaaaaaaa;", 1, 1, ENDED);
        rows.scheduled("taken", "cccccccc", 1, TimeUnit.MINUTES.toMicros(5));
        try (RelayProcesses processes = new RelayProcesses(database, redis)) {
            RelayProcesses.One relay = processes.start(
                    RelayProcess.Step.NONE,
                    Duration.ofSeconds(10),
                    500,
                    MovedClock.in(directory, ahead).environment());
            Instant clock = Instant.ofEpochSecond(Long.parseLong(relay.awaitLine("CLOCK")));
            assertThat(clock).isCloseTo(before.plus(ahead), within(5, ChronoUnit.MINUTES));

            assertThat(relay.awaitSent()).isEqualTo(1);
        }
        Duration took = Duration.between(before, Instant.now());
        Instant due = redis.client.find(TOPIC, "a").orElseThrow().due();
        assertThat(due)
                .isBetween(
                        before.plus(2, ChronoUnit.HOURS).minusSeconds(5),
                        before.plus(2, ChronoUnit.HOURS).plus(took));
        assertThat(rows.outboxRows()).isEqualTo(1);
    }
}
