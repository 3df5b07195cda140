package io.delayqueue.jdbc.relay;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Map;

/**
 * A clock of processes that is not the machine's. Needs Linux and a C compiler; without them the test is skipped with a message.
 *
 * @param library preloaded into the process
 * @param step has the seconds that the clock is ahead
 */
public record MovedClock(Path library, Path step) {

    private static final Path SOURCE = Path.of("..", "delayqueue-core", "src", "test", "resources", "clock.c");

    /** A clock with its files in a directory. */
    public static MovedClock in(Path directory, Duration ahead) throws IOException, InterruptedException {
        assumeTrue(Files.exists(SOURCE), "clock.c is not beside this module");
        Path library = directory.resolve("clock.so");
        try {
            Process compiler = new ProcessBuilder(
                            "cc", "-shared", "-fPIC", "-o", library.toString(), SOURCE.toString(), "-ldl")
                    .redirectErrorStream(true)
                    .start();
            String said = new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assumeTrue(compiler.waitFor() == 0, "the C compiler can't compile clock.c: " + said);
        } catch (IOException e) {
            assumeTrue(false, "no C compiler here: " + e.getMessage());
        }
        MovedClock clock = new MovedClock(library, directory.resolve("step"));
        clock.move(ahead);
        return clock;
    }

    /** Sets it so far ahead of the machine's. */
    public void move(Duration ahead) throws IOException {
        Path next = Files.writeString(step.resolveSibling("next"), Long.toString(ahead.toSeconds()));
        Files.move(next, step, StandardCopyOption.ATOMIC_MOVE);
    }

    /** The variables with which a process gets this clock. */
    public Map<String, String> environment() {
        return Map.of("LD_PRELOAD", library.toString(), "CLOCK_STEP_FILE", step.toString());
    }
}
