package io.delayqueue.internal.redis;

import io.delayqueue.CancelOutcome;
import io.delayqueue.DeadLetter;
import io.delayqueue.Delay;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.MessageInfo;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.ServerReport;
import io.delayqueue.WakeUp;
import io.delayqueue.internal.store.CallId;
import io.delayqueue.internal.store.ClaimAnswer;
import io.delayqueue.internal.store.ClaimRequest;
import io.delayqueue.internal.store.Extension;
import io.delayqueue.internal.store.Lease;
import io.delayqueue.internal.store.MessageStore;
import io.delayqueue.internal.store.OrphanScanStep;
import io.delayqueue.internal.store.Partition;
import io.delayqueue.internal.store.PartitionStats;
import io.delayqueue.internal.store.Partitioning;
import io.delayqueue.internal.store.Release;
import io.delayqueue.internal.store.RescheduleAnswer;
import io.delayqueue.internal.store.Retry;
import io.delayqueue.internal.store.ScheduleAnswer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.cluster.RedisClusterClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Keeps messages in Redis: each operation is one script, whose header tells what goes in and comes out. */
public final class RedisMessageStore implements MessageStore {

    private static final List<String> TURNS = List.of("claim:", "ack:", "retry:", "extend:");

    private static final byte[] NOTHING = {};

    /** Their bodies are read as well, and may be large. */
    private static final int SCANNED_AT_ONCE = 32;

    private final DelayQueueOptions options;
    private final Keys keys;
    private final Connections connections;
    private final CommandSender sender;
    private final ScriptExecutor scripts;
    private final PartitionScripts replicatedScripts;

    private RedisMessageStore(DelayQueueOptions options, Topology topology) {
        this.options = options;
        this.keys = new Keys(options.keyPrefix());
        this.connections = new Connections(topology, keys, options);
        this.sender = connections.sender();
        this.scripts = new ScriptExecutor(sender, keys, options.observer());
        PartitionScripts replicated = connections.replicatedScripts();
        this.replicatedScripts = replicated == null ? scripts : replicated;
    }

    /** A store over the caller's client, which stays open when the store is closed. Sends nothing yet. */
    public static RedisMessageStore over(RedisClient client, DelayQueueOptions options) {
        return new RedisMessageStore(options, new Standalone(client));
    }

    /** As {@link #over(RedisClient, DelayQueueOptions)}, over a Cluster. */
    public static RedisMessageStore over(RedisClusterClient client, DelayQueueOptions options) {
        return new RedisMessageStore(options, new Cluster(client));
    }

    @Override
    public CompletableFuture<Void> register(String topic) {
        byte[] name = topic.getBytes(StandardCharsets.UTF_8);
        return sender.send(
                "register", topic, keys.topics(), commands -> commands.sadd(keys.topics(), name), null, added -> null);
    }

    @Override
    public CompletableFuture<ScheduleAnswer> schedule(Partition partition, List<OutgoingMessage> messages) {
        Arguments arguments =
                Requests.schedule(channel(partition), mostPending(partition), partition.count(), messages);
        return replicatedScripts.run(
                Script.SCHEDULE,
                partition,
                arguments,
                (List<Object> reply) -> Replies.schedule(reply, messages.size()));
    }

    @Override
    public CompletableFuture<ClaimAnswer> claim(Partition partition, ClaimRequest request) {
        return scripts.run(
                Script.CLAIM,
                partition,
                Requests.claim(request),
                (List<Object> reply) -> MessageReplies.claim(reply, partition.topic(), request.maxAttempts()));
    }

    @Override
    public CompletableFuture<OrphanScanStep> scanOrphans(Partition partition, String cursor) {
        return scripts.run(
                Script.ORPHAN_SCAN,
                partition,
                new Arguments().add(cursor).add(SCANNED_AT_ONCE),
                (List<Object> reply) -> MessageReplies.orphanScan(reply));
    }

    @Override
    public CompletableFuture<Long> time(Partition partition) {
        return scripts.run(Script.TIME, partition, new Arguments(), (Long micros) -> micros);
    }

    @Override
    public CompletableFuture<List<Boolean>> ack(Partition partition, CallId callId, List<Lease> leases) {
        return scripts.run(
                Script.ACK,
                partition,
                Requests.ack(callId, leases),
                (byte[] reply) -> Replies.done(reply, leases.size()));
    }

    @Override
    public CompletableFuture<List<Boolean>> retry(Partition partition, CallId callId, List<Retry> retries) {
        Arguments arguments = Requests.retry(callId, channel(partition), retries);
        return scripts.run(
                Script.RETRY,
                partition,
                arguments,
                (List<Object> reply) -> Replies.done((byte[]) reply.get(0), retries.size()));
    }

    @Override
    public CompletableFuture<List<Long>> extend(Partition partition, CallId callId, List<Extension> extensions) {
        return scripts.run(
                Script.EXTEND,
                partition,
                Requests.extend(callId, extensions),
                (List<Object> reply) -> Replies.receipts(reply, extensions));
    }

    @Override
    public CompletableFuture<List<Boolean>> release(Partition partition, List<Release> releases) {
        Arguments arguments = Requests.release(channel(partition), releases);
        return scripts.run(
                Script.RELEASE, partition, arguments, (byte[] reply) -> Replies.done(reply, releases.size()));
    }

    @Override
    public CompletableFuture<Void> forgetConsumer(Partition partition, String consumer) {
        byte[][] fields = TURNS.stream()
                .map(kind -> (kind + consumer).getBytes(StandardCharsets.UTF_8))
                .toArray(byte[][]::new);
        byte[] meta = keys.of(partition).meta();
        return sender.send(
                "forget", partition.topic(), meta, commands -> commands.hdel(meta, fields), null, count -> null);
    }

    @Override
    public CompletableFuture<List<CancelOutcome>> cancel(Partition partition, List<String> ids) {
        Arguments arguments = new Arguments().add(partition.count()).addAll(ids);
        return scripts.run(Script.CANCEL, partition, arguments, (byte[] reply) -> Replies.cancel(reply, ids.size()));
    }

    @Override
    public CompletableFuture<RescheduleAnswer> reschedule(Partition partition, List<String> ids, Delay delay) {
        Arguments arguments = new Arguments()
                .add(channel(partition))
                .add(partition.count())
                .add(Micros.due(delay))
                .addAll(ids);
        return scripts.run(
                Script.RESCHEDULE, partition, arguments, (List<Object> reply) -> Replies.reschedule(reply, ids.size()));
    }

    @Override
    public CompletableFuture<Optional<MessageInfo>> find(Partition partition, String id) {
        return scripts.run(
                Script.FIND,
                partition,
                new Arguments().add(partition.count()).add(id),
                (List<Object> reply) -> MessageReplies.find(reply, partition.topic(), id));
    }

    @Override
    public CompletableFuture<Map<Partition, PartitionStats>> stats(Collection<Partition> partitions) {
        List<Partition> all = List.copyOf(partitions);
        if (!connections.topology().isSharded()) {
            return statsOf(all);
        }
        List<CompletableFuture<Map<Partition, PartitionStats>>> parts =
                all.stream().map(partition -> statsOf(List.of(partition))).toList();
        return CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new)).thenApply(done -> {
            Map<Partition, PartitionStats> together = new LinkedHashMap<>();
            parts.forEach(part -> together.putAll(part.join()));
            return together;
        });
    }

    private CompletableFuture<Map<Partition, PartitionStats>> statsOf(List<Partition> partitions) {
        return partitions.isEmpty()
                ? CompletableFuture.completedFuture(Map.of())
                : scripts.runOnAll(Script.STATS, partitions, (List<Object> reply) -> Replies.stats(reply, partitions));
    }

    @Override
    public CompletableFuture<Set<String>> present(Partition partition, Collection<String> ids) {
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

    @Override
    public CompletableFuture<Partitioning> partitions(String topic) {
        return partitions(Partition.only(topic), 0, false);
    }

    @Override
    public CompletableFuture<Partitioning> increasePartitions(Partition partition, boolean paused) {
        return partitions(partition, partition.count(), paused);
    }

    private CompletableFuture<Partitioning> partitions(Partition partition, int partitions, boolean paused) {
        Arguments arguments =
                new Arguments().add(partitions).add(paused ? 1 : 0).add(channel(partition));
        return scripts.run(
                Script.PARTITIONS,
                partition,
                arguments,
                (List<Object> reply) -> Replies.partitions(reply, partition.topic()));
    }

    @Override
    public CompletableFuture<Set<String>> topics() {
        return sender.send("topics", null, keys.topics(), commands -> commands.smembers(keys.topics()), null, names -> {
            Set<String> sorted = new TreeSet<>();
            names.forEach(name -> sorted.add(Replies.text(name)));
            return sorted;
        });
    }

    @Override
    public CompletableFuture<Void> setPaused(Partition partition, boolean paused) {
        byte[] meta = keys.of(partition).meta();
        byte[] field = "paused".getBytes(StandardCharsets.UTF_8);
        if (paused) {
            byte[] yes = {'1'};
            return sender.send(
                    "pause", partition.topic(), meta, commands -> commands.hset(meta, field, yes), null, added -> null);
        }
        return sender.<Long, Void>send(
                        "resume", partition.topic(), meta, commands -> commands.hdel(meta, field), null, gone -> null)
                .thenCompose(nothing -> wakeAll(partition));
    }

    /** A denied PUBLISH costs lateness only, as it does in the scripts. */
    private CompletableFuture<Void> wakeAll(Partition partition) {
        if (options.wakeUp() == WakeUp.POLL) {
            return CompletableFuture.completedFuture(null);
        }
        byte[] channel = keys.of(partition).channel();
        byte[] now = {'0'};
        return sender.<Long, Void>send(
                        "resume",
                        partition.topic(),
                        channel,
                        commands -> connections.topology().hasShardChannels()
                                ? commands.spublish(channel, now)
                                : commands.publish(channel, now),
                        null,
                        heard -> null)
                .exceptionally(error -> null);
    }

    @Override
    public CompletableFuture<List<DeadLetter>> deadLetters(Partition partition, int offset, int limit) {
        Arguments arguments =
                new Arguments().add(partition.count()).add(offset).add(limit).add(LARGEST_BYTES);
        return scripts.run(
                Script.DEAD_LETTERS,
                partition,
                arguments,
                (List<Object> reply) -> MessageReplies.deadLetters(reply, partition.topic()));
    }

    @Override
    public CompletableFuture<Long> redrive(Partition partition, List<String> ids) {
        Arguments arguments = new Arguments()
                .add(channel(partition))
                .add(partition.count())
                .add(ids.size())
                .addNothing()
                .addAll(ids);
        return scripts.run(Script.REDRIVE, partition, arguments, (List<Object> reply) -> Replies.number(reply.get(0)));
    }

    @Override
    public CompletableFuture<RedriveStep> redriveUntil(Partition partition, long untilMicros) {
        Arguments arguments = new Arguments()
                .add(channel(partition))
                .add(partition.count())
                .add(LARGEST_BATCH)
                .add(untilMicros);
        return scripts.run(
                Script.REDRIVE,
                partition,
                arguments,
                (List<Object> reply) -> new RedriveStep(Replies.number(reply.get(0)), Replies.number(reply.get(1))));
    }

    @Override
    public CompletableFuture<Long> purge(Partition partition, List<String> ids) {
        Arguments arguments = new Arguments()
                .add(partition.count())
                .add(ids.size())
                .addNothing()
                .addAll(ids);
        return scripts.run(Script.PURGE, partition, arguments, (Long count) -> count);
    }

    @Override
    public CompletableFuture<Long> purgeOlderThan(Partition partition, Duration age) {
        Arguments arguments =
                new Arguments().add(partition.count()).add(LARGEST_BATCH).add(age);
        return scripts.run(Script.PURGE, partition, arguments, (Long count) -> count);
    }

    @Override
    public CompletableFuture<List<ServerReport>> inspect() {
        return connections.topology() instanceof Cluster cluster
                ? new ClusterInspection(cluster, connections, keys, options).run()
                : new ServerInspection(
                                sender, scripts, keys, keys.probeKeys(), ServerInspection.Features.of(connections))
                        .run("")
                        .thenApply(List::of);
    }

    @Override
    public AutoCloseable listen(Partition partition, WakeUpListener listener) {
        WakeUps wakeUps = connections.wakeUps();
        return wakeUps == null ? () -> {} : wakeUps.listen(keys.of(partition).channel(), listener);
    }

    @Override
    public void close() {
        connections.close();
    }

    /**
     * What the scripts publish wake-ups with: command and channel; empty for none. Which command there is, a connection has to
     * tell first.
     */
    private Supplier<byte[]> channel(Partition partition) {
        if (options.wakeUp() == WakeUp.POLL) {
            return () -> NOTHING;
        }
        Keys.OfPartition of = keys.of(partition);
        return () -> connections.topology().hasShardChannels() ? of.shardPublish() : of.publish();
    }

    /** Each partition takes its share. */
    private long mostPending(Partition partition) {
        long most = options.topic(partition.topic()).maxPending();
        return (most + partition.count() - 1) / partition.count();
    }
}
