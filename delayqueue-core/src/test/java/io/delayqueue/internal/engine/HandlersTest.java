package io.delayqueue.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HandlersTest {

    private final List<Integer> freed = new CopyOnWriteArrayList<>();
    private final Handlers handlers = new Handlers("orders", 2, null, freed::add);
    private final CountDownLatch end = new CountDownLatch(1);

    @AfterEach
    void endHandlers() {
        end.countDown();
        handlers.shutdown();
    }

    @Test
    void placeIsTakenWhileTheWorkRunsAndFreeAfterwards() {
        handlers.start(place -> awaitEnd());
        assertThat(handlers.free()).isEqualTo(1);

        end.countDown();

        Eventually.asserted(() -> assertThat(handlers.free()).isEqualTo(2));
        Eventually.asserted(() -> assertThat(freed).containsExactly(2));
    }

    @Test
    void placeLeftEarlyIsFreeAtOnceAndCountsOnce() throws Exception {
        CountDownLatch left = new CountDownLatch(1);
        handlers.start(place -> {
            place.leave();
            place.leave();
            left.countDown();
            awaitEnd();
        });

        assertThat(left.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(handlers.free()).isEqualTo(2);
        end.countDown();
        assertThat(handlers.awaitIdle(TimeUnit.SECONDS.toNanos(30))).isTrue();
        handlers.start(place -> {});
        Eventually.asserted(() -> assertThat(freed).containsExactly(2, 2));
        assertThat(handlers.free()).isEqualTo(2);
    }

    @Test
    void workThatThrowsFreesItsPlace() {
        Handlers quiet = new Handlers("orders", 1, work -> silenced(new Thread(work)), freed::add);
        quiet.start(place -> {
            throw new AssertionError("handler's");
        });

        Eventually.asserted(() -> assertThat(quiet.free()).isEqualTo(1));
        quiet.shutdown();
    }

    @Test
    void factoryWithoutThreadsIsToldAndCostsNoPlace() {
        Handlers without = new Handlers("orders", 1, work -> null, freed::add);

        assertThatThrownBy(() -> without.start(place -> {})).isInstanceOf(RejectedExecutionException.class);

        assertThat(without.free()).isEqualTo(1);
    }

    @Test
    void waitsUntilNoPlaceIsTaken() throws Exception {
        handlers.start(place -> awaitEnd());
        assertThat(handlers.awaitIdle(TimeUnit.MILLISECONDS.toNanos(1))).isFalse();

        end.countDown();

        assertThat(handlers.awaitIdle(TimeUnit.SECONDS.toNanos(30))).isTrue();
    }

    @Test
    void threadsAreDaemonsNamedAfterTheTopicUnlessTheFactoryIsTheUsers() throws Exception {
        CompletableFuture<Thread> own = new CompletableFuture<>();
        handlers.start(place -> own.complete(Thread.currentThread()));
        assertThat(own.get(30, TimeUnit.SECONDS)).satisfies(thread -> {
            assertThat(thread.isDaemon()).isTrue();
            assertThat(thread.getName()).startsWith("delayqueue-orders-");
        });

        CompletableFuture<String> users = new CompletableFuture<>();
        Handlers byUser = new Handlers("orders", 1, work -> new Thread(work, "users"), freed::add);
        byUser.start(place -> users.complete(Thread.currentThread().getName()));
        assertThat(users.get(30, TimeUnit.SECONDS)).isEqualTo("users");
        byUser.shutdown();
    }

    private void awaitEnd() {
        try {
            end.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static Thread silenced(Thread thread) {
        thread.setUncaughtExceptionHandler((ended, error) -> {});
        return thread;
    }
}
