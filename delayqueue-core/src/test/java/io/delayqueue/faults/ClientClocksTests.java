package io.delayqueue.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.testsupport.DocumentedUser;
import io.delayqueue.testsupport.fleet.Entry.What;
import io.delayqueue.testsupport.fleet.Fleet;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Promise 2: the wall clocks of two processes are an hour ahead and an hour behind; nothing is early or late by that. */
@EnabledOnOs(OS.LINUX)
class ClientClocksTests {

    private static final long HOUR = 3600;
    private static final String TOPIC = "clocks";
    private static final int MESSAGES = 200;

    @TempDir
    Path directory;

    @Test
    void clocksOfClientsThatAreTwoHoursApartMakeNothingEarlyOrLate() throws Exception {
        Path library = ClockLibrary.compile(directory);
        try (EmbeddedRedis server =
                        DocumentedUser.behindProxy(EmbeddedRedis.builder()).start();
                Fleet fleet = new Fleet(server, Duration.ofSeconds(2), Duration.ofMillis(500))) {
            for (long ahead : new long[] {HOUR, -HOUR}) {
                Path step = Files.writeString(directory.resolve("step" + ahead), String.valueOf(ahead));
                fleet.startWorker(ClockLibrary.environment(library, step));
            }
            assertThat(fleet.entries("-"))
                    .filteredOn(entry -> entry.what() == What.READY)
                    .as("hours that the workers' clocks are ahead")
                    .extracting(entry -> Math.round((entry.number() - System.currentTimeMillis()) / 3_600_000.0))
                    .containsExactly(1L, -1L);

            // a lease longer than the stalls of a busy machine: one that ends is a duplicate
            fleet.consume(TOPIC, Duration.ofSeconds(10), 10, Duration.ZERO);
            fleet.produce(TOPIC, MESSAGES, MESSAGES, Duration.ofMillis(500));

            fleet.requireOnceUnlessScheduledAgain(TOPIC, fleet.awaitDone(TOPIC, 2, 2 * MESSAGES));
            assertThat(fleet.members())
                    .allSatisfy(worker -> assertThat(fleet.entries(TOPIC))
                            .as("messages that %s handled", worker.name())
                            .anyMatch(entry ->
                                    entry.what() == What.ENDED && entry.worker().equals(worker.name())));
        }
    }
}
