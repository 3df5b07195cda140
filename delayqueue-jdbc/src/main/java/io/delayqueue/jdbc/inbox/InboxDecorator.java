package io.delayqueue.jdbc.inbox;

import io.delayqueue.jdbc.support.JournalDatabase;
import io.delayqueue.spring.listener.DelayQueueInterceptor;
import io.delayqueue.spring.listener.DelayQueueListenerEndpoint;
import io.delayqueue.spring.listener.InvalidListenerException;
import io.delayqueue.spring.listener.ListenerDecorator;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps idempotent listeners from handling a message twice: the journal records the messages that they handled. */
public final class InboxDecorator implements ListenerDecorator {

    private static final Logger log = LoggerFactory.getLogger("io.delayqueue.jdbc");

    /** Width of the column in all databases. */
    private static final int LONGEST_ID = 255;

    private final JournalDatabase database;
    private final InboxTransactions transactions;
    private final Duration retention;
    private final Duration retentionOfDead;
    private final Function<String, Duration> deadLetterRetention;
    private final LongAdder duplicates = new LongAdder();
    private final Set<String> idempotent = ConcurrentHashMap.newKeySet();

    /**
     * A decorator that records messages in this database.
     *
     * @param transactions the transactions that handlers work in
     * @param retention time for which the journal remembers handled messages
     * @param retentionOfDead time for which the journal remembers dead letters, which may be restored
     * @param deadLetterRetention time for which dead letters of a topic may be redriven
     */
    public InboxDecorator(
            JournalDatabase database,
            InboxTransactions transactions,
            Duration retention,
            Duration retentionOfDead,
            Function<String, Duration> deadLetterRetention) {
        this.database = database;
        this.transactions = transactions;
        this.retention = retention;
        this.retentionOfDead = retentionOfDead;
        this.deadLetterRetention = deadLetterRetention;
    }

    @Override
    public boolean supportsIdempotent() {
        return true;
    }

    /** Number of deliveries that were acked without a call of their listener, since the start. */
    public long duplicates() {
        return duplicates.sum();
    }

    /** Whether a listener records its messages here. */
    boolean isIdempotent(String listener) {
        return idempotent.contains(listener);
    }

    @Override
    public Optional<DelayQueueInterceptor> interceptorFor(DelayQueueListenerEndpoint endpoint) {
        if (!endpoint.idempotent()) {
            return Optional.empty();
        }
        int length = endpoint.id().length();
        if (length > LONGEST_ID) {
            throw new InvalidListenerException(
                    endpoint,
                    "id",
                    "has " + length + " characters, but the journal records at most " + LONGEST_ID
                            + " of an idempotent listener",
                    null);
        }
        warnOfShortRetention(endpoint);
        idempotent.add(endpoint.id());
        return Optional.of(new InboxInterceptor(
                new InboxTable(database, endpoint.id()),
                database.dialect(),
                transactions.managerFor(endpoint),
                duplicates::increment,
                endpoint.id()));
    }

    private void warnOfShortRetention(DelayQueueListenerEndpoint endpoint) {
        Duration ofDeadLetters = deadLetterRetention.apply(endpoint.topic());
        if (retention.compareTo(ofDeadLetters) <= 0) {
            log.warn(
                    "delayqueue.journal.retention.inbox ({}) is not longer than the dead-letter retention of topic '{}' ({}): idempotent"
                            + " listener '{}' may handle a message twice if it is redriven later",
                    retention,
                    endpoint.topic(),
                    ofDeadLetters,
                    endpoint.id());
        }
        if (retention.compareTo(retentionOfDead) <= 0) {
            log.warn(
                    "delayqueue.journal.retention.inbox ({}) is not longer than delayqueue.journal.retention.dead ({}): idempotent listener"
                            + " '{}' may handle a dead letter twice if it is restored later",
                    retention,
                    retentionOfDead,
                    endpoint.id());
        }
    }
}
