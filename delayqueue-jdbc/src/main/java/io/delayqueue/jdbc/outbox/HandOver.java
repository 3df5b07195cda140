package io.delayqueue.jdbc.outbox;

import java.util.Collection;

/**
 * Sends rows of the outbox right after their commit. Rows that it does not send stay in the outbox, and they are free when the send
 * timeout is over: then relays send them.
 */
@FunctionalInterface
public interface HandOver {

    /**
     * Takes changes whose transaction ended; those that were rolled back have no row. Is called in the transaction's last hook, so it must
     * not block. Completes the {@link CommittedChange#answer()} of each change, of those that it does not send, too.
     */
    void offer(Collection<CommittedChange> changes);
}
