package io.delayqueue.internal.redis;

import io.delayqueue.CancelOutcome;
import io.delayqueue.Delay;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.InFlightMessages;
import io.delayqueue.MessageInfo;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.ServerReport;
import io.delayqueue.WakeUp;
import io.delayqueue.internal.store.CallId;
import io.delayqueue.internal.store.ClaimAnswer;
import io.delayqueue.internal.store.ClaimRequest;
import io.delayqueue.internal.store.DeadLetterStore;
import io.delayqueue.internal.store.Extension;
import io.delayqueue.internal.store.Lease;
import io.delayqueue.internal.store.MessageStore;
import io.delayqueue.internal.store.OrphanScanStep;
import io.delayqueue.internal.store.OutboxStore;
import io.delayqueue.internal.store.Partition;
import io.delayqueue.internal.store.PartitionStats;
import io.delayqueue.internal.store.Partitioning;
import io.delayqueue.internal.store.PendingMessageStore;
import io.delayqueue.internal.store.Release;
import io.delayqueue.internal.store.RescheduleAnswer;
import io.delayqueue.internal.store.Retry;
import io.delayqueue.internal.store.ScheduleAnswer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.cluster.RedisClusterClient;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Keeps messages in Redis. Most operations are one call of a script, whose header says what goes in and comes out; some on topics
 * and servers are plain commands, or several calls. This class has the operations of clients that schedule; those of consumers and
 * operators have classes of their own.
 */
public final class RedisMessageStore implements MessageStore {

    private final DelayQueueOptions options;
    private final Keys keys;
    private final Connections connections;
    private final CommandSender sender;
    private final ScriptExecutor scripts;
    private final PartitionScripts replicatedScripts;
    private final WakeUpChannels channels;
    private final ConsumerOperations consumers;
    private final TopicOperations topics;
    private final DeadLetterStore deadLetters;
    private final PendingMessageStore pendingMessages;
    private final OutboxStore outbox;

    private RedisMessageStore(DelayQueueOptions options, Topology topology) {
        this.options = options;
        this.keys = new Keys(options.keyPrefix());
        this.connections = new Connections(topology, keys, options);
        this.sender = connections.sender();
        this.scripts = new ScriptExecutor(sender, keys, options.observer());
        PartitionScripts replicated = connections.replicatedScripts();
        this.replicatedScripts = replicated == null ? scripts : replicated;
        this.channels = new WakeUpChannels(options.wakeUp() != WakeUp.POLL, keys, topology);
        this.consumers = new ConsumerOperations(keys, sender, scripts, channels);
        this.topics = new TopicOperations(keys, sender, scripts, channels, topology);
        this.deadLetters = new DeadLetterOperations(scripts, channels);
        this.pendingMessages = new PendingMessageOperations(scripts);
        this.outbox = new OutboxOperations(
                keys,
                scripts,
                replicatedScripts,
                channels,
                this::maxPending,
                new AnyServersTime(connections, keys, scripts));
    }

    /** A store over the caller's client, which stays open when the store is closed. Sends nothing yet. */
    public static RedisMessageStore create(RedisClient client, DelayQueueOptions options) {
        return new RedisMessageStore(options, new Standalone(client));
    }

    /** As {@link #create(RedisClient, DelayQueueOptions)}, over a Cluster. */
    public static RedisMessageStore create(RedisClusterClient client, DelayQueueOptions options) {
        return new RedisMessageStore(options, new Cluster(client));
    }

    @Override
    public CompletableFuture<ScheduleAnswer> schedule(Partition partition, List<OutgoingMessage> messages) {
        Arguments arguments =
                Requests.schedule(channels.publishArgument(partition), maxPending(partition), partition, messages);
        return replicatedScripts.run(
                Script.SCHEDULE,
                partition,
                arguments,
                (List<Object> reply) -> Replies.schedule(reply, messages.size()));
    }

    @Override
    public CompletableFuture<ClaimAnswer> claim(Partition partition, ClaimRequest request) {
        return consumers.claim(partition, request);
    }

    @Override
    public CompletableFuture<ClaimAnswer> claim(Partition partition, ClaimRequest request, long connection) {
        return consumers.claim(partition, request, connection);
    }

    @Override
    public CompletableFuture<OrphanScanStep> scanOrphans(Partition partition, String cursor) {
        return consumers.scanOrphans(partition, cursor);
    }

    @Override
    public CompletableFuture<Long> time(Partition partition) {
        return consumers.time(partition);
    }

    @Override
    public CompletableFuture<List<Boolean>> ack(Partition partition, CallId callId, List<Lease> leases) {
        return consumers.ack(partition, callId, leases);
    }

    @Override
    public CompletableFuture<List<Boolean>> retry(Partition partition, CallId callId, List<Retry> retries) {
        return consumers.retry(partition, callId, retries);
    }

    @Override
    public CompletableFuture<List<Long>> extend(Partition partition, CallId callId, List<Extension> extensions) {
        return consumers.extend(partition, callId, extensions);
    }

    @Override
    public CompletableFuture<List<Boolean>> release(Partition partition, List<Release> releases) {
        return consumers.release(partition, releases);
    }

    @Override
    public CompletableFuture<Void> forgetConsumer(Partition partition, String consumer) {
        return consumers.forgetConsumer(partition, consumer);
    }

    @Override
    public CompletableFuture<List<CancelOutcome>> cancel(Partition partition, List<String> ids) {
        Arguments arguments = new Arguments().add(partition.count()).addAll(ids);
        return scripts.run(Script.CANCEL, partition, arguments, (List<Object> reply) -> {
            scripts.notifyMark(partition, reply);
            return Replies.cancel((byte[]) reply.get(0), ids.size());
        });
    }

    @Override
    public CompletableFuture<RescheduleAnswer> reschedule(Partition partition, List<String> ids, Delay delay) {
        Arguments arguments = new Arguments()
                .add(channels.publishArgument(partition))
                .add(partition.count())
                .add(Micros.due(delay))
                .addAll(ids);
        return scripts.run(
                Script.RESCHEDULE, partition, arguments, (List<Object> reply) -> Replies.reschedule(reply, ids.size()));
    }

    @Override
    public OutboxStore outbox() {
        return outbox;
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
    public CompletableFuture<Set<String>> present(Partition partition, Collection<String> ids) {
        return topics.present(partition, ids);
    }

    @Override
    public CompletableFuture<Void> register(String topic) {
        return topics.register(topic);
    }

    @Override
    public CompletableFuture<Set<String>> topics() {
        return topics.topics();
    }

    @Override
    public CompletableFuture<Map<Partition, PartitionStats>> stats(Collection<Partition> partitions) {
        return topics.stats(partitions);
    }

    @Override
    public CompletableFuture<Partitioning> partitions(String topic) {
        return topics.partitions(topic);
    }

    @Override
    public CompletableFuture<Partitioning> increasePartitions(Partition partition, boolean paused) {
        return topics.increasePartitions(partition, paused);
    }

    @Override
    public CompletableFuture<Partitioning> forgetFormer(Partitioning searched) {
        return topics.forgetFormer(searched);
    }

    @Override
    public CompletableFuture<IdStep> listIds(Partition partition, String cursor, int about) {
        return topics.listIds(partition, cursor, about);
    }

    @Override
    public CompletableFuture<Boolean> unregister(String topic) {
        return topics.unregister(topic);
    }

    @Override
    public CompletableFuture<DeleteStep> deleteTopic(Partition partition, boolean force) {
        return topics.delete(partition, force);
    }

    @Override
    public CompletableFuture<Void> setPaused(Partition partition, boolean paused) {
        return topics.setPaused(partition, paused);
    }

    @Override
    public DeadLetterStore deadLetters() {
        return deadLetters;
    }

    @Override
    public PendingMessageStore pendingMessages() {
        return pendingMessages;
    }

    @Override
    public CompletableFuture<InFlightMessages> inFlight(Partition partition, int limit) {
        Arguments arguments = new Arguments().add(partition.count()).add(limit);
        return scripts.run(Script.IN_FLIGHT, partition, arguments, MessageReplies::inFlight);
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

    /** The partition's share of the topic's limit, rounded up. */
    private long maxPending(Partition partition) {
        long ofTopic = options.topic(partition.topic()).maxPending();
        return (ofTopic + partition.count() - 1) / partition.count();
    }
}
