package io.delayqueue.internal.redis;

import static io.delayqueue.internal.store.MessageStore.LARGEST_BATCH;
import static io.delayqueue.internal.store.MessageStore.LARGEST_BYTES;

import io.delayqueue.DeadLetter;
import io.delayqueue.internal.store.DeadLetterStore;
import io.delayqueue.internal.store.Partition;
import io.delayqueue.internal.store.Selection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The operations on the dead letters of a partition. */
final class DeadLetterOperations implements DeadLetterStore {

    private final ScriptExecutor scripts;
    private final WakeUpChannels channels;

    DeadLetterOperations(ScriptExecutor scripts, WakeUpChannels channels) {
        this.scripts = scripts;
        this.channels = channels;
    }

    @Override
    public CompletableFuture<List<DeadLetter>> list(Partition partition, int offset, int limit) {
        Arguments arguments =
                new Arguments().add(partition.count()).add(offset).add(limit).add(LARGEST_BYTES);
        return scripts.run(
                Script.DEAD_LETTERS,
                partition,
                arguments,
                (List<Object> reply) ->
                        MessageReplies.deadLetters(reply, partition.topic()).letters());
    }

    @Override
    public CompletableFuture<List<DeadLetterKey>> keys(Partition partition, int offset, int limit) {
        Arguments arguments =
                new Arguments().add(partition.count()).add(offset).add(limit).add(0);
        return scripts.run(Script.DEAD_LETTERS, partition, arguments, MessageReplies::deadLetterKeys);
    }

    @Override
    public CompletableFuture<DeadLetterStep> list(Partition partition, List<String> ids) {
        Arguments arguments = new Arguments()
                .add(partition.count())
                .addNothing()
                .addNothing()
                .add(LARGEST_BYTES)
                .addAll(ids);
        return scripts.run(
                Script.DEAD_LETTERS,
                partition,
                arguments,
                (List<Object> reply) -> MessageReplies.deadLetters(reply, partition.topic()));
    }

    @Override
    public CompletableFuture<List<Long>> count(Partition partition, List<Instant> bounds) {
        return scripts.run(Script.COUNT_BY_TIME, partition, Requests.counts(partition, true, bounds), Replies::numbers);
    }

    @Override
    public CompletableFuture<RedriveStep> redrive(Partition partition, Selection selection, RedriveTimes times) {
        return redrive(
                partition,
                redriving(partition, selection.limit(), times, Micros.text(selection.until()))
                        .addAll(selection.ids()));
    }

    @Override
    public CompletableFuture<RedriveStep> redriveUntil(Partition partition, long untilMicros, RedriveTimes times) {
        return redrive(partition, redriving(partition, LARGEST_BATCH, times, Long.toString(untilMicros)));
    }

    private Arguments redriving(Partition partition, int most, RedriveTimes times, String untilMicros) {
        return new Arguments()
                .add(channels.publishArgument(partition))
                .add(partition.count())
                .add(most)
                .add(untilMicros)
                .add(Micros.due(times.first()))
                .add(Double.toString(times.microsBetween()));
    }

    private CompletableFuture<RedriveStep> redrive(Partition partition, Arguments arguments) {
        return scripts.run(
                Script.REDRIVE,
                partition,
                arguments,
                (List<Object> reply) ->
                        new RedriveStep(Replies.ids(reply.subList(1, reply.size())), Replies.number(reply.get(0))));
    }

    @Override
    public CompletableFuture<List<String>> purge(Partition partition, Selection selection) {
        Arguments arguments = new Arguments()
                .add(partition.count())
                .add(selection.limit())
                .addNothing()
                .add(0)
                .add(Micros.text(selection.until()))
                .addAll(selection.ids());
        return purge(partition, arguments);
    }

    @Override
    public CompletableFuture<List<String>> purgeOlderThan(Partition partition, Duration age) {
        Arguments arguments = new Arguments()
                .add(partition.count())
                .add(LARGEST_BATCH)
                .add(age)
                .add(0);
        return purge(partition, arguments);
    }

    @Override
    public CompletableFuture<List<String>> purgeByRetention(Partition partition, Duration retention) {
        Arguments arguments =
                new Arguments().addNothing().add(LARGEST_BATCH).add(retention).add(1);
        return purge(partition, arguments);
    }

    private CompletableFuture<List<String>> purge(Partition partition, Arguments arguments) {
        return scripts.run(Script.PURGE, partition, arguments, (List<Object> reply) -> {
            scripts.notifyMark(partition, reply);
            return Replies.texts(reply.get(0));
        });
    }
}
