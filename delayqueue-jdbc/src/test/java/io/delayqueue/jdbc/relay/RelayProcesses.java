package io.delayqueue.jdbc.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.testsupport.ChildJvm;
import io.delayqueue.jdbc.testsupport.FrozenProcess;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The relays that a test runs in processes of their own, and that it kills or freezes. */
final class RelayProcesses implements AutoCloseable {

    private final TestDatabase database;
    private final RedisFixture redis;
    private final List<One> all = new ArrayList<>();

    RelayProcesses(TestDatabase database, RedisFixture redis) {
        this.database = database;
        this.redis = redis;
    }

    One start(RelayProcess.Step step, Duration sendTimeout, int batchSize) throws IOException {
        return start(step, sendTimeout, batchSize, Map.of());
    }

    One start(RelayProcess.Step step, Duration sendTimeout, int batchSize, Map<String, String> environment)
            throws IOException {
        ProcessBuilder builder = ChildJvm.running(
                RelayProcess.class,
                List.of("-Xmx256m", ChildJvm.STARTS_FAST),
                List.of(
                        database.url(),
                        redis.server.uri(),
                        step.name(),
                        Long.toString(sendTimeout.toMillis()),
                        Integer.toString(batchSize)));
        builder.environment().putAll(environment);
        One one = new One(builder.start());
        all.add(one);
        return one;
    }

    @Override
    public void close() {
        all.forEach(one -> one.process.destroyForcibly());
    }

    /** A process. */
    static final class One {

        private final Process process;
        private final BufferedReader lines;

        private One(Process process) {
            this.process = process;
            this.lines = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        }

        /** The rest of the next line that begins with a word. */
        String awaitLine(String word) throws IOException {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith(word)) {
                    return line.substring(word.length()).strip();
                }
            }
            throw new AssertionError("the process ended without " + word);
        }

        /** Rows that it took, told at its end. */
        int awaitSent() throws IOException {
            return Integer.parseInt(awaitLine("SENT"));
        }

        void kill() throws InterruptedException {
            process.destroyForcibly();
            assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        }

        /** Freezes the whole process; what it is sent meanwhile waits. */
        void freeze() throws IOException, InterruptedException {
            FrozenProcess.freeze(process);
        }

        void thaw() throws IOException, InterruptedException {
            FrozenProcess.thaw(process);
        }

        /** Lets a process that stopped at its step go on. */
        void goOn() throws IOException {
            OutputStream input = process.getOutputStream();
            input.write('\n');
            input.flush();
        }

        boolean isFrozen() throws IOException {
            return FrozenProcess.isFrozen(process);
        }
    }
}
