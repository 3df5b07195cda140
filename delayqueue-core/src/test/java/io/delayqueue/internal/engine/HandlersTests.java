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
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HandlersTests {

    private static final String SLOW = "too slow";

    private final List<Places.Vacancy> freed = new CopyOnWriteArrayList<>();
    private final Handlers handlers = new Handlers("orders", 2, null, freed::add);
    private final List<Throwable> refused = new CopyOnWriteArrayList<>();
    private final List<Handlers.Work> turnedAway = new CopyOnWriteArrayList<>();
    private final CountDownLatch end = new CountDownLatch(1);
    private final List<String> order = new CopyOnWriteArrayList<>();

    @AfterEach
    void endHandlers() {
        end.countDown();
        handlers.shutdown();
    }

    @Test
    void placeIsTakenWhileTheWorkRunsAndFreeAfterwards() {
        startNow(handlers, place -> awaitEnd());
        assertThat(handlers.vacancy()).isEqualTo(new Places.Vacancy(1, 2));

        end.countDown();

        Eventually.asserted(() -> assertThat(freed).hasSize(1));
        assertThat(places(handlers)).isEqualTo(2);
    }

    @Test
    void placeLeftEarlyIsFreeAtOnceAndCountsOnce() throws Exception {
        CountDownLatch left = new CountDownLatch(1);
        startNow(handlers, place -> {
            place.leave();
            place.leave();
            left.countDown();
            awaitEnd();
        });

        assertThat(left.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(freed).hasSize(1);
        assertThat(handlers.reserve(1)).isEqualTo(new Places.Room(1, 0, 0));
        assertThat(places(handlers)).isEqualTo(1);
        end.countDown();
        assertThat(handlers.awaitIdle(TimeUnit.SECONDS.toNanos(30))).isTrue();
        startNow(handlers, place -> {});
        assertThat(handlers.awaitIdle(TimeUnit.SECONDS.toNanos(30))).isTrue();
        assertThat(places(handlers)).isEqualTo(1);
    }

    @Test
    void workThatThrowsFreesItsPlace() {
        Handlers quiet = new Handlers("orders", 1, work -> silenced(new Thread(work)), freed::add);
        startNow(quiet, place -> {
            throw new AssertionError("handler's");
        });

        Eventually.asserted(() -> assertThat(places(quiet)).isEqualTo(1));
        quiet.shutdown();
    }

    @Test
    void factoryWithoutThreadsIsToldAndCostsNoPlace() {
        Handlers without = new Handlers("orders", 1, work -> null, freed::add);

        assertThatThrownBy(() -> startNow(without, place -> {})).isInstanceOf(RejectedExecutionException.class);

        assertThat(places(without)).isEqualTo(1);
    }

    @Test
    void whatIsStartedTogetherRunsTogether() throws Exception {
        int many = 40;
        Handlers one = new Handlers("orders", many, null, freed::add, 1);
        CountDownLatch together = new CountDownLatch(many);
        for (int i = 0; i < many; i++) {
            startNow(one, place -> {
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
        startNow(single, new Refusable());
        startNow(single, new Refusable());
        startNow(single, new Refusable());
        assertThat(places(single)).isZero();

        begin.countDown();

        Eventually.asserted(() -> assertThat(refused).hasSize(2));
        assertThat(places(single)).isEqualTo(2);
        single.shutdown();
    }

    @Test
    void waitsUntilNoPlaceIsTaken() throws Exception {
        startNow(handlers, place -> awaitEnd());
        assertThat(handlers.awaitIdle(TimeUnit.MILLISECONDS.toNanos(1))).isFalse();

        end.countDown();

        assertThat(handlers.awaitIdle(TimeUnit.SECONDS.toNanos(30))).isTrue();
    }

    @Test
    void threadsAreDaemonsNamedAfterTheTopicUnlessTheFactoryIsTheUsers() throws Exception {
        CompletableFuture<Thread> own = new CompletableFuture<>();
        startNow(handlers, place -> own.complete(Thread.currentThread()));
        assertThat(own.get(30, TimeUnit.SECONDS)).satisfies(thread -> {
            assertThat(thread.isDaemon()).isTrue();
            assertThat(thread.getName()).startsWith("delayqueue-orders-");
        });

        CompletableFuture<String> users = new CompletableFuture<>();
        Handlers byUser = new Handlers("orders", 1, work -> new Thread(work, "users"), freed::add);
        startNow(byUser, place -> users.complete(Thread.currentThread().getName()));
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
        CompletableFuture<Void> first = CompletableFuture.runAsync(() -> startNow(without, new Refusable()));
        assertThat(asked.await(30, TimeUnit.SECONDS)).isTrue();

        startNow(without, new Refusable());
        begin.countDown();

        assertThatThrownBy(first::join).hasCauseInstanceOf(RejectedExecutionException.class);
        assertThat(refused).hasSize(1);
        assertThat(places(without)).isEqualTo(2);
        without.shutdown();
    }

    @Test
    void whatIsDueLaterBeginsThenAndNotBefore() throws Exception {
        CompletableFuture<Long> began = new CompletableFuture<>();
        long due = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(20);

        handlers.start(due, place -> began.complete(System.nanoTime()));

        assertThat(began.get(30, TimeUnit.SECONDS) - due).isNotNegative();
    }

    @Test
    void whatIsDueEarlierOvertakesWhatWaits() {
        assertThat(orderUnlessSlow(3, single -> {
                    long now = System.nanoTime();
                    single.start(now + TimeUnit.HOURS.toNanos(1), work("much later"));
                    single.start(now + TimeUnit.MILLISECONDS.toNanos(60), work("later"));
                    single.start(now + TimeUnit.MILLISECONDS.toNanos(30), work("soon"));
                    startNow(single, work("now"));
                    if (System.nanoTime() - now > TimeUnit.MILLISECONDS.toNanos(30)) {
                        order.add(SLOW);
                    }
                }))
                .containsExactly("now", "soon", "later");
    }

    @Test
    void whoeverWatchesLooksAgainWhenSomethingIsDueEarlier() throws Exception {
        CompletableFuture<Thread> watcher = new CompletableFuture<>();
        Handlers users = new Handlers("orders", 2, telling(watcher), freed::add);
        users.start(inAnHour(), place -> {});
        Eventually.isAsleep(watcher.get(30, TimeUnit.SECONDS));
        CountDownLatch earlier = new CountDownLatch(1);

        users.start(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(20), place -> earlier.countDown());

        assertThat(earlier.await(30, TimeUnit.SECONDS)).isTrue();
        users.shutdown();
    }

    /** The thread on standby looks after it, however quick the handlers before were. */
    @Test
    void whatWaitsBehindAHandlerThatIsSuddenlySlowRunsAllTheSame() throws Exception {
        haveTwoThreads();
        long now = System.nanoTime();
        for (int i = 1; i <= 100; i++) {
            handlers.start(now + TimeUnit.MILLISECONDS.toNanos(i), place -> {});
        }
        CountDownLatch next = new CountDownLatch(1);
        handlers.start(now + TimeUnit.MILLISECONDS.toNanos(101), place -> awaitEnd());
        handlers.start(now + TimeUnit.MILLISECONDS.toNanos(105), place -> next.countDown());

        assertThat(next.await(30, TimeUnit.SECONDS)).isTrue();
    }

    /** The thread on standby sleeps for an hour. */
    @Test
    void whatIsDueBeforeAllThatWaitsRunsThoughTheLastHandlerIsSuddenlySlow() throws Exception {
        haveTwoThreads();
        for (int i = 0; i < 100; i++) {
            CountDownLatch done = new CountDownLatch(1);
            startNow(handlers, place -> done.countDown());
            await(done);
        }
        CountDownLatch begun = new CountDownLatch(1);
        startNow(handlers, place -> {
            begun.countDown();
            awaitEnd();
        });
        await(begun);
        CountDownLatch next = new CountDownLatch(1);
        startNow(handlers, place -> next.countDown());

        assertThat(next.await(30, TimeUnit.SECONDS)).isTrue();
    }

    private static void startNow(Handlers handlers, Handlers.Work work) {
        handlers.start(System.nanoTime(), work);
    }

    /** Both have something to wait for when they are done. */
    private void haveTwoThreads() throws Exception {
        handlers.start(inAnHour(), place -> {});
        CountDownLatch both = new CountDownLatch(2);
        for (int i = 0; i < 2; i++) {
            startNow(handlers, place -> {
                both.countDown();
                await(both);
            });
        }
        await(both);
        assertThat(handlers.awaitIdle(TimeUnit.SECONDS.toNanos(30))).isTrue();
    }

    @Test
    void whatIsDueAtOnceKeepsItsOrder() {
        assertThat(orderUnlessSlow(2, single -> {
                    CountDownLatch started = new CountDownLatch(1);
                    startNow(single, place -> await(started));
                    long now = System.nanoTime();
                    single.start(now - 1, work("first"));
                    single.start(now - 1_000_000, work("second"));
                    started.countDown();
                }))
                .containsExactly("first", "second");
    }

    /** In which order so many works ran in one place; tried again if the machine was too slow for it. */
    private List<String> orderUnlessSlow(int count, Consumer<Handlers> started) {
        do {
            order.clear();
            Handlers single = new Handlers("orders", 1, null, freed::add);
            started.accept(single);
            Eventually.asserted(() -> assertThat(order).hasSizeGreaterThanOrEqualTo(count));
            single.shutdown();
        } while (order.contains(SLOW));
        return order;
    }

    private Handlers.Work work(String name) {
        return new Handlers.Work() {
            @Override
            public void run(Handlers.Place place) {
                order.add(name);
            }

            @Override
            public void turnedAway() {
                order.add(SLOW);
            }
        };
    }

    @Test
    void whatIsDueAndFindsNoPlaceIsTurnedAwayAndNoneMayWaitForAPlaceForAWhile() {
        CountDownLatch quick = new CountDownLatch(2);
        startNow(handlers, place -> quick.countDown());
        startNow(handlers, place -> quick.countDown());
        await(quick);
        startNow(handlers, place -> awaitEnd());
        startNow(handlers, place -> awaitEnd());
        Refusable later = new Refusable();
        Refusable muchLater = new Refusable();
        handlers.start(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(5), later);
        handlers.start(inAnHour(), muchLater);

        Eventually.asserted(() -> assertThat(turnedAway).containsExactly(later));
        assertThat(handlers.vacancy()).isEqualTo(new Places.Vacancy(0, 2));
    }

    @Test
    void tellsWhatCouldComeWhenReservedRoomIsGivenBack() {
        Places.Room room = handlers.reserve(512);
        assertThat(room).isEqualTo(new Places.Room(2, 0, 1));
        assertThat(handlers.reserve(512)).isEqualTo(Places.Room.NONE);

        handlers.unreserve(room);

        assertThat(freed).containsExactly(new Places.Vacancy(2, 2));
    }

    @Test
    void whatWaitsIsNotForgottenWhenTurningOthersAwayFails() {
        Handlers single = new Handlers("orders", 1, work -> silenced(new Thread(work)), freed::add);
        startNow(single, place -> awaitEnd());
        startNow(single, new Handlers.Work() {
            @Override
            public void run(Handlers.Place place) {}

            @Override
            public void turnedAway() {
                throw new AssertionError("store's");
            }
        });
        Refusable later = new Refusable();
        single.start(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(100), later);

        Eventually.asserted(() -> assertThat(turnedAway).containsExactly(later));
        single.shutdown();
    }

    @Test
    void whatWaitsBeginsWhenAPlaceIsLeftEarly() throws Exception {
        Handlers single = new Handlers("orders", 1, null, freed::add);
        CompletableFuture<Handlers.Place> first = new CompletableFuture<>();
        startNow(single, place -> {
            first.complete(place);
            awaitEnd();
        });
        CountDownLatch second = new CountDownLatch(1);
        Handlers.Place stuck = first.get(30, TimeUnit.SECONDS);

        startNow(single, new Handlers.Work() {
            @Override
            public void run(Handlers.Place place) {
                second.countDown();
            }

            @Override
            public void turnedAway() {
                // the test was slow
                startNow(single, this);
            }
        });
        stuck.leave();

        assertThat(second.await(30, TimeUnit.SECONDS)).isTrue();
        single.shutdown();
    }

    @Test
    void whatWaitsIsForgottenAtTheEnd() throws Exception {
        CompletableFuture<Thread> watcher = new CompletableFuture<>();
        Handlers ended = new Handlers("orders", 2, telling(watcher), freed::add);
        ended.start(inAnHour(), new Refusable());
        assertThat(ended.awaitIdle(0)).as("nothing runs").isTrue();

        ended.shutdown();

        watcher.get(30, TimeUnit.SECONDS).join(TimeUnit.SECONDS.toMillis(30));
        assertThat(watcher.join().isAlive()).isFalse();
        assertThatThrownBy(() -> startNow(ended, place -> {})).isInstanceOf(RejectedExecutionException.class);
    }

    @Test
    void anInterruptOfAThreadThatWaitsHarmsNobody() throws Exception {
        CompletableFuture<Thread> watcher = new CompletableFuture<>();
        Handlers users = new Handlers("orders", 2, telling(watcher), freed::add);
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        users.start(
                System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(50),
                place -> interrupted.complete(Thread.currentThread().isInterrupted()));
        watcher.get(30, TimeUnit.SECONDS).interrupt();

        assertThat(interrupted.get(30, TimeUnit.SECONDS)).isFalse();
        users.shutdown();
    }

    private static ThreadFactory telling(CompletableFuture<Thread> first) {
        return work -> {
            Thread thread = new Thread(work);
            first.complete(thread);
            return thread;
        };
    }

    private static int places(Handlers handlers) {
        Places.Room room = handlers.reserve(512);
        handlers.unreserve(room);
        return room.inPlaces();
    }

    private static long inAnHour() {
        return System.nanoTime() + TimeUnit.HOURS.toNanos(1);
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
        public void turnedAway() {
            turnedAway.add(this);
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
