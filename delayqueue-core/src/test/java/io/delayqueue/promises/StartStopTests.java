package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.UnixOperatingSystemMXBean;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.MessageHandler;
import io.delayqueue.Subscription;
import io.delayqueue.testsupport.TestQueue;
import io.lettuce.core.RedisClient;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** After a thousand starts and stops, threads, connections, files, scripts and heap are as before. */
@Tag("slow")
class StartStopTests {

    /** After this many cycles, pools and caches that stay are filled. */
    private static final int WARM_UP = 50;

    private static final int CYCLES = 1000;

    /** Less is noise of the virtual machine; held queues and subscriptions are counted apart. */
    private static final long MOST_BYTES_A_CYCLE = 4096;

    @RegisterExtension
    final TestQueue test = new TestQueue();

    private final Semaphore handled = new Semaphore(0);
    private final MessageHandler handler = (message, delivery) -> handled.release();
    private final List<WeakReference<Object>> stopped = new ArrayList<>();
    private RedisClient client;

    @BeforeEach
    void connect() {
        client = TestQueue.client(test.uri());
    }

    @AfterEach
    void disconnect() {
        client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    }

    @Test
    void delayQueuesLeaveNothingBehind() throws Exception {
        leavesNothingBehind(() -> {
            try (DelayQueueClient queue = DelayQueueClient.create(client, options())) {
                stopped.add(new WeakReference<>(queue));
                TestQueue.consume(queue, TestQueue.options(), handler);
                handleOne(queue);
            }
        });
    }

    @Test
    void subscriptionsOfOneDelayQueueLeaveNothingBehind() throws Exception {
        try (DelayQueueClient queue = DelayQueueClient.create(client, options())) {
            leavesNothingBehind(() -> {
                Subscription subscription = TestQueue.consume(queue, TestQueue.options(), handler);
                stopped.add(new WeakReference<>(subscription));
                handleOne(queue);
                assertThat(subscription.stop(Duration.ofSeconds(20))).isTrue();
            });
        }
    }

    @Test
    void oneSubscriptionStartedAndStoppedLeavesNothingBehind() throws Exception {
        try (DelayQueueClient queue = DelayQueueClient.create(client, options())) {
            Subscription subscription =
                    queue.subscribe(TestQueue.TOPIC, TestQueue.options().build(), handler);
            leavesNothingBehind(() -> {
                subscription.start();
                handleOne(queue);
                assertThat(subscription.stop(Duration.ofSeconds(20))).isTrue();
                assertThat(test.redis().hkeys("dq:{orders:0}:meta"))
                        .as("Redis has forgotten it when stop returns, as the connection may be closed next")
                        .noneMatch(field -> field.contains(":"));
            });
        }
    }

    private void leavesNothingBehind(Cycle cycle) throws Exception {
        test.schedule("before");
        test.queue().cancel(TestQueue.TOPIC, "before");
        repeat(WARM_UP, cycle);
        Resources before = Resources.inUse(test);

        repeat(CYCLES, cycle);

        TestQueue.await().untilAsserted(() -> {
            Resources after = Resources.inUse(test);
            assertThat(after.threads()).as("threads, %s before", before).isLessThanOrEqualTo(before.threads() + 5);
            assertThat(after.connections()).as("connections").isLessThanOrEqualTo(before.connections());
            assertThat(after.files()).as("files, %s before", before).isLessThanOrEqualTo(before.files() + 10);
            assertThat(after.fieldsOfMeta()).as("fields of meta").isEqualTo(before.fieldsOfMeta());
            assertThat(after.scripts()).as("scripts").isEqualTo(before.scripts());
            assertThat(after.bytes())
                    .as("bytes, %s before", before)
                    .isLessThan(before.bytes() + CYCLES * MOST_BYTES_A_CYCLE);
            // what stopped last may still be on the stack of a thread of a pool
            assertThat(stopped.stream().filter(it -> it.get() != null))
                    .as("queues and subscriptions still reachable")
                    .hasSizeLessThanOrEqualTo(5);
        });
        assertThat(test.awaitDrained().totals().acked()).isEqualTo(WARM_UP + CYCLES);
    }

    private static void repeat(int times, Cycle cycle) throws Exception {
        for (int i = 0; i < times; i++) {
            cycle.run();
        }
    }

    private void handleOne(DelayQueueClient queue) throws InterruptedException {
        queue.schedule(TestQueue.message().build());
        assertThat(handled.tryAcquire(25, TimeUnit.SECONDS)).isTrue();
    }

    private static DelayQueueOptions options() {
        return DelayQueueOptions.builder()
                .guardInterval(Duration.ofHours(1))
                .commandTimeout(Duration.ofSeconds(10))
                .build();
    }

    private interface Cycle {

        void run() throws Exception;
    }

    /**
     * Resources in use.
     *
     * @param threads of this JVM
     * @param connections that the server sees
     * @param files open in this JVM, sockets included
     * @param fieldsOfMeta in the topic's meta hash, the one key that stays
     * @param scripts that the server keeps
     * @param bytes on the heap
     */
    private record Resources(int threads, long connections, long files, long fieldsOfMeta, String scripts, long bytes) {

        static Resources inUse(TestQueue test) {
            for (int i = 0; i < 3; i++) {
                System.gc();
            }
            return new Resources(
                    Thread.getAllStackTraces().size(),
                    test.redis().clientList().lines().count(),
                    ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
                            ? system.getOpenFileDescriptorCount()
                            : 0,
                    test.redis().hlen(TestQueue.key("meta")),
                    test.redis()
                            .info("memory")
                            .lines()
                            .filter(line -> line.startsWith("number_of_cached_scripts"))
                            .findFirst()
                            .orElseThrow(),
                    ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        }
    }
}
