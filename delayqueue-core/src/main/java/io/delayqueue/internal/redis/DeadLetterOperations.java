package io.delayqueue.internal.redis;

import static io.delayqueue.internal.store.MessageStore.LARGEST_BATCH;
import static io.delayqueue.internal.store.MessageStore.LARGEST_BYTES;

import io.delayqueue.DeadLetter;
import io.delayqueue.internal.store.MessageStore.RedriveStep;
import io.delayqueue.internal.store.Partition;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The operations on the dead letters of a partition. */
final class DeadLetterOperations {

    private final ScriptExecutor scripts;
    private final WakeUpChannels channels;

    DeadLetterOperations(ScriptExecutor scripts, WakeUpChannels channels) {
        this.scripts = scripts;
        this.channels = channels;
    }

    CompletableFuture<List<DeadLetter>> list(Partition partition, int offset, int limit) {
        Arguments arguments =
                new Arguments().add(partition.count()).add(offset).add(limit).add(LARGEST_BYTES);
        return scripts.run(
                Script.DEAD_LETTERS,
                partition,
                arguments,
                (List<Object> reply) -> MessageReplies.deadLetters(reply, partition.topic()));
    }

    CompletableFuture<Long> redrive(Partition partition, List<String> ids) {
        Arguments arguments = new Arguments()
                .add(channels.publishArgument(partition))
                .add(partition.count())
                .add(ids.size())
                .addNothing()
                .addAll(ids);
        return scripts.run(Script.REDRIVE, partition, arguments, (List<Object> reply) -> Replies.number(reply.get(0)));
    }

    CompletableFuture<RedriveStep> redriveUntil(Partition partition, long untilMicros) {
        Arguments arguments = new Arguments()
                .add(channels.publishArgument(partition))
                .add(partition.count())
                .add(LARGEST_BATCH)
                .add(untilMicros);
        return scripts.run(
                Script.REDRIVE,
                partition,
                arguments,
                (List<Object> reply) -> new RedriveStep(Replies.number(reply.get(0)), Replies.number(reply.get(1))));
    }

    CompletableFuture<Long> purge(Partition partition, List<String> ids) {
        Arguments arguments = new Arguments()
                .add(partition.count())
                .add(ids.size())
                .addNothing()
                .addAll(ids);
        return scripts.run(Script.PURGE, partition, arguments, (Long count) -> count);
    }

    CompletableFuture<Long> purgeOlderThan(Partition partition, Duration age) {
        Arguments arguments =
                new Arguments().add(partition.count()).add(LARGEST_BATCH).add(age);
        return scripts.run(Script.PURGE, partition, arguments, (Long count) -> count);
    }
}
