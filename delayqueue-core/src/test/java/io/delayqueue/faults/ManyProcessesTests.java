package io.delayqueue.faults;

import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.testsupport.DocumentedUser;
import io.delayqueue.testsupport.fleet.Fleet;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Promise 4: many processes schedule to and consume several topics, and each message is handled by one of them. */
@DisabledOnOs(OS.WINDOWS)
class ManyProcessesTests {

    private static final int PER_SECOND = 20;

    /** Longer than the stalls of a busy machine: a lease that ends is a duplicate. */
    private static final Duration LEASE = Duration.ofSeconds(10);

    @Test
    void fourProcessesWithThreeTopicsEach() throws Exception {
        run(4, 3);
    }

    @Test
    @Tag("soak")
    void tenProcessesWithFiveTopicsEach() throws Exception {
        run(10, 5);
    }

    private static void run(int processes, int topicCount) throws Exception {
        List<String> topics =
                IntStream.range(0, topicCount).mapToObj(i -> "topic-" + i).toList();
        try (EmbeddedRedis server =
                        DocumentedUser.behindProxy(EmbeddedRedis.builder()).start();
                Fleet fleet = new Fleet(server, Duration.ofSeconds(2), Duration.ofSeconds(1))) {
            for (int i = 0; i < processes; i++) {
                fleet.startWorker();
            }
            for (String topic : topics) {
                fleet.consume(topic, LEASE, 5, Duration.ofMillis(5));
                fleet.produce(topic, 2 * PER_SECOND, PER_SECOND, Duration.ofSeconds(1));
            }

            for (String topic : topics) {
                fleet.requireOnceUnlessScheduledAgain(
                        topic, fleet.awaitDone(topic, processes, processes * 2 * PER_SECOND));
            }
        }
    }
}
