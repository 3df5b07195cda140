package io.delayqueue.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.internal.store.CallId;
import io.delayqueue.internal.store.ClaimAnswer;
import io.delayqueue.internal.store.ClaimRequest;
import io.delayqueue.internal.store.Claimed;
import io.delayqueue.internal.store.MessageStore;
import io.delayqueue.model.ModelConsumer.Kind;
import io.delayqueue.model.ModelMessage.State;
import io.delayqueue.testsupport.StoreCalls;
import java.time.Duration;
import java.util.List;

/** Claims: retries messages whose lease expired, or leases due messages. */
final class ClaimSteps {

    /** The longest that a claim may ask for. */
    static final Duration EARLY = Duration.ofSeconds(1);

    private ClaimSteps() {}

    /**
     * Messages that a claim may take in addition to those for free slots, or before they are due.
     *
     * @param prefetch most further messages
     * @param early most messages that are not due yet
     */
    record Ahead(int prefetch, int early) {

        static final Ahead NOTHING = new Ahead(0, 0);

        boolean isEarly() {
            return early > 0;
        }
    }

    /**
     * A claim.
     *
     * @param purging whether all dead letters are purged after it, by a retention of 1 µs
     * @param suspect whether it may take a suspect
     * @param ahead what it may claim beyond its limit, and before it is due
     */
    record Claim(String consumer, int limit, boolean shortLease, boolean purging, boolean suspect, Ahead ahead)
            implements Step {
        @Override
        public void run(Session session) {
            claim(session, this, session.consumer(consumer).next(Kind.CLAIM));
        }

        private ClaimRequest request(CallId callId) {
            return StoreCalls.claimRequest(
                    callId,
                    limit,
                    ahead.prefetch(),
                    shortLease ? Session.SHORT_LEASE : Session.LONG_LEASE,
                    Session.DEFAULT_ATTEMPTS,
                    purging ? Duration.ofNanos(1000) : null,
                    new ClaimRequest.Early(ahead.isEarly() ? EARLY : Duration.ZERO, ahead.early()),
                    suspect,
                    MessageStore.LARGEST_BYTES);
        }
    }

    private static void claim(Session session, Claim step, CallId callId) {
        var call = session.call(() -> session.store.claim(session.partition, step.request(callId)));
        new ClaimCheck(session, step, call).check();
        List<Claimed> claimed = call.answer().claimed();
        boolean noted = !claimed.isEmpty() || callId.repeated();
        ModelConsumer consumer = session.consumer(step.consumer());
        consumer.done(Kind.CLAIM, callId, noted, () -> {
            if (noted) {
                claimOnceMore(session, step, consumer.repeated(callId), claimed);
            } else {
                claim(session, step, consumer.repeated(callId));
            }
        });
        for (Claimed each : claimed) {
            session.remember(each, each.receipt());
            if (step.shortLease()) {
                session.clock.awaitLaterThan(each.receipt());
            }
        }
    }

    /** Repeats a claim: it answers its own messages that are still leased and not overdue, and nothing else. */
    private static void claimOnceMore(Session session, Claim step, CallId callId, List<Claimed> first) {
        ClaimAnswer again = Session.join(session.store.claim(session.partition, step.request(callId)));
        List<String> held = first.stream()
                .filter(each -> session.model.isLeasedUntil(each.lease()) && each.receipt() > again.timeMicros())
                .map(ClaimSteps::idAttemptAndReceipt)
                .toList();
        assertThat(again.claimed())
                .as("messages that the repeated claim %s still holds", callId)
                .extracting(ClaimSteps::idAttemptAndReceipt)
                .containsExactlyInAnyOrderElementsOf(held);
        assertThat(again.expired()).isEmpty();
        assertThat(again.leaseExpired()).isEmpty();
        assertThat(again.deadLettered()).isEmpty();
    }

    private static String idAttemptAndReceipt(Claimed claimed) {
        return claimed.message().id() + " attempt " + claimed.message().attempt() + " receipt " + claimed.receipt();
    }

    /** The messages whose lease is over. */
    static List<ModelMessage> overdue(Session session, long nowMicros) {
        return session.model.in(State.LEASED).stream()
                .filter(message -> message.receipt <= nowMicros)
                .toList();
    }
}
