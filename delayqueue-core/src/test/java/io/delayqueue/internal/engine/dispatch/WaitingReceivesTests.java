package io.delayqueue.internal.engine.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.internal.engine.settle.InFlightMessage;
import io.delayqueue.testsupport.EngineFixtures;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Calls that wait for messages, and the messages that are claimed for them. */
class WaitingReceivesTests extends HandlerSlotsFixture implements ReceiveOwner {

    private static final long LONG = Duration.ofHours(1).toNanos();

    private final WaitingReceives receives = dispatcher(null).receives(this, 100);
    private final List<InFlightMessage> unwanted = new CopyOnWriteArrayList<>();
    private final List<Capacity> freed = new CopyOnWriteArrayList<>();
    private CompletableFuture<Void> claimed = CompletableFuture.completedFuture(null);

    @Test
    void asManyMessagesAreClaimedAsTheCallsTake() {
        assertThat(receives.capacity().free()).isZero();
        assertThat(receives.reserve(512)).isEqualTo(Reservation.NONE);
        call(3);
        call(10);

        assertThat(receives.capacity().free()).isEqualTo(13);
        Reservation reservation = receives.reserve(9);
        assertThat(reservation.slots()).isEqualTo(9);
        assertThat(receives.capacity().free()).isEqualTo(4);
        receives.release(reservation);
        assertThat(receives.capacity().free()).isEqualTo(13);
        assertThat(freed).extracting(Capacity::free).containsExactly(3, 13, 13);
    }

    @Test
    void theCallThatHasWaitedLongestIsFilledFirst() {
        Call first = call(2);
        Call second = call(2);
        Call third = call(2);

        receives.accept(numbered(3));

        assertThat(first.ids()).containsExactly("m0", "m1");
        assertThat(second.ids()).containsExactly("m2");
        assertThat(third.answers).isEmpty();
        assertThat(receives.capacity().free()).isEqualTo(2);
        assertThat(unwanted).isEmpty();
    }

    @Test
    void messagesForWhichNoCallWaitsAreReleased() {
        Call first = call(2);
        Call gone = call(2);
        receives.remove(gone.receive);

        receives.accept(numbered(5));

        assertThat(first.ids()).hasSize(2);
        assertThat(gone.answers).isEmpty();
        assertThat(unwanted).hasSize(3);
    }

    @Test
    void aSuspectIsAloneInItsAnswer() {
        Call first = call(5);
        Call second = call(5);

        receives.accept(
                List.of(EngineFixtures.suspect("s"), EngineFixtures.inFlight("a"), EngineFixtures.inFlight("b")));

        assertThat(first.ids()).containsExactly("s");
        assertThat(second.ids()).containsExactly("a", "b");
    }

    @Test
    void anEarlyMessageIsKeptUntilItIsDueAndTakesPartOfTheCapacityMeanwhile() {
        Call call = call(5);
        InFlightMessage early = EngineFixtures.dueIn("early", Duration.ofSeconds(3));

        receives.accept(List.of(early));

        assertThat(call.answers).isEmpty();
        assertThat(receives.capacity().free()).isEqualTo(4);
        TestQueue.await().until(() -> !call.answers.isEmpty());
        assertThat(early.lateNanos()).isNotNegative();
        assertThat(call.ids()).containsExactly("early");
        assertThat(receives.capacity().free()).isZero();
    }

    @Test
    void anEarlyMessageWhoseCallLeftIsReleasedWhenItIsDue() {
        Call call = call(1);
        receives.accept(List.of(EngineFixtures.dueIn("early", Duration.ofSeconds(3))));

        receives.remove(call.receive);

        TestQueue.await().until(() -> unwanted.size() == 1);
        assertThat(receives.capacity().free()).isZero();
        Call next = call(1);
        assertThat(receives.capacity().free()).as("nothing is kept").isEqualTo(1);
        assertThat(next.answers).isEmpty();
    }

    /** The first one answers the call, and those behind it would have to be released. */
    @Test
    void asManyMessagesAreClaimedEarlyAsCallsWaitAndAQuarterOfTheCapacityIsKept() {
        call(100);
        assertThat(receives.reserve(512)).isEqualTo(new Reservation(100, 0, 1));
        IntStream.range(0, 20).forEach(i -> call(1));
        // 30 of 120 are kept
        assertThat(receives.reserve(512)).isEqualTo(new Reservation(20, 0, 0));
    }

    @Test
    void theOnlyMessageOfTheOnlyCallIsNotClaimedEarly() {
        call(1);

        assertThat(receives.reserve(512)).isEqualTo(new Reservation(1, 0, 0));
    }

    @Test
    void aWaitEndsWithoutMessages() {
        Call call = call(1, Duration.ofMillis(50).toNanos());

        TestQueue.await().until(() -> !call.answers.isEmpty());

        assertThat(call.ids()).isEmpty();
        assertThat(receives.capacity().free()).isZero();
    }

    @Test
    void aWaitDoesNotEndWhileAClaimMayBringMessages() {
        claimed = new CompletableFuture<>();
        Call call = call(2, 0);
        Reservation reservation = receives.reserve(512);
        claimed.complete(null);
        assertThat(call.answers).isEmpty();

        receives.accept(numbered(1));
        receives.release(reservation);

        assertThat(call.answers).hasSize(1);
        assertThat(call.ids()).containsExactly("m0");
    }

    @Test
    void aWaitThatIsOverEndsWithTheClaimThatBroughtNothing() {
        claimed = new CompletableFuture<>();
        Call call = call(2, 0);
        Call patient = call(2);
        Reservation reservation = receives.reserve(2);
        claimed.complete(null);

        receives.release(reservation);

        assertThat(call.answers).containsExactly(List.of());
        assertThat(patient.answers).isEmpty();
    }

    @Test
    void aCallTooManyIsRefused() {
        IntStream.range(0, 100).forEach(i -> call(1));

        assertThat(receives.add(new WaitingReceive(1, messages -> {}), LONG)).isFalse();
        assertThat(receives.capacity().free()).isEqualTo(100);
    }

    @Test
    void aStopAnswersAllCallsAndTakesNoMoreMessages() {
        Call first = call(1);
        receives.accept(List.of(EngineFixtures.dueIn("early", Duration.ofMinutes(1))));

        receives.stop();

        assertThat(first.answers).containsExactly(List.of());
        assertThat(receives.accept(numbered(1))).isFalse();
        assertThat(call(1).answers).containsExactly(List.of());
    }

    /** The test's view of a call. */
    private static final class Call {

        final List<List<InFlightMessage>> answers = new CopyOnWriteArrayList<>();
        final WaitingReceive receive;

        Call(int max) {
            receive = new WaitingReceive(max, messages -> answers.add(List.copyOf(messages)));
        }

        List<String> ids() {
            List<String> ids = new ArrayList<>();
            answers.forEach(answer ->
                    answer.forEach(message -> ids.add(message.message().id())));
            return ids;
        }
    }

    private Call call(int max) {
        return call(max, LONG);
    }

    private Call call(int max, long waitNanos) {
        Call call = new Call(max);
        assertThat(receives.add(call.receive, waitNanos)).isTrue();
        return call;
    }

    @Override
    public void capacityFreed(Capacity capacity) {
        freed.add(capacity);
    }

    @Override
    public CompletableFuture<Void> claimNow() {
        return claimed;
    }

    @Override
    public void unwanted(InFlightMessage message) {
        unwanted.add(message);
    }
}
