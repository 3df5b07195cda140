package io.delayqueue.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.internal.store.CallId;
import io.delayqueue.internal.store.ClaimAnswer;
import io.delayqueue.internal.store.ClaimRequest;
import io.delayqueue.internal.store.Claimed;
import io.delayqueue.model.ModelConsumer.Kind;
import io.delayqueue.model.ModelMessage.Place;
import java.time.Duration;
import java.util.List;

/** Claiming: takes back leases that ran out, or leases what is due. */
final class ClaimSteps {

    private ClaimSteps() {}

    /** @param purging whether dead letters are too old for it, however young they are */
    record Claim(String consumer, int limit, boolean shortLease, boolean purging) implements Step {
        @Override
        public void run(Session session) {
            claim(session, this, session.consumer(consumer).next(Kind.CLAIM));
        }

        private ClaimRequest request(CallId turn) {
            return new ClaimRequest(
                    turn,
                    limit,
                    shortLease ? Session.SHORT_LEASE : Session.LONG_LEASE,
                    Session.DEFAULT_ATTEMPTS,
                    purging ? Duration.ofNanos(1000) : null);
        }
    }

    private static void claim(Session session, Claim step, CallId turn) {
        var call = session.call(() -> session.store.claim(session.partition, step.request(turn)));
        new ClaimCheck(session, step, call).check();
        List<Claimed> claimed = call.answer().claimed();
        boolean noted = !claimed.isEmpty() || turn.repeated();
        ModelConsumer consumer = session.consumer(step.consumer());
        consumer.done(Kind.CLAIM, turn, noted, () -> {
            if (noted) {
                claimOnceMore(session, step, consumer.repeated(turn), claimed);
            } else {
                claim(session, step, consumer.repeated(turn));
            }
        });
        for (Claimed each : claimed) {
            session.remember(each, each.receipt());
            if (step.shortLease()) {
                session.clock.awaitLaterThan(each.receipt());
            }
        }
    }

    /** The same turn again: those of its messages that are still leased by it and not overdue, and nothing more. */
    private static void claimOnceMore(Session session, Claim step, CallId turn, List<Claimed> first) {
        ClaimAnswer again = Session.join(session.store.claim(session.partition, step.request(turn)));
        List<String> held = first.stream()
                .filter(each -> session.model.holds(each.lease()) && each.receipt() > again.timeMicros())
                .map(ClaimSteps::idAttemptAndReceipt)
                .toList();
        assertThat(again.claimed())
                .as("what the repeated claim %s still holds", turn)
                .extracting(ClaimSteps::idAttemptAndReceipt)
                .containsExactlyInAnyOrderElementsOf(held);
        assertThat(again.expired()).isEmpty();
        assertThat(again.leaseExpired()).isEmpty();
        assertThat(again.deadLettered()).isEmpty();
    }

    private static String idAttemptAndReceipt(Claimed claimed) {
        return claimed.message().id() + " attempt " + claimed.message().attempt() + " receipt " + claimed.receipt();
    }

    /** Takes the leases that ran out for what they are. */
    static List<ModelMessage> overdue(Session session, long nowMicros) {
        return session.model.in(Place.LEASED).stream()
                .filter(message -> message.receipt <= nowMicros)
                .toList();
    }
}
