package io.delayqueue.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class WaitingLimitTests {

    private static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(25);

    @Test
    void messagesAreCountedInNumberAndBytes() throws Exception {
        WaitingLimit limit = new WaitingLimit(3, 100);

        assertThat(addAtOnce(limit, 2, 60)).isTrue();
        assertThat(addAtOnce(limit, 2, 1)).as("too many").isFalse();
        assertThat(addAtOnce(limit, 1, 41)).as("too large").isFalse();
        assertThat(addAtOnce(limit, 1, 40)).isTrue();
        limit.remove(2, 60);
        assertThat(addAtOnce(limit, 2, 60)).isTrue();
    }

    @Test
    void callAboveTheLimitFitsWhileNoOtherWaits() throws Exception {
        WaitingLimit limit = new WaitingLimit(3, 100);

        assertThat(addAtOnce(limit, 1000, 1000)).isTrue();
        assertThat(addAtOnce(limit, 1, 1)).isFalse();
    }

    @Test
    void callThatFindsNoCapacityInTimeIsRefused() throws Exception {
        WaitingLimit limit = new WaitingLimit(1, 100);
        addAtOnce(limit, 1, 1);

        assertThat(limit.add(1, 1, TimeUnit.MILLISECONDS.toNanos(5))).isFalse();
        assertThat(limit.messages()).isEqualTo(1);
    }

    /** Small calls keep the limit busy all the time; a large one needs all of it. */
    @Test
    void aLargeCallIsNotPassedForEverBySmallOnes() throws Exception {
        WaitingLimit limit = new WaitingLimit(10, 1000);
        addAtOnce(limit, 1, 1);
        ExecutorService callers = Executors.newFixedThreadPool(1);
        Future<Boolean> large = callers.submit(() -> limit.add(10, 10, LONG_NANOS));
        int small = 1;
        long end = System.nanoTime() + LONG_NANOS;
        while (small > 0 && System.nanoTime() < end) {
            small += addAtOnce(limit, 1, 1) ? 1 : 0;
            limit.remove(1, 1);
            small--;
        }

        assertThat(large.get(25, TimeUnit.SECONDS)).isTrue();
        assertThat(addAtOnce(limit, 1, 1)).isFalse();
        callers.shutdown();
    }

    @Test
    void aCallThatWaitedInVainLetsTheNextOneGoOn() throws Exception {
        WaitingLimit limit = new WaitingLimit(10, 1000);
        addAtOnce(limit, 5, 5);
        ExecutorService callers = Executors.newFixedThreadPool(1);
        Future<Boolean> large = callers.submit(() -> limit.add(6, 6, TimeUnit.MILLISECONDS.toNanos(200)));

        assertThat(limit.add(5, 5, LONG_NANOS)).isTrue();
        assertThat(large.get(25, TimeUnit.SECONDS)).isFalse();
        callers.shutdown();
    }

    /** As many calls as threads wait at a time for the capacity of three. */
    @Test
    void blockedCallsGoOnOneAfterTheOtherAndNeverExceedTheLimit() throws Exception {
        WaitingLimit limit = new WaitingLimit(3, 1000);
        AtomicInteger present = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        ExecutorService callers = Executors.newFixedThreadPool(20);
        ExecutorService store = Executors.newSingleThreadExecutor();
        List<Future<Boolean>> calls = new ArrayList<>();
        for (int i = 0; i < 2000; i++) {
            calls.add(callers.submit(() -> {
                boolean added = limit.add(1, 10, LONG_NANOS);
                most.accumulateAndGet(present.incrementAndGet(), Math::max);
                CompletableFuture.runAsync(
                        () -> {
                            present.decrementAndGet();
                            limit.remove(1, 10);
                        },
                        store);
                return added;
            }));
        }

        for (Future<Boolean> call : calls) {
            assertThat(call.get(25, TimeUnit.SECONDS)).isTrue();
        }
        callers.shutdown();
        store.shutdown();
        assertThat(store.awaitTermination(25, TimeUnit.SECONDS)).isTrue();
        assertThat(most.get()).isBetween(1, 3);
        assertThat(limit.messages()).isZero();
    }

    private static boolean addAtOnce(WaitingLimit limit, long count, long size) throws InterruptedException {
        return limit.add(count, size, 0);
    }
}
