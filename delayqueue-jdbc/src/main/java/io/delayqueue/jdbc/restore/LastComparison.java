package io.delayqueue.jdbc.restore;

import io.delayqueue.jdbc.support.JournalLease;
import io.delayqueue.jdbc.support.JournalTransaction;
import io.delayqueue.jdbc.support.Micros;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;

/** When a topic was compared to the end, by whichever instance, and what the next comparison needs to know of it. */
final class LastComparison {

    /** A number of lost keys that says nothing of those that get lost from then on: Redis never has it. */
    static final long UNKNOWN = Long.MIN_VALUE;

    private final JournalLease lease;
    private final JournalTransaction transaction;
    private final JdbcClient jdbc;
    private final String name;
    private final String table;
    private final String left;

    LastComparison(RestoreContext context, String topic) {
        this.name = name(topic);
        this.lease = new JournalLease(context.database(), context.transaction(), name);
        this.transaction = context.transaction();
        this.jdbc = context.database().jdbc();
        this.table = context.database().tables().lease();
        this.left =
                "SELECT expires - " + context.database().dialect().nowMicros() + " FROM " + table + " WHERE name = ?";
    }

    /** The name of its row. A topic's own may be no ASCII. */
    static String name(String topic) {
        return "compare:" + UUID.nameUUIDFromBytes(topic.getBytes(StandardCharsets.UTF_8));
    }

    /** Whether it ended within the interval that is running. */
    boolean isRecent(Duration interval) {
        long micros = transaction
                .execute(() -> jdbc.sql(left).param(name).query(Long.class).optional())
                .orElse(0L);
        // one that is longer was noted when the interval was, or when the database's clock was ahead
        return micros > 0 && micros <= Micros.of(interval);
    }

    /** It ends now. */
    void end(Duration interval) {
        if (!interval.isZero()) {
            // whose clock is slower than the database's must not find it recent when its own interval is over
            lease.tryHold(interval.multipliedBy(9).dividedBy(10));
        }
    }

    /** Messages whose keys Redis knew to have lost at that time, or at a refill since. */
    long lostKeys() {
        return transaction
                .execute(() -> jdbc.sql("SELECT state FROM " + table + " WHERE name = ? AND state IS NOT NULL")
                        .param(name)
                        .query(String.class)
                        .optional())
                .map(Long::parseLong)
                .orElse(0L);
    }

    /** Keeps that number, whether or not there was a comparison. */
    void note(long lostKeys) {
        lease.insert();
        transaction.execute(() -> jdbc.sql("UPDATE " + table + " SET state = ? WHERE name = ?")
                .params(String.valueOf(lostKeys), name)
                .update());
    }
}
