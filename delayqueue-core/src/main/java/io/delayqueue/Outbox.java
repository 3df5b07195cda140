package io.delayqueue;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Sends changes that another store recorded before, such as a journal in a database, whose relays may freeze, die or lose replies.
 * Redis applies each change once, however often it is sent: it remembers changes for {@link OutboxOptions#remembered()}, and refuses
 * those that come later than {@link OutboxOptions#claim()} allows. Only Redis' clock counts.
 *
 * <p>The order of the steps matters: ask for {@link #timeMicros()}, then read changes from your store and make sure that they are
 * yours for the time of the claim, then {@link #send}. Safe for use by several threads.
 */
public interface Outbox {

    /**
     * A time of Redis, in µs since the epoch, that is in the past when the future completes. It may be kept and used for any number
     * of reads after it, but what is sent more than {@link OutboxOptions#claim()} after it is {@link OutboxAnswer.Outcome#LATE}.
     */
    CompletableFuture<Long> timeMicros();

    /**
     * Applies changes. Those of one id are applied in the order given, and one that fails holds up those behind it; changes of
     * different ids have no order.
     *
     * <p>The future fails only if the client is closed. A failure of Redis is the answer of each change that it concerns.
     *
     * @param operations the changes, of any topics; best at most 512
     * @param readAfterMicros an answer of {@link #timeMicros()} that came before the changes were read
     */
    CompletableFuture<OutboxReply> send(List<OutboxOperation> operations, long readAfterMicros);

    /** The marks of a topic's partitions, in their order. */
    CompletableFuture<List<PartitionMark>> marks(String topic);
}
