package io.delayqueue.internal.redis;

import static io.delayqueue.internal.store.MessageStore.LARGEST_BATCH;

import io.delayqueue.PendingMessage;
import io.delayqueue.PendingMessages;
import io.delayqueue.internal.store.MessageStore.IdStep;
import io.delayqueue.internal.store.Partition;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** The operations on the pending messages of a partition, and on the ids of all its messages. */
final class PendingMessageOperations {

    private final Keys keys;
    private final CommandSender sender;
    private final ScriptExecutor scripts;

    PendingMessageOperations(Keys keys, CommandSender sender, ScriptExecutor scripts) {
        this.keys = keys;
        this.sender = sender;
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

    CompletableFuture<Long> purge(Partition partition, List<String> ids) {
        Arguments arguments = new Arguments()
                .add(partition.count())
                .add(ids.size())
                .addNothing()
                .addAll(ids);
        return scripts.run(Script.PURGE_PENDING, partition, arguments, (Long count) -> count);
    }

    CompletableFuture<Long> purge(Partition partition, Instant dueUntil) {
        Arguments arguments =
                new Arguments().add(partition.count()).add(LARGEST_BATCH).add(Micros.of(dueUntil));
        return scripts.run(Script.PURGE_PENDING, partition, arguments, (Long count) -> count);
    }

    CompletableFuture<IdStep> listIds(Partition partition, String cursor, int about) {
        return scripts.run(
                Script.LIST_IDS,
                partition,
                new Arguments().add(partition.count()).add(cursor).add(about),
                (List<Object> reply) -> new IdStep(
                        Replies.texts(reply.subList(3, reply.size())),
                        Replies.text(reply.get(0)),
                        Replies.number(reply.get(1)),
                        Replies.text(reply.get(2))));
    }

    CompletableFuture<Set<String>> present(Partition partition, Collection<String> ids) {
        byte[] messages = keys.of(partition).messages();
        List<CompletableFuture<Set<String>>> found = ids.stream()
                .map(id -> sender.<Boolean, Set<String>>send(
                        "schedule",
                        partition.topic(),
                        messages,
                        commands -> commands.hexists(messages, id.getBytes(StandardCharsets.UTF_8)),
                        null,
                        there -> there ? Set.of(id) : Set.of()))
                .toList();
        return CompletableFuture.allOf(found.toArray(CompletableFuture[]::new)).thenApply(done -> {
            Set<String> together = new HashSet<>();
            found.forEach(id -> together.addAll(id.join()));
            return together;
        });
    }
}
