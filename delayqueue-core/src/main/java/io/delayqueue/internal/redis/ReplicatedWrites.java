package io.delayqueue.internal.redis;

import io.delayqueue.DelayQueueOptions;
import io.delayqueue.internal.store.Partition;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Writes to one server, and answers once enough of its replicas have the write. WAIT speaks for the writes of its own connection
 * and blocks it, so this has a connection of its own and works in rounds: the writes that have gathered, then one WAIT for all of
 * them, while further writes gather for the next round.
 *
 * <p>A server that may lose keys to another one is asked for them once more, behind WAIT: only if it still has them, its replicas
 * are the ones that matter.
 */
final class ReplicatedWrites implements ReplicatedScripts {

    /** The target is one server, so no key decides where WAIT goes. */
    private static final byte[] ANY_KEY = {};

    private static final String OPERATION = ReplicatedWrite.OPERATION;

    private final CommandTarget server;
    private final Keys keys;
    private final int requiredReplicas;
    private final Duration timeout;
    private final ReconnectingConnection<StatefulConnection<byte[], byte[]>> connection;
    private final ScriptExecutor writes;
    private final CommandSender waits;

    /** Number of the connection to the server, which changes when it breaks: a WAIT speaks for the writes of its own one only. */
    private final AtomicLong connectionNumber = new AtomicLong();

    private final ReentrantLock lock = new ReentrantLock();
    private List<ReplicatedWrite<?>> gathered = new ArrayList<>();
    private boolean roundUnderWay;

    ReplicatedWrites(
            CommandTarget server,
            Keys keys,
            ScheduledExecutorService timer,
            DelayQueueOptions options,
            Runnable onReplaced) {
        this.server = server;
        this.keys = keys;
        this.requiredReplicas = options.waitForReplicas();
        this.timeout = options.waitForReplicasTimeout();
        Duration longest = options.commandTimeout().plus(timeout);
        this.connection = new ReconnectingConnection<>("replication", () -> connect(longest), timer);
        CommandSender sender = new CommandSender(server, connection, timer, options.commandTimeout(), onReplaced);
        this.writes = new ScriptExecutor(sender, keys, options.observer());
        this.waits = new CommandSender(server, connection, timer, longest, onReplaced);
    }

    @Override
    public <R, T> CompletableFuture<T> run(
            Script script, Partition partition, Arguments arguments, Function<? super R, ? extends T> decoder) {
        ReplicatedWrite<T> write = new ReplicatedWrite<>(
                partition,
                () -> writes.<R, ReplicatedWrite.Reply<T>>run(
                        script, partition, arguments, reply -> received(decoder.apply(reply))));
        lock.lock();
        try {
            gathered.add(write);
            if (roundUnderWay) {
                return write.result();
            }
            roundUnderWay = true;
        } finally {
            lock.unlock();
        }
        nextRound();
        return write.result();
    }

    @Override
    public CompletableFuture<Void> close() {
        return connection.close();
    }

    /** Notes over which connection a reply came; called when it is read. */
    private <T> ReplicatedWrite.Reply<T> received(T answer) {
        return new ReplicatedWrite.Reply<>(answer, connectionNumber.get());
    }

    private void nextRound() {
        List<ReplicatedWrite<?>> round;
        lock.lock();
        try {
            round = gathered;
            gathered = new ArrayList<>();
            roundUnderWay = !round.isEmpty();
        } finally {
            lock.unlock();
        }
        if (round.isEmpty()) {
            return;
        }
        CompletableFuture.allOf(round.stream().map(ReplicatedWrite::send).toArray(CompletableFuture[]::new))
                .thenCompose(sent -> prove(round))
                .whenComplete((proof, error) -> {
                    for (ReplicatedWrite<?> write : round) {
                        write.conclude(proof, error);
                    }
                    nextRound();
                });
    }

    /** Finds out how many replicas have the round's writes; null if all of them failed. */
    private CompletableFuture<@Nullable ReplicationProof> prove(List<ReplicatedWrite<?>> round) {
        Set<Partition> partitions = round.stream()
                .filter(write -> !write.isDone())
                .map(ReplicatedWrite::partition)
                .collect(Collectors.toSet());
        if (partitions.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        CompletableFuture<ReplicatedWrite.Reply<Long>> replicas = waits.send(
                OPERATION,
                null,
                ANY_KEY,
                commands -> commands.waitForReplication(requiredReplicas, timeout.toMillis()),
                null,
                this::received);
        if (!server.mayLoseKeys()) {
            return replicas.thenApply(
                    count -> new ReplicationProof(requiredReplicas, count.answer(), count.connection(), null));
        }
        Map<Partition, Long> kept = new ConcurrentHashMap<>();
        CompletableFuture<?>[] checks = partitions.stream()
                .map(partition -> requireKept(partition)
                        .handle((reply, error) -> error == null ? kept.put(partition, reply.connection()) : null))
                .toArray(CompletableFuture[]::new);
        return replicas.thenCombine(
                CompletableFuture.allOf(checks),
                (count, checked) -> new ReplicationProof(requiredReplicas, count.answer(), count.connection(), kept));
    }

    /** Fails if the server has given the partition away, or begun to: a key that never exists is always gone then. */
    private CompletableFuture<ReplicatedWrite.Reply<Boolean>> requireKept(Partition partition) {
        byte[] absent = keys.of(partition).channel();
        return waits.send(
                OPERATION,
                partition.topic(),
                absent,
                commands -> commands.hexists(absent, absent),
                null,
                this::received);
    }

    private StatefulConnection<byte[], byte[]> connect(Duration longest) {
        StatefulConnection<byte[], byte[]> opened = server.connect();
        connectionNumber.incrementAndGet();
        // a shorter timeout of the user's client would end WAIT early
        opened.setTimeout(longest);
        opened.addListener(new RedisConnectionStateListener() {
            @Override
            public void onRedisDisconnected(RedisChannelHandler<?, ?> disconnected) {
                connectionNumber.incrementAndGet();
            }
        });
        return opened;
    }
}
