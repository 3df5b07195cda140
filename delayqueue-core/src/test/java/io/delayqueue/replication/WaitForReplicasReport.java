package io.delayqueue.replication;

import static io.delayqueue.replication.Replicated.later;

import io.delayqueue.DelayQueueClient;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Measures the cost of waiting for one replica: calls of {@code schedule} with and without, alternating, on a primary and a
 * replica on the same machine.
 *
 * <p>Run it with {@code mvn -pl delayqueue-core -am test -Dtest=WaitForReplicasReport -Dtest.tags.excluded=
 * -Dsurefire.failIfNoSpecifiedTests=false}.
 */
@Tag("measurement")
class WaitForReplicasReport {

    private static final int CALLS = 3000;
    private static final int ROUNDS = 5;

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void costOfACall() throws Exception {
        try (Replicated servers = new Replicated()) {
            DelayQueueClient plain = servers.queue(options -> options);
            DelayQueueClient waiting = servers.queue(options -> options.waitForReplicas(1, Duration.ofSeconds(5)));
            for (int round = 0; round <= ROUNDS; round++) {
                for (int threads : new int[] {1, 8}) {
                    measure(round, threads, "not waited for", plain);
                    measure(round, threads, "one replica", waiting);
                }
            }
        }
    }

    /** Round 0 warms up. */
    private static void measure(int round, int threads, String what, DelayQueueClient queue)
            throws InterruptedException {
        long[] nanos = new long[threads * CALLS];
        Thread[] callers = IntStream.range(0, threads)
                .mapToObj(thread -> new Thread(() -> {
                    for (int i = thread * CALLS; i < (thread + 1) * CALLS; i++) {
                        long begun = System.nanoTime();
                        queue.schedule(later(what + round + "-" + threads + "-" + i));
                        nanos[i] = System.nanoTime() - begun;
                    }
                }))
                .toArray(Thread[]::new);
        long begun = System.nanoTime();
        for (Thread caller : callers) {
            caller.start();
        }
        for (Thread caller : callers) {
            caller.join();
        }
        double seconds = (System.nanoTime() - begun) / 1e9;
        Arrays.sort(nanos);
        System.out.printf(
                "round %d, %d threads, %-14s p50 %.3f ms, p99 %.3f ms, %.0f a second%n",
                round,
                threads,
                what,
                nanos[nanos.length / 2] / 1e6,
                nanos[nanos.length * 99 / 100] / 1e6,
                nanos.length / seconds);
    }
}
