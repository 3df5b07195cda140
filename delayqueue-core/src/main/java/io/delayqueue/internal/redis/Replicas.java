package io.delayqueue.internal.redis;

import io.delayqueue.DelayQueueOptions;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.ReplicationTimeoutException;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Answers for what was written only when enough replicas have it. WAIT holds its connection up, so this has one of its own;
 * and it covers what its own connection wrote, so one round is under way: the writes that have gathered, then one WAIT for
 * all of them. Writes that come meanwhile make the next round.
 */
final class Replicas {

    /** There is one server. */
    private static final byte[] ANY_KEY = {};

    private final int wanted;
    private final Duration timeout;
    private final Link<StatefulConnection<byte[], byte[]>> link;
    private final Calls writes;
    private final Calls waits;

    /** Changes with each connection to a server. A WAIT sent over the next one answers for nothing that went over the last. */
    private final AtomicLong connection = new AtomicLong();

    private final ReentrantLock lock = new ReentrantLock();
    private List<Pending<?>> gathered = new ArrayList<>();
    private boolean underWay;

    Replicas(Servers servers, ScheduledExecutorService timer, DelayQueueOptions options, Runnable onGivenUp) {
        this.wanted = options.waitForReplicas();
        this.timeout = options.waitForReplicasTimeout();
        Duration longest = options.commandTimeout().plus(timeout);
        this.link = new Link<>("replication", () -> connect(servers, longest), timer, opened -> {}, () -> {});
        this.writes = new Calls(servers, link, timer, options.commandTimeout(), onGivenUp);
        this.waits = new Calls(servers, link, timer, longest, onGivenUp);
    }

    /** Where what is to be kept has to be written. */
    Calls calls() {
        return writes;
    }

    Link<StatefulConnection<byte[], byte[]>> link() {
        return link;
    }

    /** The decoded reply to a write; to be called when it is read. */
    <T> Written<T> written(T answer) {
        return new Written<>(answer, connection.get());
    }

    /** Sends a write, and answers as it does once the replicas have it. */
    <T> CompletableFuture<T> keep(String topic, Supplier<CompletableFuture<Written<T>>> write) {
        Pending<T> pending = new Pending<>(topic, write);
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
                .thenCompose(sent -> round.stream().allMatch(Pending::isOver)
                        ? CompletableFuture.<@Nullable Written<Long>>completedFuture(null)
                        : awaitReplicas())
                .whenComplete((replicas, error) -> {
                    for (Pending<?> pending : round) {
                        pending.conclude(replicas, error);
                    }
                    nextRound();
                });
    }

    private CompletableFuture<@Nullable Written<Long>> awaitReplicas() {
        return waits.send(
                "schedule",
                null,
                ANY_KEY,
                commands -> commands.waitForReplication(wanted, timeout.toMillis()),
                null,
                this::written);
    }

    /** Ready before anybody is given it. */
    private StatefulConnection<byte[], byte[]> connect(Servers servers, Duration longest) {
        StatefulConnection<byte[], byte[]> opened = servers.connect();
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
    record Written<T>(T answer, long connection) {}

    private final class Pending<T> {

        final CompletableFuture<T> result = new CompletableFuture<>();
        private final String topic;
        private final Supplier<CompletableFuture<Written<T>>> write;
        private volatile @Nullable Written<T> written;

        Pending(String topic, Supplier<CompletableFuture<Written<T>>> write) {
            this.topic = topic;
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

        void conclude(@Nullable Written<Long> replicas, @Nullable Throwable error) {
            Written<T> reply = written;
            if (reply == null || isOver()) {
                return;
            }
            if (error != null || replicas == null) {
                result.completeExceptionally(RedisErrors.translate(
                        error != null ? error : new IllegalStateException("no answer to WAIT"), "schedule", topic));
            } else if (replicas.connection() != reply.connection()) {
                result.completeExceptionally(new RedisUnavailableException(
                        "schedule of topic '" + topic
                                + "' was done, but the connection to Redis broke before a replica was"
                                + " known to have it; repeating the same call is safe",
                        topic,
                        null,
                        null));
            } else if (replicas.answer() < wanted) {
                result.completeExceptionally(
                        new ReplicationTimeoutException(replicas.answer().intValue(), wanted, topic, null, null));
            } else {
                result.complete(reply.answer());
            }
        }
    }
}
