package io.delayqueue.benchmarks.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WorkerTests {

    private Process worker;

    @AfterEach
    void kill() {
        worker.destroyForcibly();
    }

    /** A benchmark that is stopped closes it. */
    @Test
    void theEndOfItsInputEndsAWorkerWhoseCommandHangs() throws Exception {
        PrintStream commands = start(HangingPeer.class);
        commands.println(Line.of("open", "server", "none", "lease", 1, "partitions", 1, "variant", "none"));
        assertThat(readOutput()).isEqualTo(HangingPeer.HANGS);

        commands.close();

        assertThat(worker.waitFor(30, TimeUnit.SECONDS)).isTrue();
    }

    private PrintStream start(Class<?> peer) throws IOException {
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        worker = new ProcessBuilder(
                        java.toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Worker.class.getName(),
                        peer.getName())
                .redirectErrorStream(true)
                .start();
        return new PrintStream(worker.getOutputStream(), true, StandardCharsets.US_ASCII);
    }

    private String readOutput() throws IOException {
        BufferedReader output = worker.inputReader(StandardCharsets.US_ASCII);
        return output.readLine();
    }
}
