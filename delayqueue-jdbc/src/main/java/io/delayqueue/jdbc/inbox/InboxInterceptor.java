package io.delayqueue.jdbc.inbox;

import io.delayqueue.Delivery;
import io.delayqueue.MessageHandler;
import io.delayqueue.ReceivedMessage;
import io.delayqueue.jdbc.dialect.Dialect;
import io.delayqueue.jdbc.support.Throttle;
import io.delayqueue.spring.listener.DelayQueueInterceptor;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;

/**
 * Records each message in the transaction that its handler works in, and does not call the handler for a message that is recorded.
 * A message that is not acked, by a failure or a request for another attempt, leaves no record.
 */
final class InboxInterceptor implements DelayQueueInterceptor {

    private static final Logger log = LoggerFactory.getLogger("io.delayqueue.jdbc");

    /** Conflicts end as soon as the other transaction does. */
    private static final int MOST_ATTEMPTS = 5;

    /** Longer than the wait for the other owner, so that slots and connections are free most of the time. */
    private static final Duration PAUSE = Duration.ofSeconds(10);

    private final Throttle heldLog = new Throttle(Duration.ofMinutes(1), System::nanoTime);
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
        Recorded recorded;
        try {
            recorded = record(message, delivery);
        } catch (HeldByAnotherException e) {
            delivery.postpone(PAUSE);
            tellHeld(message, e);
            return;
        }
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

    /**
     * Begins the transaction and records the message, again after a conflict: the handler has not been called yet.
     *
     * @throws HeldByAnotherException if another owner of the message does not end its transaction, as after its host was lost
     */
    private Recorded record(ReceivedMessage message, Delivery delivery) throws HeldByAnotherException {
        for (int attempt = 1; ; attempt++) {
            TransactionStatus transaction = manager.getTransaction(TransactionDefinition.withDefaults());
            boolean own = transaction.isNewTransaction();
            try {
                return new Recorded(transaction, table.insert(message));
            } catch (DataAccessException e) {
                rollback(transaction, e);
                boolean repeatable = dialect.isRepeatable(e);
                if (own && (e instanceof QueryTimeoutException || repeatable && attempt == MOST_ATTEMPTS)) {
                    throw new HeldByAnotherException(e);
                }
                if (!own || !repeatable || delivery.isLeaseLost()) {
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

    private void tellHeld(ReceivedMessage message, HeldByAnotherException held) {
        long more = heldLog.pass();
        if (more >= 0) {
            log.warn(
                    "Message '{}' of topic '{}' is postponed by {}, without an attempt: idempotent listener '{}' can't record it, as a"
                            + " transaction of an earlier delivery has not ended yet{}. The cause: {}",
                    message.id(),
                    message.topic(),
                    PAUSE,
                    listenerId,
                    more == 0 ? "" : " (and " + more + " others since the last such line)",
                    held.getMessage());
        }
    }

    /** Another owner of the message has recorded it, and neither commits nor rolls back. */
    private static final class HeldByAnotherException extends Exception {

        private static final long serialVersionUID = 1;

        HeldByAnotherException(DataAccessException cause) {
            super(cause.getMessage(), cause);
        }
    }

    private record Recorded(TransactionStatus transaction, boolean isNew) {}
}
