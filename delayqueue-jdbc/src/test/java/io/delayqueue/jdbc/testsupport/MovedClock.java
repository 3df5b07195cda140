package io.delayqueue.jdbc.testsupport;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * A clock of processes that is not the machine's. Needs Linux and a C compiler; without them the test is skipped with a message, or
 * fails if the environment variable {@code DELAYQUEUE_REQUIRED_PROGRAMS} names {@code cc}.
 *
 * @param library preloaded into the process
 * @param step has the seconds that the clock is ahead
 */
public record MovedClock(Path library, Path step) {

    private static final Path SOURCE = Path.of("..", "delayqueue-core", "src", "test", "resources", "clock.c");

    /** A clock with its files in a directory. */
    public static MovedClock in(Path directory, Duration ahead) throws IOException, InterruptedException {
        if (!Files.exists(SOURCE)) {
            skip("clock.c is not beside this module");
        }
        Path library = directory.resolve("clock.so");
        try {
            Process compiler = new ProcessBuilder(
                            "cc", "-shared", "-fPIC", "-o", library.toString(), SOURCE.toString(), "-ldl")
                    .redirectErrorStream(true)
                    .start();
            String said = new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (compiler.waitFor() != 0) {
                skip("the C compiler can't compile clock.c: " + said);
            }
        } catch (IOException e) {
            skip("no C compiler here: " + e.getMessage());
        }
        MovedClock clock = new MovedClock(library, directory.resolve("step"));
        clock.move(ahead);
        return clock;
    }

    private static void skip(String reason) {
        String required = System.getenv("DELAYQUEUE_REQUIRED_PROGRAMS");
        assertFalse(required != null && List.of(required.split(",")).contains("cc"), reason);
        abort(reason);
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
