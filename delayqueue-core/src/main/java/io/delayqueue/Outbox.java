package io.delayqueue;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Sends changes that another store recorded before, such as a journal in a database, whose relays may freeze, die or lose replies.
 * Redis applies each change once, however often it is sent: it remembers changes for {@link OutboxOptions#remembered()}, and refuses
 * those that come later than {@link OutboxOptions#sendTimeout()} allows. Only Redis' clock counts.
 *
 * <p>The order of the steps matters: ask for {@link #timeMicros()}, then read changes from your store and make sure that they are
 * yours for that time, then {@link #send}. Safe for use by several threads.
 */
public interface Outbox {

    /**
     * A time of Redis, in µs since the epoch, that is in the past when the future completes. It may serve several reads, but changes
     * that are sent more than {@link OutboxOptions#sendTimeout()} after it are {@link OutboxAnswer.Outcome#LATE}: ask for another time
     * then. Changes that may have been read before Redis lost data are late as well: those read after an older time, and always the first
     * ones sent to a partition of which Redis has nothing. On a Cluster, the clocks of servers must not be farther apart than
     * {@link OutboxOptions#remembered()} minus twice the send timeout.
     */
    CompletableFuture<Long> timeMicros();

    /**
     * Applies changes. Those of one id are applied in the order given, and one that fails holds up those behind it; changes of
     * different ids have no order.
     *
     * <p>A failure of Redis is the answer of each change that it concerns. The future itself fails with a
     * {@link ClientOverloadedException} only, if too many continuations of outboxes' futures block.
     *
     * @param operations the changes, of any topics; best at most 512
     * @param readAfterMicros an answer of this client's {@link #timeMicros()} that came before the changes were read
     */
    CompletableFuture<OutboxReply> send(List<OutboxOperation> operations, long readAfterMicros);

    /**
     * Forgets changes in the partitions that this client has sent to, so that an idle topic leaves nothing behind. The first call forgets
     * in those of all topics, for clients that were closed before. Changes are forgotten without this, too, as later ones come.
     *
     * @param allSentMicros an answer of {@link #timeMicros()} that came before your store was found without unsent changes.
     *     Those applied {@link OutboxOptions#remembered()} before it are forgotten
     */
    CompletableFuture<Void> forget(long allSentMicros);
}
