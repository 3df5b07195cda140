package io.delayqueue.internal.redis;

import io.delayqueue.PendingMessage;
import io.delayqueue.PendingMessages;
import io.delayqueue.internal.store.MessageStore;
import io.delayqueue.internal.store.Partition;
import io.delayqueue.internal.store.PendingMessageStore;
import io.delayqueue.internal.store.Selection;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** The operations on the pending messages of a partition. */
final class PendingMessageOperations implements PendingMessageStore {

    private final ScriptExecutor scripts;

    PendingMessageOperations(ScriptExecutor scripts) {
        this.scripts = scripts;
    }

    @Override
    public CompletableFuture<List<PendingMessage>> list(
            Partition partition, PendingMessages.Position after, int limit) {
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

    @Override
    public CompletableFuture<List<Long>> count(Partition partition, List<Instant> bounds) {
        return scripts.run(
                Script.COUNT_BY_TIME, partition, Requests.counts(partition, false, bounds), Replies::numbers);
    }

    @Override
    public CompletableFuture<List<String>> purge(Partition partition, Selection selection) {
        Arguments arguments = new Arguments()
                .add(partition.count())
                .add(selection.limit())
                .add(Micros.text(selection.until()))
                .add(0)
                .addAll(selection.ids());
        return purge(partition, arguments).thenApply(PurgeStep::ids);
    }

    @Override
    public CompletableFuture<PurgeStep> purge(Partition partition, Instant until, Map<String, String> generations) {
        Arguments arguments = new Arguments()
                .add(partition.count())
                .add(generations.size())
                .add(Micros.text(until))
                .add(MessageStore.LARGEST_BYTES);
        generations.forEach((id, generation) -> arguments.add(id).add(generation));
        return purge(partition, arguments);
    }

    private CompletableFuture<PurgeStep> purge(Partition partition, Arguments arguments) {
        return scripts.run(Script.PURGE_PENDING, partition, arguments, (List<Object> reply) -> {
            scripts.notifyMark(partition, reply);
            List<Object> purged = Replies.list(reply.get(0));
            return new PurgeStep((int) Replies.number(purged.get(0)), Replies.ids(purged.subList(1, purged.size())));
        });
    }
}
