package io.delayqueue.internal.engine.consume;

import io.delayqueue.ClaimGate;
import io.delayqueue.internal.store.MessageStore;
import io.delayqueue.internal.store.Partition;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Whether the claims of a partition may go on over the present connection, as the client's {@link ClaimGate} says. A claim loop asks before
 * it reserves anything, so a gate that stays shut holds up no other partition.
 */
final class ClaimPermission {

    private static final long NEVER = -1;

    private final ClaimGate gate;
    private final MessageStore store;
    private final Partition partition;
    private final Runnable opened;
    private final AtomicLong asked = new AtomicLong(NEVER);
    private final AtomicLong granted = new AtomicLong(NEVER);

    /** @param opened called when the gate has opened */
    ClaimPermission(ClaimGate gate, MessageStore store, Partition partition, Runnable opened) {
        this.gate = gate;
        this.store = store;
        this.partition = partition;
        this.opened = opened;
    }

    /** Whether claims may go on. If not, the gate is asked, unless it has been asked for this connection. */
    boolean isGranted() {
        if (gate == ClaimGate.OPEN) {
            return true;
        }
        long breaks = store.connectionBreaks();
        if (granted.get() == breaks) {
            return true;
        }
        if (asked.getAndSet(breaks) != breaks) {
            ask(breaks);
        }
        return false;
    }

    /** Number of breaks of connections for which the permission was granted. */
    long breaks() {
        return granted.get();
    }

    private void ask(long breaks) {
        try {
            gate.beforeClaims(partition.topic(), partition.number()).whenComplete((nothing, error) -> grant(breaks));
        } catch (RuntimeException e) {
            grant(breaks);
        }
    }

    /** Another break meanwhile makes the loop ask again. The answer for a later connection may have come before this one. */
    private void grant(long breaks) {
        granted.accumulateAndGet(breaks, Math::max);
        opened.run();
    }
}
