package io.delayqueue.internal.redis;

import io.delayqueue.PendingMessage;
import io.delayqueue.PendingMessages;
import io.delayqueue.internal.store.Partition;
import io.delayqueue.internal.store.Selection;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The operations on the pending messages of a partition. */
final class PendingMessageOperations {

    private final ScriptExecutor scripts;

    PendingMessageOperations(ScriptExecutor scripts) {
        this.scripts = scripts;
    }

    CompletableFuture<List<PendingMessage>> list(Partition partition, PendingMessages.Position after, int limit) {
        Arguments arguments = new Arguments()
                .add(partition.count())
                .add(limit)
                .add(Micros.roundedUpToScore(Micros.of(after.due())))
                .add(after.id());
        return scripts.run(
                Script.PENDING,
                partition,
                arguments,
                (List<Object> reply) -> MessageReplies.pending(reply, partition.topic()));
    }

    CompletableFuture<List<Long>> count(Partition partition, List<Instant> bounds) {
        return scripts.run(
                Script.COUNT_BY_TIME, partition, Requests.counts(partition, false, bounds), Replies::numbers);
    }

    CompletableFuture<List<String>> purge(Partition partition, Selection selection) {
        Arguments arguments = new Arguments()
                .add(partition.count())
                .add(selection.limit())
                .add(Micros.text(selection.until()))
                .addAll(selection.ids());
        return scripts.run(Script.PURGE_PENDING, partition, arguments, (List<Object> reply) -> {
            scripts.tellMark(partition, reply);
            return Replies.texts(reply.get(0));
        });
    }
}
