package io.delayqueue.internal.redis;

import io.delayqueue.DelayQueueException;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.ReplicationTimeoutException;
import io.delayqueue.internal.store.Partition;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Answers for what was written to a server only when enough of its replicas have it. WAIT holds its connection up, so this has
 * one of its own; and it covers what its own connection wrote, so one round is under way: the writes that have gathered, then
 * one WAIT for all of them. Writes that come meanwhile make the next round.
 *
 * <p>A server that may give keys away is asked for the keys once more, behind WAIT: only if it still has them, its replicas
 * are those that matter.
 */
final class ReplicatedWrites implements ReplicatedScripts {

    /** There is one server. */
    private static final byte[] ANY_KEY = {};

    private static final String DOING = Script.SCHEDULE.label();

    private final Topology server;
    private final Keys keys;
    private final int wanted;
    private final Duration timeout;
    private final ReconnectingConnection<StatefulConnection<byte[], byte[]>> link;
    private final ScriptExecutor writes;
    private final CommandSender waits;

    /** Changes with each connection to a server. A WAIT sent over the next one answers for nothing that went over the last. */
    private final AtomicLong connection = new AtomicLong();

    private final ReentrantLock lock = new ReentrantLock();
    private List<Pending<?>> gathered = new ArrayList<>();
    private boolean underWay;

    ReplicatedWrites(
            Topology server, Keys keys, ScheduledExecutorService timer, DelayQueueOptions options, Runnable onGivenUp) {
        this.server = server;
        this.keys = keys;
        this.wanted = options.waitForReplicas();
        this.timeout = options.waitForReplicasTimeout();
        Duration longest = options.commandTimeout().plus(timeout);
        this.link = new ReconnectingConnection<>("replication", () -> connect(longest), timer, opened -> {}, () -> {});
        CommandSender calls = new CommandSender(server, link, timer, options.commandTimeout(), onGivenUp);
        this.writes = new ScriptExecutor(calls, keys, options.observer());
        this.waits = new CommandSender(server, link, timer, longest, onGivenUp);
    }

    @Override
    public <R, T> CompletableFuture<T> run(
            Script script, Partition partition, Arguments arguments, Function<? super R, ? extends T> decoder) {
        Pending<T> pending = new Pending<>(
                partition,
                () -> writes.<R, Written<T>>run(script, partition, arguments, reply -> written(decoder.apply(reply))));
        lock.lock();
        try {
            gathered.add(pending);
            if (underWay) {
                return pending.result;
            }
            underWay = true;
        } finally {
            lock.unlock();
        }
        nextRound();
        return pending.result;
    }

    @Override
    public CompletableFuture<Void> close() {
        return link.close();
    }

    /** The decoded reply; to be called when it is read. */
    private <T> Written<T> written(T answer) {
        return new Written<>(answer, connection.get());
    }

    private void nextRound() {
        List<Pending<?>> round;
        lock.lock();
        try {
            round = gathered;
            gathered = new ArrayList<>();
            underWay = !round.isEmpty();
        } finally {
            lock.unlock();
        }
        if (round.isEmpty()) {
            return;
        }
        CompletableFuture.allOf(round.stream().map(Pending::send).toArray(CompletableFuture[]::new))
                .thenCompose(sent -> prove(round))
                .whenComplete((proof, error) -> {
                    for (Pending<?> pending : round) {
                        pending.conclude(proof, error);
                    }
                    nextRound();
                });
    }

    /** What replicas have by now; null if nothing was written. */
    private CompletableFuture<@Nullable Proof> prove(List<Pending<?>> round) {
        Set<Partition> partitions = round.stream()
                .filter(pending -> !pending.isOver())
                .map(pending -> pending.partition)
                .collect(Collectors.toSet());
        if (partitions.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        CompletableFuture<Written<Long>> replicas = waits.send(
                DOING,
                null,
                ANY_KEY,
                commands -> commands.waitForReplication(wanted, timeout.toMillis()),
                null,
                this::written);
        Map<Partition, Long> kept = new ConcurrentHashMap<>();
        CompletableFuture<?>[] checks = !server.mayGiveAway()
                ? new CompletableFuture<?>[0]
                : partitions.stream()
                        .map(partition -> stillThere(partition)
                                .handle((there, error) ->
                                        error == null ? kept.put(partition, there.connection()) : null))
                        .toArray(CompletableFuture[]::new);
        return replicas.thenCombine(
                CompletableFuture.allOf(checks),
                (count, checked) -> new Proof(count.answer(), count.connection(), kept));
    }

    /** Fails if the server has given the partition away, or has begun to: a key that never exists is never left there. */
    private CompletableFuture<Written<Boolean>> stillThere(Partition partition) {
        byte[] nothing = keys.of(partition).channel();
        return waits.send(
                DOING, partition.topic(), nothing, commands -> commands.hexists(nothing, nothing), null, this::written);
    }

    /** Ready before anybody is given it. */
    private StatefulConnection<byte[], byte[]> connect(Duration longest) {
        StatefulConnection<byte[], byte[]> opened = server.connect();
        connection.incrementAndGet();
        // else a client with a shorter time-out of its own would not let WAIT end
        opened.setTimeout(longest);
        opened.addListener(new RedisConnectionStateListener() {
            @Override
            public void onRedisDisconnected(RedisChannelHandler<?, ?> disconnected) {
                connection.incrementAndGet();
            }
        });
        return opened;
    }

    /**
     * A reply, and the connection that it came over.
     *
     * @param answer decoded
     * @param connection number of the connection
     */
    private record Written<T>(T answer, long connection) {}

    /**
     * What was found out behind the writes of a round.
     *
     * @param replicas how many have all that went over the connection
     * @param connection its number
     * @param kept the partitions that were still there, and the connections that told it
     */
    private record Proof(long replicas, long connection, Map<Partition, Long> kept) {}

    private final class Pending<T> {

        final CompletableFuture<T> result = new CompletableFuture<>();
        final Partition partition;
        private final Supplier<CompletableFuture<Written<T>>> write;
        private volatile @Nullable Written<T> written;

        Pending(Partition partition, Supplier<CompletableFuture<Written<T>>> write) {
            this.partition = partition;
            this.write = write;
        }

        CompletableFuture<?> send() {
            try {
                return write.get().handle((reply, error) -> {
                    written = reply;
                    return error == null || result.completeExceptionally(error);
                });
            } catch (RuntimeException | Error e) {
                result.completeExceptionally(e);
                return CompletableFuture.completedFuture(null);
            }
        }

        boolean isOver() {
            return result.isDone();
        }

        void conclude(@Nullable Proof proof, @Nullable Throwable error) {
            Written<T> reply = written;
            if (reply == null || isOver()) {
                return;
            }
            String topic = partition.topic();
            if (error != null || proof == null) {
                DelayQueueException cause = RedisErrors.translate(
                        error != null ? error : new IllegalStateException("no answer to WAIT"), DOING, topic);
                result.completeExceptionally(
                        cause instanceof RedisUnavailableException
                                ? unproven("Redis went away (" + cause.getMessage() + ")")
                                : cause);
            } else if (proof.connection() != reply.connection()) {
                result.completeExceptionally(unproven("the connection to Redis broke"));
            } else if (server.mayGiveAway() && !Objects.equals(proof.kept().get(partition), reply.connection())) {
                result.completeExceptionally(unproven("its keys went to another server"));
            } else if (proof.replicas() < wanted) {
                result.completeExceptionally(
                        new ReplicationTimeoutException((int) proof.replicas(), wanted, topic, null, null));
            } else {
                result.complete(reply.answer());
            }
        }

        private RedisUnavailableException unproven(String why) {
            return new RedisUnavailableException(
                    DOING + " of topic '" + partition.topic() + "' was done, but " + why
                            + " before a replica was known to have it; repeating the same call is safe",
                    partition.topic(),
                    null,
                    null);
        }
    }
}
