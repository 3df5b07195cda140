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
    void messagesAreCountedInNumberAndBytes() {
        WaitingLimit limit = new WaitingLimit(3, 100);

        assertThat(limit.tryAdd(2, 60)).isTrue();
        assertThat(limit.tryAdd(2, 1)).as("too many").isFalse();
        assertThat(limit.tryAdd(1, 41)).as("too large").isFalse();
        assertThat(limit.tryAdd(1, 40)).isTrue();
        limit.remove(2, 60);
        assertThat(limit.tryAdd(2, 60)).isTrue();
    }

    @Test
    void callAboveTheLimitFitsWhileNoOtherWaits() {
        WaitingLimit limit = new WaitingLimit(3, 100);

        assertThat(limit.tryAdd(1000, 1000)).isTrue();
        assertThat(limit.tryAdd(1, 1)).isFalse();
    }

    @Test
    void callThatFindsNoCapacityInTimeIsRefused() throws Exception {
        WaitingLimit limit = new WaitingLimit(1, 100);
        limit.tryAdd(1, 1);

        assertThat(limit.add(1, 1, TimeUnit.MILLISECONDS.toNanos(5))).isFalse();
        assertThat(limit.messages()).isEqualTo(1);
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
}
