package io.delayqueue.jdbc.outbox;

import io.delayqueue.DelayQueueException;

/**
 * The caller's transaction can't write to the outbox: it is read-only, or does not belong to the journal's DataSource. Nothing was
 * written.
 */
public final class UnsuitableTransactionException extends DelayQueueException {

    private static final long serialVersionUID = 1L;

    UnsuitableTransactionException(String problem) {
        super(problem, null, null, null);
    }
}
