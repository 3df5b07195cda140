package io.delayqueue.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueException;
import io.delayqueue.TopicStats;
import io.delayqueue.testsupport.TestQueue;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The server dies, and its append-only file lacks its end. */
class AppendOnlyFileTests {

    private static final int MESSAGES = 500;

    @RegisterExtension
    final TestQueue test = new TestQueue(server -> server.setting("appendonly", "yes")
            .setting("appendfsync", "everysec")
            .setting("aof-load-truncated", "yes"));

    private final Set<String> handled = ConcurrentHashMap.newKeySet();

    /** As after a power failure: the last commands are gone, and the last one is cut in the middle. */
    @Test
    void cutEndOfTheFileLosesTheLastMessagesAndTheCountersAddUp() throws Exception {
        for (int i = 0; i < MESSAGES; i++) {
            test.schedule("m" + i);
        }
        Path file = appendOnlyFile();
        awaitWritten();
        test.server().kill();
        long length = Files.size(file);
        try (RandomAccessFile cut = new RandomAccessFile(file.toFile(), "rw")) {
            cut.setLength(length - length / 5 - 7);
        }
        test.server().restart();

        TopicStats stats = statsOnceConnected();
        assertThat(stats.unaccounted()).isZero();
        long kept = stats.totals().accepted();
        assertThat(kept).isBetween(MESSAGES / 2L, MESSAGES - 10L);
        assertThat(stats.pending().total()).isEqualTo(kept);
        test.consume(TestQueue.options(), (message, delivery) -> handled.add(message.id()));

        assertThat(test.awaitDrained().totals().acked()).isEqualTo(kept);
        assertThat(handled).hasSize((int) kept).contains("m0", "m" + (kept - 1));
    }

    /** Messages in flight whose acks are lost with the file's end are delivered again. */
    @Test
    void cutEndOfTheFileLosesAcksAndTheirMessagesAreDeliveredAgain() throws Exception {
        Map<String, Integer> deliveries = new ConcurrentHashMap<>();
        test.scheduleMany(MESSAGES);
        test.consume(
                TestQueue.options().lease(Duration.ofSeconds(1)).maxAttempts(100),
                (message, delivery) -> deliveries.merge(message.id(), 1, Integer::sum));
        test.awaitAcked(MESSAGES);
        Path file = appendOnlyFile();
        awaitWritten();
        test.server().kill();
        try (RandomAccessFile cut = new RandomAccessFile(file.toFile(), "rw")) {
            cut.setLength(Files.size(file) - 500);
        }
        test.server().restart();

        TestQueue.await().ignoreExceptionsInstanceOf(DelayQueueException.class).until(() -> {
            TopicStats stats = test.stats();
            return stats.totals().acked() == MESSAGES && stats.inFlight() == 0;
        });
        assertThat(deliveries.values().stream().mapToInt(count -> count).sum())
                .as("deliveries")
                .isGreaterThan(MESSAGES);
        assertThat(test.awaitDrained().unaccounted()).isZero();
    }

    /** {@code kill -9} leaves the pages that were written to the kernel, so that everysec loses what was not written yet. */
    @Test
    void killedServerWithFsyncEverySecondKeepsAllThatItAcknowledged() throws Exception {
        for (int i = 0; i < MESSAGES; i++) {
            test.schedule("m" + i);
        }
        awaitWritten();
        test.server().kill();
        test.server().restart();

        assertThat(statsOnceConnected().totals().accepted()).isEqualTo(MESSAGES);
        test.consume(TestQueue.options(), (message, delivery) -> handled.add(message.id()));

        assertThat(test.awaitDrained().totals().acked()).isEqualTo(MESSAGES);
        assertThat(handled).hasSize(MESSAGES);
    }

    /** A slow disk puts writes off, for up to two seconds. */
    private void awaitWritten() {
        TestQueue.await().until(() -> test.redis().info("persistence").contains("aof_buffer_length:0\r\n"));
    }

    private TopicStats statsOnceConnected() {
        TestQueue.await().ignoreExceptionsInstanceOf(DelayQueueException.class).until(() -> test.stats() != null);
        return test.stats();
    }

    /** The file that is appended to: since Redis 7 the last increment in a folder of its own. */
    private Path appendOnlyFile() {
        Path directory = Path.of(test.redis().configGet("dir").get("dir"));
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(
                            file -> file.getFileName().toString().matches("appendonly\\.aof(\\.\\d+\\.incr\\.aof)?"))
                    .filter(Files::isRegularFile)
                    .max(Comparator.comparing(Path::toString))
                    .orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
