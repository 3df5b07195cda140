package io.delayqueue.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.Delay;
import io.delayqueue.internal.store.ClaimAnswer;
import io.delayqueue.internal.store.Claimed;
import io.delayqueue.internal.store.Lease;
import io.delayqueue.internal.store.MessageStore;
import io.delayqueue.model.ModelConsumer.Kind;
import io.delayqueue.model.ModelMessage.State;
import io.delayqueue.testsupport.StoreCalls;
import java.util.List;

/** Acks, cancels or purges every message of a topic, as consumers and operators do. */
final class Drain {

    private Drain() {}

    static void drain(Session session) {
        ModelConsumer consumer = session.consumer(Session.CONSUMERS.get(0));
        Session.join(session.store.setPaused(session.partition, false));
        Session.join(session.store.deadLetters().purge(session.partition, session.ids()));
        Session.join(session.store.reschedule(session.partition, session.ids(), Delay.NONE));
        List<Lease> leased = session.model.in(State.LEASED).stream()
                .map(message -> new Lease(message.sent.id(), message.receipt))
                .toList();
        ack(session, consumer, leased);
        ClaimAnswer answer;
        do {
            var request = StoreCalls.claimRequest(
                    consumer.next(Kind.CLAIM),
                    2,
                    0,
                    Session.LONG_LEASE,
                    Session.DEFAULT_ATTEMPTS,
                    null,
                    StoreCalls.NOT_EARLY,
                    true,
                    MessageStore.LARGEST_BYTES);
            answer = Session.join(session.store.claim(session.partition, request));
            ack(session, consumer, answer.claimed().stream().map(Claimed::lease).toList());
        } while (answer.waitMicros() == 0 || !answer.claimed().isEmpty());
        assertThat(answer.waitMicros()).as("wait before the next claim").isEqualTo(-1);
        OutboxSteps.forget(session);
        Session.CONSUMERS.forEach(name -> Session.join(session.store.forgetConsumer(session.partition, name)));
    }

    private static void ack(Session session, ModelConsumer consumer, List<Lease> leases) {
        if (!leases.isEmpty()) {
            assertThat(Session.join(session.store.ack(session.partition, consumer.next(Kind.ACK), leases)))
                    .as("acks of %s", leases)
                    .containsOnly(true);
        }
    }
}
