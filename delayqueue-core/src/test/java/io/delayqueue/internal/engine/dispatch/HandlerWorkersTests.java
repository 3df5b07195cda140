package io.delayqueue.internal.engine.dispatch;

import static io.delayqueue.testsupport.EngineFixtures.inFlight;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.testsupport.Eventually;
import io.delayqueue.testsupport.LogLines;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The workers that subscriptions share. */
class HandlerWorkersTests extends HandlerSlotsFixture {

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
            assertThat(log.everything()).doesNotContain("checked, as Kotlin throws them");
        }
        assertThat(owner.notStarted).isEmpty();
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
        // the more, the slower the machine; a worker for each would be a thousand
        assertThat(threads.get()).isLessThan(200);
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

        assertThat(owner.notStarted).hasSize(1);
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
        assertThat(first.notStarted).hasSize(1);
        assertThat(second.notStarted).hasSize(1);
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

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> RuntimeException sneaky(Throwable error) throws E {
        throw (E) error;
    }
}
