package io.delayqueue.gateway.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** The log tells of a file that has become invalid, once a minute. */
@ExtendWith(OutputCaptureExtension.class)
class ReloadedFileTests {

    private static final String LINE = "is not usable, so the tokens that were read before stay";

    private final LoggingSystem logging = LoggingSystem.get(getClass().getClassLoader());

    @TempDir
    private Path folder;

    private final AtomicLong time = new AtomicLong();
    private Path path;
    private ReloadedFile<Map<String, String>> file;

    @BeforeEach
    void logWarnings() {
        logging.setLogLevel(ReloadedFile.class.getName(), LogLevel.WARN);
    }

    @AfterEach
    void logAsBefore() {
        logging.setLogLevel(ReloadedFile.class.getName(), null);
    }

    @BeforeEach
    void read() throws Exception {
        path = Files.writeString(folder.resolve("tokens.yml"), "tokens:\n  a: b\n");
        file = new ReloadedFile<>(path, "token", String.class, Map::copyOf, Duration.ZERO, time::get);
        assertThat(file.get()).containsEntry("a", "b");
    }

    private void lookForMinutes(int minutes) {
        for (int second = 0; second < 60 * minutes; second += 5) {
            assertThat(file.get()).containsEntry("a", "b");
            time.addAndGet(Duration.ofSeconds(5).toNanos());
        }
    }

    private static long lines(CapturedOutput log) {
        return log.getOut().lines().filter(line -> line.contains(LINE)).count();
    }

    @Test
    void invalidFileIsLoggedAtOnceAndEachMinute(CapturedOutput log) throws Exception {
        Files.writeString(path, "tokens: [");
        lookForMinutes(3);
        assertThat(lines(log)).isEqualTo(3);
        Files.writeString(path, "tokens: [[");
        lookForMinutes(1);
        assertThat(lines(log)).as("another content").isEqualTo(4);

        Files.writeString(path, "tokens:\n  a: b\n");
        lookForMinutes(2);
        assertThat(lines(log)).as("a valid one").isEqualTo(4);
    }

    @Test
    void missingFileIsLoggedAtOnceAndEachMinute(CapturedOutput log) throws Exception {
        Files.delete(path);
        lookForMinutes(3);
        assertThat(lines(log)).isEqualTo(3);

        Files.writeString(path, "tokens:\n  a: b\n");
        lookForMinutes(1);
        Files.delete(path);
        lookForMinutes(1);
        assertThat(lines(log)).as("another time").isEqualTo(4);
    }
}
