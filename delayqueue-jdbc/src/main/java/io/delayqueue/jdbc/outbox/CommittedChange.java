package io.delayqueue.jdbc.outbox;

import io.delayqueue.OutboxAnswer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A change that was written to the outbox.
 *
 * @param key the row
 * @param token token of the change in that row
 * @param answer to be completed, off the transaction's thread, with Redis' answer; empty if it is not known yet, since the change was
 *     left to a relay. Never fails. Dependents don't block
 */
public record CommittedChange(MessageId key, String token, CompletableFuture<Optional<OutboxAnswer>> answer) {

    /** A change without an answer yet. */
    public CommittedChange(MessageId key, String token) {
        this(key, token, new CompletableFuture<>());
    }
}
