package io.delayqueue.jdbc.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.testsupport.ChildJvm;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.test.EmbeddedRedis;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;

/** A process with little memory restores a million messages, and tells how far it is. */
@Tag("soak")
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class RestoreOfAMillionTests {

    private static final int COUNT = Integer.getInteger("restore.messages", 1_000_000);

    /** An eighth of what two cores do that have nothing else to do. */
    private static final int LEAST_PER_SECOND = 2_000;

    private final EmbeddedRedis server = EmbeddedRedis.start();

    @AfterEach
    void close() {
        server.close();
    }

    @EachDatabase(DatabaseKind.POSTGRESQL)
    void comesBackInBoundedMemory(TestDatabase database) throws Exception {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            // the journal expects an epoch
            here.schedule("first", 1, Duration.ofDays(2));
            here.relay.runOnce();
            here.awaitSent();
            here.jdbc
                    .sql(
                            "INSERT INTO delayqueue_message (topic, id, generation, status, attempts, priority, duplicates, due,"
                                    + " due_is_instant, created, updated, headers, payload) SELECT topic, convert_to('m' || i, 'UTF8'),"
                                    + " lpad(i::text, 8, '0'), 'SCHEDULED', 0, 4, 'REJECT', due + i, 0, created, updated, '{}', payload"
                                    + " FROM delayqueue_message, generate_series(1, ?) i")
                    .param(COUNT - 1)
                    .update();
            here.redis().flushall();

            long began = System.nanoTime();
            Process process = start(database);
            List<Told> told = new ArrayList<>();
            long took;
            try (BufferedReader lines =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
                for (String line = lines.readLine(); !"DONE".equals(line); line = lines.readLine()) {
                    assertThat(line).as("the process ended").isNotNull();
                    System.out.println(line);
                    if (line.startsWith("progress ")) {
                        told.add(Told.of(line));
                    }
                }
                took = System.nanoTime() - began;
                Awaitility.await()
                        .atMost(Duration.ofMinutes(10))
                        .pollInterval(Duration.ofSeconds(1))
                        .until(() -> here.scheduled() == COUNT);
                System.out.println(COUNT + " messages: written in " + TimeUnit.NANOSECONDS.toMillis(took)
                        + " ms, in Redis after " + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began) + " ms");
            } finally {
                process.destroyForcibly();
                assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
            }
            assertThat(here.openRefills()).isZero();
            assertThat(told).extracting(Told::scanned).isSorted().anyMatch(scanned -> scanned > COUNT / 2);
            assertThat(told)
                    .anyMatch(progress -> progress.remaining() == RestoreProgress.MOST_COUNTED)
                    .anyMatch(progress ->
                            progress.remaining() > 0 && progress.remaining() < RestoreProgress.MOST_COUNTED);
            assertThat(COUNT * 1e9 / took).as("messages a second").isGreaterThan(LEAST_PER_SECOND);
            assertThat(told).anyMatch(progress -> progress.perSecond() > LEAST_PER_SECOND);
        }
    }

    /** The progress that the process told of. */
    private record Told(long scanned, long perSecond, long remaining) {

        static Told of(String line) {
            String[] words = line.split(" ");
            return new Told(Long.parseLong(words[1]), Long.parseLong(words[2]), Long.parseLong(words[3]));
        }
    }

    private Process start(TestDatabase database) throws Exception {
        return ChildJvm.running(
                        RestoringProcess.class,
                        List.of("-Xmx128m", "-XX:+ExitOnOutOfMemoryError"),
                        List.of(database.url(), server.uri()))
                .start();
    }
}
