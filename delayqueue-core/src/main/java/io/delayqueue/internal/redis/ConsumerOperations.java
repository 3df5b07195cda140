package io.delayqueue.internal.redis;

import io.delayqueue.internal.store.CallId;
import io.delayqueue.internal.store.ClaimAnswer;
import io.delayqueue.internal.store.ClaimRequest;
import io.delayqueue.internal.store.Extension;
import io.delayqueue.internal.store.Lease;
import io.delayqueue.internal.store.OrphanScanStep;
import io.delayqueue.internal.store.Partition;
import io.delayqueue.internal.store.Release;
import io.delayqueue.internal.store.Retry;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The operations of consumers: claims, acks, retries, extensions, releases and orphan scans. */
final class ConsumerOperations {

    /** Kinds of calls that a consumer has recorded in meta, see {@code include/recorded_call.lua}. */
    private static final List<String> RECORDED_CALLS = List.of("claim:", "ack:", "retry:", "extend:");

    /** Messages that one step of an orphan scan looks at: few, as it reads their bodies, which may be large. */
    private static final int SCANNED_AT_ONCE = 32;

    private final Keys keys;
    private final CommandSender sender;
    private final ScriptExecutor scripts;
    private final WakeUpChannels channels;

    ConsumerOperations(Keys keys, CommandSender sender, ScriptExecutor scripts, WakeUpChannels channels) {
        this.keys = keys;
        this.sender = sender;
        this.scripts = scripts;
        this.channels = channels;
    }

    CompletableFuture<ClaimAnswer> claim(Partition partition, ClaimRequest request) {
        return claim(scripts, partition, request);
    }

    /** A claim that is sent over this connection only. */
    CompletableFuture<ClaimAnswer> claim(Partition partition, ClaimRequest request, long connection) {
        return claim(scripts.bound(connection), partition, request);
    }

    private CompletableFuture<ClaimAnswer> claim(PartitionScripts scripts, Partition partition, ClaimRequest request) {
        return scripts.run(
                Script.CLAIM,
                partition,
                Requests.claim(channels.publishArgument(partition), request),
                (List<Object> reply) -> MessageReplies.claim(reply, partition.topic(), request.maxAttempts()));
    }

    CompletableFuture<OrphanScanStep> scanOrphans(Partition partition, String cursor) {
        return scripts.run(
                Script.ORPHAN_SCAN,
                partition,
                new Arguments().add(cursor).add(SCANNED_AT_ONCE),
                (List<Object> reply) -> MessageReplies.orphanScan(reply));
    }

    CompletableFuture<Long> time(Partition partition) {
        return scripts.run(Script.TIME, partition, new Arguments(), (Long micros) -> micros);
    }

    CompletableFuture<List<Boolean>> ack(Partition partition, CallId callId, List<Lease> leases) {
        return scripts.run(Script.ACK, partition, Requests.ack(callId, leases), (List<Object> reply) -> {
            scripts.notifyMark(partition, reply);
            return Replies.done((byte[]) reply.get(0), leases.size());
        });
    }

    CompletableFuture<List<Boolean>> retry(Partition partition, CallId callId, List<Retry> retries) {
        Arguments arguments = Requests.retry(callId, channels.publishArgument(partition), retries);
        return scripts.run(
                Script.RETRY,
                partition,
                arguments,
                (List<Object> reply) -> Replies.done((byte[]) reply.get(0), retries.size()));
    }

    CompletableFuture<List<Long>> extend(Partition partition, CallId callId, List<Extension> extensions) {
        return scripts.run(
                Script.EXTEND,
                partition,
                Requests.extend(callId, channels.publishArgument(partition), extensions),
                (List<Object> reply) -> Replies.receipts(reply, extensions));
    }

    CompletableFuture<List<Boolean>> release(Partition partition, List<Release> releases) {
        Arguments arguments = Requests.release(channels.publishArgument(partition), releases);
        return scripts.run(
                Script.RELEASE, partition, arguments, (byte[] reply) -> Replies.done(reply, releases.size()));
    }

    CompletableFuture<Void> forgetConsumer(Partition partition, String consumer) {
        byte[][] fields = RECORDED_CALLS.stream()
                .map(kind -> (kind + consumer).getBytes(StandardCharsets.UTF_8))
                .toArray(byte[][]::new);
        byte[] meta = keys.of(partition).meta();
        return sender.send(
                "forget", partition.topic(), meta, commands -> commands.hdel(meta, fields), null, count -> null);
    }
}
