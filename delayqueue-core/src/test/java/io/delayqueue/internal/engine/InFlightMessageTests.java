package io.delayqueue.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.internal.store.Lease;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class InFlightMessageTests {

    private final InFlightMessage inHand = Fixtures.inHand("a");

    @AfterEach
    void leaveNoInterruptBehind() {
        Thread.interrupted();
    }

    @Test
    void oneHandlerMayBegin() {
        assertThat(inHand.begin()).isTrue();
        assertThat(inHand.begin()).isFalse();
    }

    @Test
    void oneMayDecide() {
        inHand.begin();

        assertThat(inHand.decide()).isTrue();
        assertThat(inHand.decide()).isFalse();
        assertThat(inHand.isDecided()).isTrue();
    }

    @Test
    void handlerCantBeginWhatWasGivenBack() {
        assertThat(inHand.decideUnlessBegun()).isTrue();
        assertThat(inHand.begin()).isFalse();
    }

    @Test
    void whatAHandlerHasBegunIsNotGivenBackUnhandled() {
        inHand.begin();

        assertThat(inHand.decideUnlessBegun()).isFalse();
        assertThat(inHand.decide()).isTrue();
    }

    @Test
    void interruptReachesTheHandlerAtIt() {
        inHand.begin();
        inHand.interrupt();

        assertThat(Thread.currentThread().isInterrupted()).isTrue();
    }

    @Test
    void interruptThatWasNotNoticedDoesNotHitTheNextWorkOnTheThread() {
        inHand.begin();
        inHand.interrupt();
        inHand.end();

        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void interruptBeforeOrAfterTheHandlingHitsNobody() {
        inHand.interrupt();
        inHand.begin();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        inHand.end();
        inHand.interrupt();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void interruptThatComesJustThenNeverHitsTheNextWork() throws Exception {
        AtomicReference<InFlightMessage> current = new AtomicReference<>(inHand);
        AtomicBoolean over = new AtomicBoolean();
        Thread interrupter = new Thread(() -> {
            while (!over.get()) {
                current.get().interrupt();
            }
        });
        interrupter.start();
        int hits = 0;
        for (int i = 0; i < 20_000; i++) {
            InFlightMessage next = Fixtures.inHand("a");
            current.set(next);
            next.begin();
            next.end();
            hits += Thread.currentThread().isInterrupted() ? 1 : 0;
            Thread.interrupted();
        }
        over.set(true);
        interrupter.join();

        assertThat(hits).isZero();
    }

    @Test
    void oneMayRenewAtATime() {
        assertThat(inHand.startRenewing()).isTrue();
        assertThat(inHand.startRenewing()).isFalse();
        inHand.endRenewing();
        assertThat(inHand.startRenewing()).isTrue();
    }

    @Test
    void nobodyRenewsWhatIsDecidedOrLost() {
        inHand.decide();
        assertThat(inHand.startRenewing()).isFalse();

        InFlightMessage lost = Fixtures.inHand("b");
        lost.loseLease();
        assertThat(lost.startRenewing()).isFalse();
    }

    @Test
    void renewalBringsANewReceiptAndATimeToCome() {
        InFlightMessage old = Fixtures.inHand("a", Duration.ZERO);
        assertThat(old.isLeaseLost()).isTrue();

        old.renewed(77, System.nanoTime() + Duration.ofHours(1).toNanos());

        assertThat(old.lease()).isEqualTo(new Lease("a", 77));
        assertThat(old.isLeaseLost()).isFalse();
    }

    @Test
    void lossIsNewsOnce() {
        assertThat(inHand.isLeaseLost()).isFalse();
        assertThat(inHand.loseLease()).isTrue();
        assertThat(inHand.loseLease()).isFalse();
        assertThat(inHand.isLeaseLost()).isTrue();
    }
}
