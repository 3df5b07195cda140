package io.delayqueue.internal.engine.settle;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.internal.store.Lease;
import io.delayqueue.testsupport.EngineFixtures;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class InFlightMessageTests {

    private final InFlightMessage message = EngineFixtures.inFlight("a");

    @AfterEach
    void leaveNoInterruptBehind() {
        Thread.interrupted();
    }

    @Test
    void oneHandlerCanBegin() {
        assertThat(message.begin()).isTrue();
        assertThat(message.begin()).isFalse();
    }

    @Test
    void onlyTheFirstDecisionCounts() {
        message.begin();

        assertThat(message.decide()).isTrue();
        assertThat(message.decide()).isFalse();
    }

    @Test
    void aHandlerCannotBeginAReleasedMessage() {
        assertThat(message.decideUnlessBegun()).isTrue();
        assertThat(message.begin()).isFalse();
    }

    @Test
    void aMessageThatAHandlerHasBegunIsNotReleasedUnhandled() {
        message.begin();

        assertThat(message.decideUnlessBegun()).isFalse();
        assertThat(message.decide()).isTrue();
    }

    @Test
    void anInterruptReachesTheHandlerOfTheMessage() {
        message.begin();
        message.interrupt();

        assertThat(Thread.currentThread().isInterrupted()).isTrue();
    }

    @Test
    void anInterruptThatWasNotNoticedDoesNotHitTheNextMessageOnTheThread() {
        message.begin();
        message.interrupt();
        message.end();

        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void anInterruptBeforeOrAfterTheHandlingHitsNothing() {
        message.interrupt();
        message.begin();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        message.end();
        message.interrupt();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void anInterruptAtTheEndOfTheHandlingNeverHitsTheNextMessage() throws Exception {
        AtomicReference<InFlightMessage> current = new AtomicReference<>(message);
        AtomicBoolean over = new AtomicBoolean();
        Thread interrupter = new Thread(() -> {
            while (!over.get()) {
                current.get().interrupt();
            }
        });
        interrupter.start();
        int hits = 0;
        for (int i = 0; i < 20_000; i++) {
            InFlightMessage next = EngineFixtures.inFlight("a");
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
    void anInterruptCancelsTheStageThatFollowsTheHandlersCall() {
        AtomicBoolean cancelled = new AtomicBoolean();
        message.begin();
        message.end();
        message.continueInStage(() -> cancelled.set(true));
        assertThat(cancelled).isFalse();

        message.interrupt();

        assertThat(cancelled).isTrue();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void anInterruptDuringTheCallCancelsTheStageThatFollows() {
        AtomicBoolean cancelled = new AtomicBoolean();
        message.begin();
        message.interrupt();
        message.end();

        message.continueInStage(() -> cancelled.set(true));

        assertThat(cancelled).isTrue();
    }

    @Test
    void oneRenewalIsUnderWayAtATime() {
        assertThat(message.beginRenewal()).isTrue();
        assertThat(message.beginRenewal()).isFalse();
        message.endRenewal();
        assertThat(message.beginRenewal()).isTrue();
    }

    @Test
    void aDecidedOrLostMessageIsNotRenewed() {
        message.decide();
        assertThat(message.beginRenewal()).isFalse();

        InFlightMessage lost = EngineFixtures.inFlight("b");
        lost.loseLease();
        assertThat(lost.beginRenewal()).isFalse();
    }

    @Test
    void aRenewalBringsANewReceiptAndANewEnd() {
        InFlightMessage old = EngineFixtures.inFlight("a", Duration.ZERO);
        assertThat(old.isLeaseLost()).isTrue();

        old.renewed(77, System.nanoTime() + Duration.ofHours(1).toNanos());

        assertThat(old.lease()).isEqualTo(new Lease("a", 77));
        assertThat(old.isLeaseLost()).isFalse();
    }

    @Test
    void theLossOfALeaseIsReportedOnce() {
        assertThat(message.isLeaseLost()).isFalse();
        assertThat(message.loseLease()).isTrue();
        assertThat(message.loseLease()).isFalse();
        assertThat(message.isLeaseLost()).isTrue();
    }
}
