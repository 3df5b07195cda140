package io.delayqueue.internal.redis;

import static io.delayqueue.internal.store.MessageStore.LARGEST_BATCH;

import io.delayqueue.PendingMessage;
import io.delayqueue.PendingMessages;
import io.delayqueue.internal.store.Partition;
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

    CompletableFuture<List<String>> purge(Partition partition, List<String> ids) {
        Arguments arguments = new Arguments()
                .add(partition.count())
                .add(ids.size())
                .addNothing()
                .addAll(ids);
        return purge(partition, arguments);
    }

    CompletableFuture<List<String>> purge(Partition partition, Instant dueUntil) {
        Arguments arguments =
                new Arguments().add(partition.count()).add(LARGEST_BATCH).add(Micros.of(dueUntil));
        return purge(partition, arguments);
    }

    private CompletableFuture<List<String>> purge(Partition partition, Arguments arguments) {
        return scripts.run(Script.PURGE_PENDING, partition, arguments, (List<Object> reply) -> {
            scripts.tellMark(partition, reply);
            return Replies.texts(reply.get(0));
        });
    }
}
