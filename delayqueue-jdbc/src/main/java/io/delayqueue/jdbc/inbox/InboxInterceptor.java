package io.delayqueue.jdbc.inbox;

import io.delayqueue.Delivery;
import io.delayqueue.MessageHandler;
import io.delayqueue.ReceivedMessage;
import io.delayqueue.jdbc.dialect.Dialect;
import io.delayqueue.spring.listener.DelayQueueInterceptor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;

/**
 * Records each message in the transaction that its handler works in, and does not call the handler for a message that is recorded.
 * Whatever keeps the message from being acked, be it a failure or a request for another attempt, leaves no record.
 */
final class InboxInterceptor implements DelayQueueInterceptor {

    private static final Logger log = LoggerFactory.getLogger("io.delayqueue.jdbc");

    /** Conflicts end as soon as the other transaction does, or else the database would not wait any longer. */
    private static final int MOST_ATTEMPTS = 5;

    private final InboxTable table;
    private final Dialect dialect;
    private final PlatformTransactionManager manager;
    private final Runnable duplicate;
    private final String listenerId;

    InboxInterceptor(
            InboxTable table,
            Dialect dialect,
            PlatformTransactionManager manager,
            Runnable duplicate,
            String listenerId) {
        this.table = table;
        this.dialect = dialect;
        this.manager = manager;
        this.duplicate = duplicate;
        this.listenerId = listenerId;
    }

    @Override
    public void handle(ReceivedMessage message, Delivery delivery, MessageHandler next) throws Exception {
        Recorded recorded = record(message, delivery);
        if (recorded.isNew) {
            handle(message, new WatchedDelivery(delivery), next, recorded.transaction);
        }
        manager.commit(recorded.transaction);
        if (!recorded.isNew) {
            tellDuplicate(message);
        }
    }

    private void handle(
            ReceivedMessage message, WatchedDelivery delivery, MessageHandler next, TransactionStatus transaction)
            throws Exception {
        try {
            next.handle(message, delivery);
            // a transaction that was marked by the handler can't be committed anyway, and may not take another
            // statement
            if (delivery.isUnfinished() && !transaction.isRollbackOnly()) {
                table.delete(message);
            }
        } catch (Throwable e) {
            rollback(transaction, e);
            throw e;
        }
    }

    /** Begins the transaction and records the message, again after a conflict: the handler has not been called yet. */
    private Recorded record(ReceivedMessage message, Delivery delivery) {
        for (int attempt = 1; ; attempt++) {
            TransactionStatus transaction = manager.getTransaction(TransactionDefinition.withDefaults());
            boolean own = transaction.isNewTransaction();
            try {
                return new Recorded(transaction, table.insert(message));
            } catch (DataAccessException e) {
                rollback(transaction, e);
                if (!own || attempt == MOST_ATTEMPTS || delivery.isLeaseLost() || !dialect.isRepeatable(e)) {
                    throw e;
                }
            } catch (Throwable e) {
                rollback(transaction, e);
                throw e;
            }
        }
    }

    private void rollback(TransactionStatus transaction, Throwable failure) {
        try {
            manager.rollback(transaction);
        } catch (RuntimeException | Error e) {
            failure.addSuppressed(e);
        }
    }

    private void tellDuplicate(ReceivedMessage message) {
        log.debug(
                "Message '{}' of topic '{}' was handled before by '{}' and is acked without a call",
                message.id(),
                message.topic(),
                listenerId);
        duplicate.run();
    }

    private record Recorded(TransactionStatus transaction, boolean isNew) {}
}
