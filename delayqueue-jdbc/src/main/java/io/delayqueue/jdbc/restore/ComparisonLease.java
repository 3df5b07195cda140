package io.delayqueue.jdbc.restore;

import io.delayqueue.jdbc.support.JournalLease;
import io.delayqueue.jdbc.support.JournalTransaction;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Lets one instance compare a topic in an interval, and keeps what the next comparison needs to know. */
final class ComparisonLease {

    /** A number of lost keys that says nothing of those that get lost from then on: Redis never has it. */
    static final long UNKNOWN = Long.MIN_VALUE;

    private static final Duration WITHOUT_INTERVAL = Duration.ofSeconds(15);

    private final JournalLease lease;
    private final JournalTransaction transaction;
    private final JdbcClient jdbc;
    private final String name;
    private final String table;

    ComparisonLease(RestoreContext context, String topic) {
        this.name = name(topic);
        this.lease = new JournalLease(context.database(), context.transaction(), name);
        this.transaction = context.transaction();
        this.jdbc = context.database().jdbc();
        this.table = context.database().tables().lease();
    }

    /** The lease's name. A topic's own may be no ASCII. */
    static String name(String topic) {
        return "compare:" + UUID.nameUUIDFromBytes(topic.getBytes(StandardCharsets.UTF_8));
    }

    /** Begins the interval; false if it is not over yet. */
    boolean tryHold(Duration interval) {
        return lease.tryHold(interval.isZero() ? WITHOUT_INTERVAL : interval);
    }

    /** Messages whose keys Redis knew to have lost at the last comparison, or at a refill since. */
    long lostKeys() {
        return transaction
                .execute(() -> jdbc.sql("SELECT state FROM " + table + " WHERE name = ? AND state IS NOT NULL")
                        .param(name)
                        .query(String.class)
                        .optional())
                .map(Long::parseLong)
                .orElse(0L);
    }

    /** Keeps that number of a refill, whether or not there was a comparison. */
    void note(long lostKeys) {
        lease.insert();
        keep(lostKeys);
    }

    /** Keeps that number, for as long as the row is there. */
    void keep(long lostKeys) {
        transaction.execute(() -> jdbc.sql("UPDATE " + table + " SET state = ? WHERE name = ?")
                .params(String.valueOf(lostKeys), name)
                .update());
    }

    /** Lets anybody compare the topic again. */
    void release() {
        transaction.execute(() -> jdbc.sql("UPDATE " + table + " SET owner = NULL, expires = 0 WHERE name = ?")
                .param(name)
                .update());
    }
}
