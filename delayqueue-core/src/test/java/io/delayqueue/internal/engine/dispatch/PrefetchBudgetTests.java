package io.delayqueue.internal.engine.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.testsupport.Eventually;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PrefetchBudgetTests {

    private static final int MAX = 512;

    private final PrefetchBudget ten = new PrefetchBudget(10);

    @Test
    void takenAndReservedSlotsAndThoseOfWaitingMessagesAreNotFree() {
        assertThat(ten.capacity()).isEqualTo(new Capacity(10, 10));

        ten.accepted(2, 1);
        ten.takeSlot();
        Reservation four = ten.reserve(4);

        assertThat(four.slots()).isEqualTo(4);
        assertThat(ten.capacity()).isEqualTo(new Capacity(3, 10));
        ten.release(four);
        assertThat(ten.capacity().free()).isEqualTo(7);
    }

    @Test
    void nothingIsPrefetchedUntilItIsKnownHowLongHandlersTake() {
        assertThat(ten.reserve(MAX)).isEqualTo(new Reservation(10, 0, 8));
    }

    @Test
    void asMuchIsPrefetchedAsWillGetASlotSoon() {
        handled(TimeUnit.MILLISECONDS.toNanos(5));
        assertThat(ten.reserve(MAX)).isEqualTo(new Reservation(10, 10, 18));
    }

    @Test
    void littleIsPrefetchedForSlowHandlers() {
        handled(TimeUnit.MILLISECONDS.toNanos(25));
        assertThat(ten.reserve(MAX)).isEqualTo(new Reservation(10, 2, 10));
    }

    @Test
    void nothingIsPrefetchedForVerySlowHandlers() {
        handled(TimeUnit.MILLISECONDS.toNanos(51));
        assertThat(ten.reserve(MAX)).isEqualTo(new Reservation(10, 0, 8));
    }

    @Test
    void atMostFourTimesTheSlotsArePrefetched() {
        handled(0);
        assertThat(ten.reserve(MAX)).isEqualTo(new Reservation(10, 40, 48));
        assertThat(ten.reserve(MAX)).as("all reserved").isEqualTo(Reservation.NONE);
    }

    @Test
    void noMoreIsReservedThanAskedFor() {
        handled(0);
        assertThat(ten.reserve(12)).isEqualTo(new Reservation(10, 2, 10));
        assertThat(new PrefetchBudget(10).reserve(4)).isEqualTo(new Reservation(4, 0, 2));
    }

    @Test
    void theMeanFollowsTheLatestHandlings() {
        handled(TimeUnit.SECONDS.toNanos(1));
        assertThat(ten.capacity().total()).isEqualTo(10);
        for (int i = 0; i < 200; i++) {
            handled(1000);
        }
        assertThat(ten.capacity().total()).isEqualTo(50);
        handled(TimeUnit.SECONDS.toNanos(1));
        assertThat(ten.capacity().total()).isEqualTo(10);
    }

    @Test
    void earlyMessagesLeaveSomeSlotsToMessagesThatAreDueAtOnce() {
        ten.accepted(8, 0);
        assertThat(ten.reserve(MAX)).isEqualTo(new Reservation(2, 0, 0));
    }

    @Test
    void earlyMessagesHoldNoSlotWhileHandlersAreQuick() {
        handled(0);
        ten.accepted(30, 0);
        assertThat(ten.reserve(MAX)).isEqualTo(new Reservation(2, 18, 18));
    }

    @Test
    void dueMessagesHoldTheirSlotsHoweverQuickHandlersAre() {
        handled(0);
        ten.accepted(0, 9);
        assertThat(ten.reserve(MAX).slots()).isEqualTo(1);

        PrefetchBudget one = new PrefetchBudget(1);
        one.accepted(0, 1);
        one.takeSlot();
        one.freeSlot(0);
        one.accepted(0, 1);
        assertThat(one.reserve(MAX)).as("a second one would have to wait").isEqualTo(Reservation.NONE);
    }

    @Test
    void anEarlyMessageCountsAsDueFromThenOn() {
        handled(0);
        ten.accepted(10, 0);
        Reservation two = ten.reserve(MAX);
        assertThat(two.slots()).isEqualTo(2);
        ten.release(two);
        for (int i = 0; i < 10; i++) {
            ten.becameReady();
        }
        assertThat(ten.reserve(MAX)).isEqualTo(Reservation.NONE);

        ten.removeReady(10);
        assertThat(ten.capacity().free()).isPositive();
    }

    @Test
    void nothingCanBeClaimedWhileAllSlotsAreTaken() {
        handled(0);
        ten.accepted(0, 10);
        for (int i = 0; i < 10; i++) {
            ten.takeSlot();
        }
        assertThat(ten.capacity()).isEqualTo(new Capacity(0, 50));
        assertThat(ten.reserve(MAX)).isEqualTo(Reservation.NONE);
    }

    @Test
    void nothingIsPrefetchedForAWhileAfterSlotsWereTooFew() {
        handled(0);
        ten.slotsWereTooFew();
        assertThat(ten.capacity().total()).isEqualTo(10);
        Eventually.asserted(() -> assertThat(ten.capacity().total()).isEqualTo(50));
    }

    @Test
    void capacityIsLargeFromHalfOfTheTotalOn() {
        assertThat(new Capacity(25, 50).isLarge()).isTrue();
        assertThat(new Capacity(24, 50).isLarge()).isFalse();
        assertThat(new Capacity(1, 1).isLarge()).isTrue();
        assertThat(new Capacity(0, 1).isLarge()).isFalse();
    }

    private void handled(long nanos) {
        ten.accepted(0, 1);
        ten.takeSlot();
        ten.freeSlot(nanos);
    }
}
