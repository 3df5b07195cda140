package io.delayqueue.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HandlersTest {

    private final List<Integer> freed = new CopyOnWriteArrayList<>();
    private final Handlers handlers = new Handlers("orders", 2, null, freed::add);
    private final List<Throwable> refused = new CopyOnWriteArrayList<>();
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
    void whatIsStartedTogetherRunsTogether() throws Exception {
        int many = 40;
        Handlers one = new Handlers("orders", many, null, freed::add, 1);
        CountDownLatch together = new CountDownLatch(many);
        for (int i = 0; i < many; i++) {
            one.start(place -> {
                together.countDown();
                awaitEnd();
            });
        }

        assertThat(together.await(30, TimeUnit.SECONDS))
                .as("each thread wakes the next before it works, one at a time")
                .isTrue();
        one.shutdown();
    }

    @Test
    void workIsRefusedIfTheNextThreadCannotBeHad() {
        CountDownLatch begin = new CountDownLatch(1);
        AtomicInteger threads = new AtomicInteger();
        ThreadFactory oneThread = work -> threads.getAndIncrement() > 0
                ? null
                : new Thread(() -> {
                    await(begin);
                    work.run();
                });
        Handlers single = new Handlers("orders", 3, oneThread, freed::add, 1);
        single.start(new Refusable());
        single.start(new Refusable());
        single.start(new Refusable());
        assertThat(single.free()).isZero();

        begin.countDown();

        Eventually.asserted(() -> assertThat(refused).hasSize(2));
        assertThat(single.free()).isEqualTo(2);
        single.shutdown();
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

    @Test
    void workThatReliedOnAThreadForOtherWorkIsRefusedWithIt() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch begin = new CountDownLatch(1);
        ThreadFactory noThread = work -> {
            asked.countDown();
            await(begin);
            return null;
        };
        Handlers without = new Handlers("orders", 2, noThread, freed::add, 1);
        CompletableFuture<Void> first = CompletableFuture.runAsync(() -> without.start(new Refusable()));
        assertThat(asked.await(30, TimeUnit.SECONDS)).isTrue();

        without.start(new Refusable());
        begin.countDown();

        assertThatThrownBy(first::join).hasCauseInstanceOf(RejectedExecutionException.class);
        assertThat(refused).hasSize(1);
        assertThat(without.free()).isEqualTo(2);
        without.shutdown();
    }

    private void awaitEnd() {
        await(end);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Runs until the end of the test. */
    private final class Refusable implements Handlers.Work {

        @Override
        public void run(Handlers.Place place) {
            awaitEnd();
        }

        @Override
        public void refused(Throwable reason) {
            refused.add(reason);
        }
    }

    private static Thread silenced(Thread thread) {
        thread.setUncaughtExceptionHandler((ended, error) -> {});
        return thread;
    }
}
