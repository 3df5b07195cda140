package io.delayqueue;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Sends changes that another store recorded before, each at most once however often it is sent: a journal in a database, whose
 * relays may freeze, die or lose replies. Redis remembers each change that it applied for a while, and refuses calls that arrive
 * after their deadline. Safe for use by several threads.
 */
public interface Outbox {

    /**
     * A time of Redis, in µs since the epoch, that is in the past when the future completes. Ask for it before you read changes from
     * your store: they may be sent until this time plus the time for which a reader owns them.
     */
    CompletableFuture<Long> timeMicros();

    /**
     * Applies changes in the order given for each id; those of different ids have no order.
     *
     * @param operations the changes, at most 512
     * @param deadlineMicros nothing is applied after this time by Redis' clock
     * @return what became of each change, in their order
     */
    CompletableFuture<List<OutboxAnswer>> send(List<OutboxOperation> operations, long deadlineMicros);
}
