package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.TopicStats;
import io.delayqueue.testsupport.ChildJvm;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Processes that pull are killed: nothing is lost, and no message is acked twice. */
class PullersKilledTests {

    private static final int LEASE_MILLIS = 1000;

    @RegisterExtension
    final TestQueue test = new TestQueue();

    private final Queue<String> lines = new ConcurrentLinkedQueue<>();
    private final AtomicInteger ready = new AtomicInteger();

    @Test
    void everyMessageIsAckedOnceAlthoughAPullerDies() throws Exception {
        pullAndKill(300, 1);
    }

    @Test
    @Tag("slow")
    void everyMessageIsAckedOnceHoweverOftenItsPullersDie() throws Exception {
        pullAndKill(1500, 4);
    }

    private void pullAndKill(int messages, int kills) throws Exception {
        Random random = new Random();
        Deque<ChildJvm> children = new ArrayDeque<>(List.of(child(), child()));
        TestQueue.await().until(() -> ready.get() == 2);
        test.queue()
                .scheduleAll(IntStream.range(0, messages)
                        .mapToObj(i -> TestQueue.message()
                                .id("m" + i)
                                .maxAttempts(1000)
                                .delay(Duration.ofMillis(random.nextInt(2 * messages)))
                                .build())
                        .toList());
        try {
            for (int kill = 1; kill <= kills; kill++) {
                int got = said("got");
                TestQueue.await()
                        .until(() ->
                                said("got") > got + 50 || test.stats().pending().total() == 0);
                children.remove().close();
                children.add(child());
            }

            TopicStats drained = test.awaitDrained();

            assertThat(drained.totals().acked()).isEqualTo(messages);
            assertThat(drained.totals().deadLettered()).isZero();
        } finally {
            for (ChildJvm child : children) {
                child.close();
            }
        }
        Map<String, Integer> acked = count("acked");
        assertThat(acked.values())
                .as("answers that said acked, for each message")
                .containsOnly(1);
        // the answers of some acks died with their processes, or came too late
        assertThat(acked.size()).isBetween(messages - 200, messages);
        assertThat(count("got")).hasSize(messages);
        assertThat(said("released")).isPositive();
        assertThat(said("retried")).isPositive();
    }

    private ChildJvm child() {
        return ChildJvm.running(ChildPullerProgram.class)
                .arguments(test.uri(), LEASE_MILLIS, 4)
                .onLine(this::read)
                .start();
    }

    private void read(String line) {
        if (line.startsWith("@ ready")) {
            ready.incrementAndGet();
        } else if (line.startsWith("@ ")) {
            lines.add(line.substring(2));
        } else {
            System.err.println("child: " + line);
        }
    }

    private int said(String what) {
        return (int) lines.stream().filter(line -> line.startsWith(what)).count();
    }

    private Map<String, Integer> count(String what) {
        Map<String, Integer> counts = new TreeMap<>();
        lines.stream()
                .filter(line -> line.startsWith(what + " "))
                .forEach(line -> counts.merge(line.substring(what.length() + 1), 1, Integer::sum));
        return counts;
    }
}
