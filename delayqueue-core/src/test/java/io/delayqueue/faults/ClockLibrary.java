package io.delayqueue.faults;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A library that moves the wall clock of a process. Needs Linux and a C compiler; without them the test is skipped with a message, or fails
 * if the environment variable {@code DELAYQUEUE_REQUIRED_PROGRAMS} names {@code cc}.
 */
final class ClockLibrary {

    private ClockLibrary() {}

    /** Compiles it in this directory. */
    static Path compile(Path directory) throws IOException, InterruptedException {
        Path source = directory.resolve("clock.c");
        try (var in = ClockLibrary.class.getResourceAsStream("/clock.c")) {
            Files.copy(in, source);
        }
        Path library = directory.resolve("clock.so");
        Process compiler;
        try {
            compiler = new ProcessBuilder("cc", "-shared", "-fPIC", "-o", library.toString(), source.toString(), "-ldl")
                    .redirectErrorStream(true)
                    .start();
        } catch (IOException e) {
            throw skip("no C compiler here: " + e.getMessage());
        }
        String said = new String(compiler.getInputStream().readAllBytes());
        if (compiler.waitFor() != 0) {
            throw skip("the C compiler can't compile clock.c: " + said);
        }
        return library;
    }

    private static RuntimeException skip(String reason) {
        String required = System.getenv("DELAYQUEUE_REQUIRED_PROGRAMS");
        assertFalse(required != null && List.of(required.split(",")).contains("cc"), reason);
        return abort(reason);
    }

    /** The variables with which a process gets this clock; the file has the seconds that it is ahead. */
    static Map<String, String> environment(Path library, Path step) {
        return Map.of("LD_PRELOAD", library.toString(), "CLOCK_STEP_FILE", step.toString());
    }
}
