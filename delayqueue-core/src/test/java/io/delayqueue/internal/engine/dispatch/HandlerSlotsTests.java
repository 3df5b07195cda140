package io.delayqueue.internal.engine.dispatch;

import static io.delayqueue.testsupport.EngineFixtures.dueIn;
import static io.delayqueue.testsupport.EngineFixtures.inFlight;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.internal.engine.settle.InFlightMessage;
import io.delayqueue.testsupport.EngineFixtures;
import io.delayqueue.testsupport.Eventually;
import io.delayqueue.testsupport.LogLines;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The slots of subscriptions, with the workers and the timer thread that they share. */
class HandlerSlotsTests {

    private static final long LONG_ENOUGH = TimeUnit.SECONDS.toNanos(30);

    private final ScheduledExecutorService timer = EngineFixtures.timer();
    private final List<Dispatcher> dispatchers = new ArrayList<>();
    private final CountDownLatch end = new CountDownLatch(1);

    @AfterEach
    void endHandlers() {
        end.countDown();
        dispatchers.forEach(Dispatcher::close);
        timer.shutdownNow();
    }

    @Test
    void aSlotIsTakenWhileItsHandlerRunsAndFreeAfterwards() {
        RecordingOwner owner = blocking();
        HandlerSlots two = slots(2, owner);
        two.accept(List.of(inFlight("a")));
        assertThat(two.capacity()).isEqualTo(new Capacity(1, 2));

        end.countDown();

        Eventually.asserted(() -> assertThat(owner.freed).hasSize(1));
        assertThat(freeSlots(two)).isEqualTo(2);
    }

    @Test
    void theSlotOfAnAbandonedHandlerIsFreeAtOnceAndCountsOnce() throws Exception {
        CountDownLatch abandoned = new CountDownLatch(1);
        RecordingOwner owner = new RecordingOwner((message, slot) -> {
            slot.abandonHandler();
            slot.abandonHandler();
            abandoned.countDown();
            awaitEnd();
        });
        HandlerSlots one = slots(1, owner);
        one.accept(List.of(inFlight("a")));

        await(abandoned);
        assertThat(owner.freed).hasSize(1);
        assertThat(freeSlots(one)).isEqualTo(1);
        assertThat(one.abandoned()).isEqualTo(1);
        end.countDown();
        assertThat(one.awaitIdle(LONG_ENOUGH)).isTrue();
        one.accept(List.of(inFlight("b")));
        Eventually.asserted(() -> assertThat(owner.handled).containsExactly("a", "b"));
        Eventually.asserted(() -> assertThat(one.abandoned()).isZero());
        assertThat(freeSlots(one)).isEqualTo(1);
    }

    @Test
    void aWaitingMessageGetsTheSlotOfAnAbandonedHandler() {
        CompletableFuture<HandlerSlot> first = new CompletableFuture<>();
        RecordingOwner owner = new RecordingOwner((message, slot) -> {
            first.complete(slot);
            awaitEnd();
        });
        HandlerSlots one = slots(1, owner);
        one.accept(List.of(inFlight("stuck")));
        HandlerSlot stuck = first.join();
        // released, should the machine be slow: then it comes again
        owner.whenReleased(
                message -> one.accept(List.of(inFlight(message.message().id()))));
        one.accept(List.of(inFlight("waiting")));

        stuck.abandonHandler();

        Eventually.asserted(() -> assertThat(owner.handled).containsExactly("stuck", "waiting"));
    }

    @Test
    void atMostAsManyHandlersAsSlotsAreAbandonedAndFurtherOnesKeepTheirSlots() throws Exception {
        List<CountDownLatch> ends = new CopyOnWriteArrayList<>();
        RecordingOwner owner = new RecordingOwner((message, slot) -> {
            CountDownLatch own = new CountDownLatch(1);
            ends.add(own);
            slot.abandonHandler();
            await(own);
        });
        HandlerSlots three = slots(3, owner);
        owner.whenReleased(
                message -> three.accept(List.of(inFlight(message.message().id()))));
        three.accept(numbered(40));

        Eventually.asserted(() -> assertThat(three.abandoned()).isEqualTo(6));
        assertThat(three.hasLostSlots()).isTrue();
        assertThat(freeSlots(three)).isZero();
        assertThat(three.awaitIdle(TimeUnit.MILLISECONDS.toNanos(1)))
                .as("no handler runs that anybody waits for")
                .isTrue();

        for (int more = 7; more <= 20; more++) {
            int expected = more;
            ends.get(more - 7).countDown();
            Eventually.asserted(() -> assertThat(ends).hasSize(expected));
            assertThat(three.abandoned()).as("one ended, one began").isLessThanOrEqualTo(6);
        }
        three.stop();
        ends.forEach(CountDownLatch::countDown);
        Eventually.asserted(() -> assertThat(three.abandoned()).isZero());
        assertThat(three.hasLostSlots()).isFalse();
        assertThat(freeSlots(three)).isEqualTo(3);
    }

    @Test
    void aSlotIsTakenUntilEachPartOfItsHandlerHasEnded() {
        CountDownLatch beside = new CountDownLatch(1);
        RecordingOwner owner = new RecordingOwner((message, slot) -> {
            slot.runBeside(() -> await(beside));
            slot.beginPart();
            slot.endPart();
        });
        HandlerSlots one = slots(1, owner);
        one.accept(List.of(inFlight("a")));
        Eventually.asserted(() -> assertThat(owner.handled).containsExactly("a"));
        assertThat(freeSlots(one)).isZero();

        beside.countDown();

        Eventually.asserted(() -> assertThat(freeSlots(one)).isEqualTo(1));
    }

    @Test
    void whatRunsBesideAHandlerWaitsForAThreadAndNeverRunsOnTheTimer() throws Exception {
        AtomicInteger threads = new AtomicInteger();
        Dispatcher scarce = dispatcher(work -> threads.getAndIncrement() == 1 ? null : daemon(work));
        CompletableFuture<Thread> beside = new CompletableFuture<>();
        RecordingOwner owner = new RecordingOwner((message, slot) -> {
            CountDownLatch begun = new CountDownLatch(1);
            timer.execute(() -> {
                slot.runBeside(() -> beside.complete(Thread.currentThread()));
                begun.countDown();
            });
            await(begun);
        });
        HandlerSlots one = scarce.slots(1, owner);
        one.accept(List.of(inFlight("a")));

        assertThat(beside.get(30, TimeUnit.SECONDS).getName()).isNotEqualTo("test-timer");
        assertThat(threads.get()).as("one was refused").isGreaterThan(1);
        Eventually.asserted(() -> assertThat(freeSlots(one)).isEqualTo(1));
    }

    @Test
    void aMessageThatCannotBeHandledPausesTheClaimsOfItsSubscriptionOnly() {
        Dispatcher shared = dispatcher(null);
        HandlerSlots broken = shared.slots(1, new RecordingOwner((message, slot) -> {
            throw new IllegalStateException("pretended");
        }));
        HandlerSlots other = shared.slots(1, quick());
        broken.accept(List.of(inFlight("a")));

        Eventually.asserted(() -> assertThat(broken.reserve(512)).isEqualTo(Reservation.NONE));
        assertThat(freeSlots(other)).isEqualTo(1);
        Eventually.asserted(() -> assertThat(freeSlots(broken)).isEqualTo(1));
    }

    @Test
    void aHandlerThatThrowsFreesItsSlotAndItsWorkerGoesOn() throws Exception {
        AtomicInteger threads = new AtomicInteger();
        Dispatcher oneThread = dispatcher(work -> threads.getAndIncrement() > 0 ? null : daemon(work));
        RecordingOwner owner = new RecordingOwner((message, slot) -> {
            throw sneaky(new java.io.IOException("checked, as Kotlin throws them"));
        });
        HandlerSlots one = oneThread.slots(1, owner);
        try (LogLines log = LogLines.ofEngine()) {
            one.accept(List.of(inFlight("a")));
            Eventually.asserted(() -> assertThat(freeSlots(one)).isEqualTo(1));
            one.accept(List.of(inFlight("b")));

            Eventually.asserted(() -> assertThat(owner.notHandled).containsExactly("a", "b"));
            assertThat(log.lines()).isEmpty();
        }
        assertThat(owner.noWorker).isEmpty();
    }

    @Test
    void messagesThatAreDueTogetherRunTogether() throws Exception {
        int many = 40;
        CountDownLatch together = new CountDownLatch(many);
        HandlerSlots slots = slots(many, new RecordingOwner((message, slot) -> {
            together.countDown();
            awaitEnd();
        }));
        slots.accept(numbered(many));

        assertThat(together.await(30, TimeUnit.SECONDS))
                .as("each worker calls the next one before it is busy")
                .isTrue();
    }

    @Test
    void blockedHandlersHoldUpNoOtherSubscription() {
        Dispatcher shared = dispatcher(null);
        shared.slots(20, blocking()).accept(numbered(20));
        RecordingOwner other = quick();
        HandlerSlots free = shared.slots(1, other);

        free.accept(List.of(inFlight("free")));

        Eventually.asserted(() -> assertThat(other.handled).containsExactly("free"));
    }

    @Test
    void quickMessagesOfManySubscriptionsNeedFewWorkers() {
        AtomicInteger threads = new AtomicInteger();
        Dispatcher shared = dispatcher(work -> {
            threads.incrementAndGet();
            return daemon(work);
        });
        List<RecordingOwner> owners = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            RecordingOwner owner = quick();
            owners.add(owner);
            shared.slots(10, owner).accept(List.of(inFlight("a")));
        }

        Eventually.asserted(() ->
                assertThat(owners).allSatisfy(owner -> assertThat(owner.handled).hasSize(1)));
        assertThat(threads.get()).isLessThan(100);
    }

    @Test
    void subscriptionsTakeTurns() {
        CountDownLatch begin = new CountDownLatch(1);
        AtomicInteger threads = new AtomicInteger();
        Dispatcher oneWorker = dispatcher(work -> {
            boolean works = threads.getAndIncrement() == 0;
            return daemon(() -> {
                await(works ? begin : end);
                work.run();
            });
        });
        List<String> order = new CopyOnWriteArrayList<>();
        RecordingOwner crowded = new RecordingOwner((message, slot) -> order.add("crowded"));
        RecordingOwner lone = new RecordingOwner((message, slot) -> order.add("lone"));
        oneWorker.slots(1, crowded).accept(numbered(5));
        oneWorker.slots(1, lone).accept(numbered(1));

        begin.countDown();

        Eventually.asserted(() -> assertThat(order).contains("lone"));
        assertThat(order.indexOf("lone")).isLessThanOrEqualTo(1);
    }

    @Test
    void aFactoryWithoutThreadsIsReportedAndCostsNoSlot() {
        RecordingOwner owner = quick();
        HandlerSlots one = dispatcher(work -> null).slots(1, owner);

        one.accept(List.of(inFlight("a")));

        assertThat(owner.noWorker).hasSize(1);
        assertThat(one.reserve(512)).as("not at once again").isEqualTo(Reservation.NONE);
        Eventually.asserted(() -> assertThat(owner.freed).containsExactly(new Capacity(1, 1)));
        assertThat(freeSlots(one)).isEqualTo(1);
    }

    @Test
    void messagesThatReliedOnAWorkerForOthersAreGivenUpWithThem() {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch begin = new CountDownLatch(1);
        Dispatcher without = dispatcher(work -> {
            asked.countDown();
            await(begin);
            return null;
        });
        RecordingOwner first = quick();
        RecordingOwner second = quick();
        HandlerSlots slotsOfFirst = without.slots(2, first);
        HandlerSlots slotsOfSecond = without.slots(2, second);
        CompletableFuture<Boolean> accepting =
                CompletableFuture.supplyAsync(() -> slotsOfFirst.accept(List.of(inFlight("a"))));
        await(asked);

        slotsOfSecond.accept(List.of(inFlight("b")));
        begin.countDown();

        assertThat(accepting.join()).isTrue();
        assertThat(first.noWorker).hasSize(1);
        assertThat(second.noWorker).hasSize(1);
    }

    @Test
    void waitsUntilNoSlotIsTaken() throws Exception {
        RecordingOwner owner = blocking();
        HandlerSlots one = slots(1, owner);
        one.accept(List.of(inFlight("a")));
        Eventually.asserted(() -> assertThat(owner.handled).hasSize(1));
        assertThat(one.awaitIdle(TimeUnit.MILLISECONDS.toNanos(1))).isFalse();

        end.countDown();

        assertThat(one.awaitIdle(LONG_ENOUGH)).isTrue();
    }

    @Test
    void workersAreDaemonsWithTheClassLoaderOfTheirMakerUnlessTheFactoryIsTheUsers() {
        CompletableFuture<Thread> own = new CompletableFuture<>();
        HandlerSlots slots = slots(1, new RecordingOwner((message, slot) -> own.complete(Thread.currentThread())));
        ClassLoader ofMaker = Thread.currentThread().getContextClassLoader();
        Thread.currentThread().setContextClassLoader(new ClassLoader(ofMaker) {});
        try {
            slots.accept(List.of(inFlight("a")));
        } finally {
            Thread.currentThread().setContextClassLoader(ofMaker);
        }
        assertThat(own.join()).satisfies(thread -> {
            assertThat(thread.isDaemon()).isTrue();
            assertThat(thread.getName()).startsWith("delayqueue-worker-");
            assertThat(thread.getContextClassLoader()).isSameAs(ofMaker);
        });

        CompletableFuture<String> users = new CompletableFuture<>();
        dispatcher(work -> new Thread(work, "users"))
                .slots(
                        1,
                        new RecordingOwner((message, slot) ->
                                users.complete(Thread.currentThread().getName())))
                .accept(List.of(inFlight("a")));
        assertThat(users.join()).isEqualTo("users");
    }

    @Test
    void aDueMessageThatGetsNoSlotIsReleasedAndNothingIsPrefetchedForAWhile() {
        RecordingOwner owner = new RecordingOwner((message, slot) -> {
            if (!message.message().id().startsWith("quick")) {
                awaitEnd();
            }
        });
        HandlerSlots two = slots(2, owner);
        two.accept(List.of(inFlight("quick 1"), inFlight("quick 2")));
        Eventually.asserted(() -> assertThat(freeSlots(two)).isEqualTo(2));
        two.accept(List.of(inFlight("a"), inFlight("b")));
        two.accept(List.of(dueIn("due soon", Duration.ofMillis(5)), dueIn("due later", Duration.ofHours(1))));

        Eventually.asserted(() -> assertThat(owner.noSlot).containsExactly("due soon"));
        assertThat(two.capacity()).isEqualTo(new Capacity(0, 2));
    }

    @Test
    void manyMessagesThatGetNoSlotAreAllReleased() {
        RecordingOwner owner = blocking();
        HandlerSlots one = slots(1, owner);
        one.accept(numbered(50));
        one.accept(numbered(50).stream()
                .map(message -> dueIn(message.message().id(), Duration.ofMillis(20)))
                .toList());

        Eventually.asserted(() -> assertThat(owner.noSlot).hasSize(99));
    }

    @Test
    void aMessageWhoseReleaseFailsHoldsUpNoOther() {
        RecordingOwner owner = blocking();
        owner.whenReleased(message -> {
            if (message.message().id().equals("m1")) {
                throw new IllegalStateException("pretended");
            }
        });
        try (LogLines log = LogLines.ofEngine()) {
            slots(1, owner).accept(numbered(5));

            Eventually.asserted(() -> assertThat(owner.noSlot).containsExactly("m1", "m2", "m3", "m4"));
            assertThat(log.with("was not released")).hasSize(1);
        }
    }

    @Test
    void capacityIsReportedWhenAReservationEnds() {
        RecordingOwner owner = quick();
        HandlerSlots two = slots(2, owner);
        Reservation reservation = two.reserve(512);
        assertThat(reservation).isEqualTo(new Reservation(2, 0, 1));
        assertThat(two.reserve(512)).isEqualTo(Reservation.NONE);

        two.release(reservation);

        assertThat(owner.freed).containsExactly(new Capacity(2, 2));
    }

    @Test
    void aStopForgetsWaitingMessagesAndTakesNoMore() throws Exception {
        RecordingOwner owner = blocking();
        HandlerSlots one = slots(1, owner);
        one.accept(List.of(
                inFlight("runs"), inFlight("ready"), dueIn("due soon", Duration.ofMillis(30)), inFlight("ready, too")));
        Eventually.asserted(() -> assertThat(owner.handled).containsExactly("runs"));

        one.stop();
        end.countDown();

        assertThat(one.awaitIdle(LONG_ENOUGH)).isTrue();
        assertThat(one.accept(List.of(inFlight("late")))).isFalse();
        long released = owner.noSlot.size();
        long past = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(60);
        Eventually.asserted(() -> assertThat(System.nanoTime()).isGreaterThan(past));
        assertThat(owner.handled).containsExactly("runs");
        assertThat(owner.noSlot).hasSize((int) released);
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> RuntimeException sneaky(Throwable error) throws E {
        throw (E) error;
    }

    private HandlerSlots slots(int concurrency, RecordingOwner owner) {
        return dispatcher(null).slots(concurrency, owner);
    }

    private Dispatcher dispatcher(ThreadFactory threadFactory) {
        Dispatcher dispatcher = new Dispatcher(timer, threadFactory);
        dispatchers.add(dispatcher);
        return dispatcher;
    }

    private RecordingOwner blocking() {
        return new RecordingOwner((message, slot) -> awaitEnd());
    }

    private static RecordingOwner quick() {
        BiConsumer<InFlightMessage, HandlerSlot> nothing = (message, slot) -> {};
        return new RecordingOwner(nothing);
    }

    private static List<InFlightMessage> numbered(int count) {
        List<InFlightMessage> messages = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            messages.add(inFlight("m" + i));
        }
        return messages;
    }

    private static int freeSlots(HandlerSlots slots) {
        Reservation reservation = slots.reserve(512);
        slots.release(reservation);
        return reservation.slots();
    }

    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work);
        thread.setDaemon(true);
        return thread;
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
}
