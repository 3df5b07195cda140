package io.delayqueue.internal.engine.consume;

import io.delayqueue.ClaimGate;
import io.delayqueue.internal.store.Partition;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The connection over which a partition may be claimed, as the client's {@link ClaimGate} says. A claim over another one is not sent, and
 * the gate is asked. Until it answers there are no claims, so a gate that stays shut holds up no other partition.
 */
final class ClaimPermission {

    private static final long NONE = 0;

    private final ClaimGate gate;
    private final Partition partition;
    private final Runnable opened;
    private final AtomicLong asked = new AtomicLong(NONE);
    private volatile long granted = NONE;

    /** @param opened called when the gate has opened */
    ClaimPermission(ClaimGate gate, Partition partition, Runnable opened) {
        this.gate = gate;
        this.partition = partition;
        this.opened = opened;
    }

    /** Whether the gate was asked and has not answered yet. */
    boolean isAsked() {
        return asked.get() != granted;
    }

    /** Number of the connection over which the partition may be claimed. */
    long connection() {
        return granted;
    }

    /** Asks the gate for another connection than the last one. */
    void ask(long connection) {
        asked.set(connection);
        try {
            gate.beforeClaims(partition.topic(), partition.number())
                    .whenComplete((nothing, error) -> grant(connection));
        } catch (Throwable e) {
            // also if the machine has no thread left: nobody would ask again
            grant(connection);
        }
    }

    /** An answer for an earlier connection may come late: it says nothing. */
    private void grant(long connection) {
        if (asked.get() == connection) {
            granted = connection;
            opened.run();
        }
    }
}
