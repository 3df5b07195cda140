package io.delayqueue.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class GrowingThreadsTests {

    private final GrowingThreads threads = new GrowingThreads("growing-threads-test-");
    private final CountDownLatch allRun = new CountDownLatch(100);

    @AfterEach
    void close() {
        threads.close();
    }

    @Test
    void tasksThatWaitForEachOtherAllRun() throws Exception {
        List<CountDownLatch> done = execute(100);

        for (CountDownLatch each : done) {
            assertThat(each.await(25, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(threads.areAllTaken()).isFalse();
    }

    /** A client that is closed completes all futures; their continuations may wait for each other. */
    @Test
    void tasksThatWaitForEachOtherAllRunAfterTheClose() throws Exception {
        List<CountDownLatch> done = execute(100);
        threads.close();

        for (CountDownLatch each : done) {
            assertThat(each.await(25, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void tasksAfterTheCloseRunOnThreadsThatEnd() throws Exception {
        threads.close();
        CompletableFuture<Thread> ran = new CompletableFuture<>();

        threads.execute(() -> ran.complete(Thread.currentThread()));

        Thread thread = ran.get(25, TimeUnit.SECONDS);
        assertThat(thread.getName()).startsWith("growing-threads-test-");
        thread.join(5_000);
        assertThat(thread.isAlive()).isFalse();
    }

    @Test
    void itsOwnThreadsAreKnownAndAllTakenAtTheBoundOnly() throws Exception {
        CountDownLatch known = new CountDownLatch(GrowingThreads.MAX_THREADS);
        CountDownLatch end = new CountDownLatch(1);
        GrowingThreads others = new GrowingThreads("growing-threads-test-other-");
        IntStream.range(0, GrowingThreads.MAX_THREADS + 1)
                .forEach(i -> threads.execute(() -> {
                    if (threads.includeCaller() && !others.includeCaller()) {
                        known.countDown();
                    }
                    await(end);
                }));

        assertThat(known.await(25, TimeUnit.SECONDS)).isTrue();
        assertThat(threads.areAllTaken()).isTrue();
        assertThat(threads.includeCaller()).isFalse();
        assertThat(others.areAllTaken()).isFalse();
        end.countDown();
    }

    private List<CountDownLatch> execute(int tasks) {
        return IntStream.range(0, tasks)
                .mapToObj(i -> {
                    CountDownLatch done = new CountDownLatch(1);
                    threads.execute(() -> {
                        allRun.countDown();
                        await(allRun);
                        done.countDown();
                    });
                    return done;
                })
                .toList();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
