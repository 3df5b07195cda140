package io.delayqueue.internal.redis;

import io.delayqueue.OutboxOperation;
import io.delayqueue.PartitionMark;
import io.delayqueue.Survey.DueCorrection;
import io.delayqueue.internal.store.MessageStore;
import io.delayqueue.internal.store.OutboxBatch;
import io.delayqueue.internal.store.OutboxBatchAnswer;
import io.delayqueue.internal.store.OutboxStore;
import io.delayqueue.internal.store.Partition;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** The operations of an outbox. */
final class OutboxOperations implements OutboxStore {

    private final Keys keys;
    private final ScriptExecutor scripts;
    private final PartitionScripts replicatedScripts;
    private final WakeUpChannels channels;
    private final ToLongFunction<Partition> maxPending;
    private final AnyServersTime time;

    OutboxOperations(
            Keys keys,
            ScriptExecutor scripts,
            PartitionScripts replicatedScripts,
            WakeUpChannels channels,
            ToLongFunction<Partition> maxPending,
            AnyServersTime time) {
        this.keys = keys;
        this.scripts = scripts;
        this.replicatedScripts = replicatedScripts;
        this.channels = channels;
        this.maxPending = maxPending;
        this.time = time;
    }

    @Override
    public CompletableFuture<OutboxBatchAnswer> apply(Partition partition, OutboxBatch batch) {
        int count = batch.operations().size();
        return replicatedScripts.run(
                Script.OUTBOX,
                partition,
                OutboxRequest.of(
                        channels.publishArgument(partition), maxPending.applyAsLong(partition), partition, batch),
                (List<Object> reply) -> OutboxReplies.batch(reply, partition, count));
    }

    @Override
    public CompletableFuture<ForgetStep> forget(Partition partition, long beforeMicros) {
        return scripts.run(
                Script.FORGET_APPLIED,
                partition.topic(),
                new byte[][] {keys.of(partition).applied()},
                new Arguments().add(beforeMicros).add(LARGEST_FORGET_STEP),
                (List<Object> reply) -> new ForgetStep(Replies.number(reply.get(0)), Replies.number(reply.get(1))));
    }

    @Override
    public CompletableFuture<Long> time() {
        return time.ask();
    }

    @Override
    public CompletableFuture<PartitionMark> mark(Partition partition) {
        return epoch(partition, "-");
    }

    @Override
    public CompletableFuture<SurveyStep> survey(Partition partition, List<String> ids) {
        Arguments arguments = new Arguments()
                .add(partition.count())
                .add(MessageStore.LARGEST_BYTES)
                .addAll(ids);
        return scripts.run(Script.SURVEY, partition, arguments, (List<Object> reply) -> SurveyReplies.step(reply));
    }

    @Override
    public CompletableFuture<Long> drop(Partition partition, Map<String, String> generations) {
        Arguments arguments = new Arguments().add(partition.count());
        generations.forEach((id, generation) -> arguments.add(id).add(generation));
        return replicatedScripts.run(Script.DROP, partition, arguments, (Long count) -> count);
    }

    @Override
    public CompletableFuture<Long> correctDue(Partition partition, List<DueCorrection> corrections) {
        Arguments arguments = new Arguments().add(partition.count());
        corrections.forEach(each -> arguments
                .add(each.id())
                .add(each.generation())
                .add(each.foundMicros())
                .add(each.dueMicros()));
        return replicatedScripts.run(Script.CORRECT_DUE, partition, arguments, (Long count) -> count);
    }

    @Override
    public CompletableFuture<PartitionMark> beginEpoch(Partition partition, @Nullable String expected) {
        return epoch(partition, expected == null ? "" : expected);
    }

    private CompletableFuture<PartitionMark> epoch(Partition partition, String ended) {
        return scripts.run(
                Script.EPOCH,
                partition,
                new Arguments().add(ended).add(OutboxOperation.newToken()),
                (List<Object> reply) -> OutboxReplies.markWithFormer(partition, reply));
    }
}
