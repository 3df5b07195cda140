package io.delayqueue.internal.engine.dispatch;

import static io.delayqueue.testsupport.EngineFixtures.dueIn;
import static io.delayqueue.testsupport.EngineFixtures.inFlight;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.internal.engine.settle.InFlightMessage;
import io.delayqueue.testsupport.Eventually;
import io.delayqueue.testsupport.LogLines;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The slots of a subscription. */
class HandlerSlotsTests extends HandlerSlotsFixture {

    private static final long LONG_ENOUGH = TimeUnit.SECONDS.toNanos(30);

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

    /** One alarm at a time serves all that wait, and goes off for the first of them. */
    @Test
    void aMessageThatStillHasPatienceWhenTheFirstOneIsReleasedIsReleasedAfterIt() {
        RecordingOwner owner = blocking();
        HandlerSlots one = slots(1, owner);
        one.accept(List.of(inFlight("runs")));
        Eventually.asserted(() -> assertThat(owner.handled).containsExactly("runs"));
        one.accept(List.of(inFlight("first"), dueIn("second", Duration.ofMillis(5))));

        Eventually.asserted(() -> assertThat(owner.noSlot).containsExactly("first", "second"));
        assertThat(one.waiting()).isZero();
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

    /** The due queue serves all subscriptions, and lives on. */
    @Test
    void aStopLeavesNoMessageInMemoryThatIsDueLater() {
        HandlerSlots one = slots(1, quick());
        WeakReference<InFlightMessage> later = acceptLater(one);

        one.stop();

        Eventually.asserted(() -> {
            System.gc();
            assertThat(later.get()).isNull();
        });
    }

    @Test
    void aStopDuringAnAcceptLeavesNoMessageInMemory() throws Exception {
        Dispatcher dispatcher = dispatcher(null);
        List<WeakReference<InFlightMessage>> later = new ArrayList<>();
        for (int round = 0; round < 2_000; round++) {
            HandlerSlots one = dispatcher.slots(1, quick());
            CountDownLatch begin = new CountDownLatch(1);
            Thread stop = daemon(() -> {
                await(begin);
                one.stop();
            });
            stop.start();
            begin.countDown();
            later.add(acceptLater(one));
            stop.join();
        }

        Eventually.asserted(() -> {
            System.gc();
            assertThat(later).allMatch(message -> message.get() == null);
        });
    }

    /** No variable of the test has the message. */
    private static WeakReference<InFlightMessage> acceptLater(HandlerSlots slots) {
        InFlightMessage message = dueIn("later", Duration.ofHours(1));
        slots.accept(List.of(message));
        return new WeakReference<>(message);
    }
}
