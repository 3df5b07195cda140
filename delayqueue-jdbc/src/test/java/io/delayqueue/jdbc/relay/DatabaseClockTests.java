package io.delayqueue.jdbc.relay;

import static io.delayqueue.jdbc.relay.OutboxFixture.ENDED;
import static io.delayqueue.jdbc.relay.OutboxFixture.TOPIC;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.delayqueue.jdbc.database.DatabaseKind;
import io.delayqueue.jdbc.database.EachDatabase;
import io.delayqueue.jdbc.database.TestDatabase;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The clock of a relay's process does not count. Needs Linux and a C compiler; without them the test is skipped with a message. */
class DatabaseClockTests {

    private static final Path CLOCK = Path.of("..", "delayqueue-core", "src", "test", "resources", "clock.c");

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

    private void assertSentOnTime(TestDatabase database, Duration ahead) throws Exception {
        OutboxFixture rows = new OutboxFixture(database);
        rows.message("a", "aaaaaaaa", TimeUnit.HOURS.toMicros(2), new byte[0]);
        rows.row("a", "Saaaaaaaa;", 1, 1, ENDED);
        rows.scheduled("taken", "cccccccc", 1, TimeUnit.MINUTES.toMicros(5));
        Instant before = Instant.now();
        try (RelayProcesses processes = new RelayProcesses(database, redis)) {
            RelayProcesses.One relay =
                    processes.start(RelayProcess.Step.NONE, Duration.ofSeconds(10), 500, clock(ahead));
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

    private Map<String, String> clock(Duration ahead) throws IOException, InterruptedException {
        assumeTrue(Files.exists(CLOCK), "clock.c is not beside this module");
        Path library = directory.resolve("clock.so");
        Path step = directory.resolve("step");
        Files.writeString(step, Long.toString(ahead.toSeconds()));
        try {
            Process compiler = new ProcessBuilder(
                            "cc", "-shared", "-fPIC", "-o", library.toString(), CLOCK.toString(), "-ldl")
                    .redirectErrorStream(true)
                    .start();
            String said = new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assumeTrue(compiler.waitFor() == 0, "the C compiler can't compile clock.c: " + said);
        } catch (IOException e) {
            assumeTrue(false, "no C compiler here: " + e.getMessage());
        }
        return Map.of("LD_PRELOAD", library.toString(), "CLOCK_STEP_FILE", step.toString());
    }
}
