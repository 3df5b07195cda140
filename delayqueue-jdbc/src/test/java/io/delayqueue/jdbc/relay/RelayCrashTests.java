package io.delayqueue.jdbc.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.database.DatabaseKind;
import io.delayqueue.jdbc.database.EachDatabase;
import io.delayqueue.jdbc.database.TestDatabase;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;

/** Relays in processes of their own: some are killed, many work side by side. */
class RelayCrashTests {

    private static final int ROWS = 2_000;

    private final RedisFixture redis = new RedisFixture();
    private final List<Process> processes = new ArrayList<>();

    @AfterEach
    void close() {
        processes.forEach(Process::destroyForcibly);
        redis.close();
    }

    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void whatARelayClaimedBeforeItWasKilledIsSentByAnother(TestDatabase database) throws Exception {
        OutboxFixture rows = new OutboxFixture(database);
        rows.scheduled(ROWS, "m");
        kill(start(database, RelayProcess.Step.CLAIMED), "CLAIMED");

        assertThat(redis.client.stats(OutboxFixture.TOPIC).totals().accepted()).isZero();
        assertSentOnce(rows);
    }

    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void whatARelaySentBeforeItWasKilledIsNotSentAgain(TestDatabase database) throws Exception {
        OutboxFixture rows = new OutboxFixture(database);
        rows.scheduled(ROWS, "m");
        kill(start(database, RelayProcess.Step.ANSWERED), "ANSWERED");

        assertThat(redis.client.stats(OutboxFixture.TOPIC).totals().accepted()).isPositive();
        assertThat(rows.outboxRows()).isEqualTo(ROWS);
        assertSentOnce(rows);
    }

    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void fourProcessesShareTheRows(TestDatabase database) throws Exception {
        OutboxFixture rows = new OutboxFixture(database);
        rows.scheduled(10_000, "m");
        for (int i = 0; i < 4; i++) {
            start(database, RelayProcess.Step.NONE);
        }
        int sent = 0;
        for (Process process : processes) {
            sent += Integer.parseInt(line(process, "SENT").substring("SENT ".length()));
        }
        assertThat(sent).isEqualTo(10_000);
        assertThat(rows.outboxRows()).isZero();
        assertThat(redis.client.stats(OutboxFixture.TOPIC).totals().accepted()).isEqualTo(10_000);
    }

    private void assertSentOnce(OutboxFixture rows) {
        rows.endClaims();
        try (Relay relay = new Relay(rows.database, redis.outbox, OutboxListener.NONE, OutboxSettings.DEFAULTS)) {
            relay.runOnce();
        }
        assertThat(rows.outboxRows()).isZero();
        assertThat(redis.client.stats(OutboxFixture.TOPIC).totals().accepted()).isEqualTo(ROWS);
        assertThat(rows.jdbc
                        .sql("SELECT COUNT(*) FROM delayqueue_message WHERE status = 'SCHEDULED'")
                        .query(Integer.class)
                        .single())
                .isEqualTo(ROWS);
    }

    private Process start(TestDatabase database, RelayProcess.Step step) throws IOException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        RelayProcess.class.getName(),
                        database.url(),
                        redis.server.uri(),
                        step.name())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        processes.add(process);
        return process;
    }

    private static void kill(Process process, String whenItSays) throws Exception {
        line(process, whenItSays);
        process.destroyForcibly();
        assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
    }

    private static String line(Process process, String start) throws IOException {
        BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.startsWith(start)) {
                return line;
            }
        }
        throw new AssertionError("the process ended without " + start);
    }
}
