package io.delayqueue.internal.engine.consume;

import io.delayqueue.WakeUp;
import io.delayqueue.internal.engine.settle.InFlightMessage;
import io.delayqueue.internal.engine.settle.Settlement;
import io.delayqueue.internal.engine.settle.Settlements;
import io.delayqueue.internal.engine.shared.ConsumerContext;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Adds the messages of one run of a subscription, settles them or gives them up, frees their bytes, and tells begin marks and claim loops.
 * {@link Settlements} keeps the messages. Thread-safe.
 */
final class MessageLifecycle {

    private static final Logger log = LoggerFactory.getLogger("io.delayqueue");

    private final ConsumerContext context;
    private final Settlements settlements;
    private final BytesInFlight.Share bytes;
    private final Consumer<InFlightMessage> settled;
    private final PartitionConsumers partitions;

    /**
     * @param settled told each message whose settlement is answered
     * @param partitions are told when one of their messages is settled, or may be due again
     */
    MessageLifecycle(
            ConsumerContext context,
            Settlements settlements,
            BytesInFlight.Share bytes,
            Consumer<InFlightMessage> settled,
            PartitionConsumers partitions) {
        this.context = context;
        this.settlements = settlements;
        this.bytes = bytes;
        this.settled = settled;
        this.partitions = partitions;
    }

    /** Adds a message that was just claimed. */
    void add(InFlightMessage message) {
        bytes.take(message.message().payload().length);
        settlements.add(message);
    }

    /** Settles a message that the caller has decided. */
    void settle(Settlement settlement) {
        InFlightMessage message = settlement.message();
        CompletableFuture<Boolean> answer = settlements.settle(settlement).whenComplete((held, error) -> {
            settled.accept(message);
            bytes.free(message.message().payload().length);
            partitions.settled(message.partition());
            wakeUpFor(settlement);
        });
        message.settling(answer);
    }

    /** Without wake-ups from Redis, this process alone knows when a message that it releases is due. */
    private void wakeUpFor(Settlement settlement) {
        if (context.client().options().wakeUp() != WakeUp.POLL) {
            return;
        }
        if (settlement instanceof Settlement.Release) {
            partitions.wakeUp(0);
        } else if (settlement instanceof Settlement.Ended ended && ended.delay() != null) {
            partitions.wakeUp(TimeUnit.MICROSECONDS.convert(ended.delay()));
        }
    }

    /** A message leaves this process with its lease: it is no longer in flight here. */
    void handOver(InFlightMessage message) {
        settlements.handOver(message);
        bytes.free(message.message().payload().length);
        partitions.settled(message.partition());
        // the suspect permit goes on: this process can't know when the message is settled
        message.settling(CompletableFuture.completedFuture(true));
    }

    /** Releases a message that was handed over, but not taken. */
    void takeBack(InFlightMessage message) {
        add(message);
        settle(new Settlement.Release(message));
    }

    /** Gives a message back that no handler handles. Returns false if it was decided before. */
    boolean release(InFlightMessage message) {
        return settleReleased(message, message.decide());
    }

    /** As {@link #release}, unless its handler has begun. */
    boolean releaseUnlessBegun(InFlightMessage message) {
        return settleReleased(message, message.decideUnlessBegun());
    }

    private boolean settleReleased(InFlightMessage message, boolean decided) {
        if (decided) {
            settle(new Settlement.Release(message));
        }
        return decided;
    }

    /** Releases all messages that no handler has begun. */
    void releaseUnbegun() {
        settlements.inFlight().forEach(this::releaseUnlessBegun);
    }

    void interruptHandlers() {
        settlements.inFlight().forEach(InFlightMessage::interrupt);
    }

    /** Releases the messages of handlers that ignored the interrupt. */
    void releaseStuck() {
        List<InFlightMessage> stuck = new ArrayList<>();
        for (InFlightMessage message : settlements.inFlight()) {
            if (release(message)) {
                stuck.add(message);
            }
        }
        if (!stuck.isEmpty()) {
            log.warn(
                    "{} handlers of topic '{}' did not end when interrupted; their messages were released, among them {}",
                    stuck.size(),
                    context.topic(),
                    stuck.get(0).message());
        }
    }

    /** Gives up the messages that could not be settled in time. */
    void giveUp() {
        int unsettled = settlements.inFlight().size();
        if (unsettled > 0) {
            log.warn(
                    "{} messages of topic '{}' could not be settled before the stop; they are delivered again after their lease",
                    unsettled,
                    context.topic());
        }
        settlements.giveUp();
    }
}
