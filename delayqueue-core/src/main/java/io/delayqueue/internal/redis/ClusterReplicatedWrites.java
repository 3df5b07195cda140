package io.delayqueue.internal.redis;

import io.delayqueue.DelayQueueOptions;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.internal.store.Partition;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * As {@link ReplicatedWrites}, for a Cluster: one of them for each server, over connections that stay with their server, since WAIT
 * speaks for one connection to one server. A write that is refused because its keys are elsewhere goes there; what was
 * written, and whose server then changed, is not written again: that is the caller's to decide.
 */
final class ClusterReplicatedWrites implements ReplicatedScripts {

    private static final Duration LOOKING = Duration.ofSeconds(1);

    private final Cluster cluster;
    private final ReconnectingConnection<StatefulConnection<byte[], byte[]>> all;
    private final Keys keys;
    private final ScheduledExecutorService timer;
    private final DelayQueueOptions options;
    private final Runnable onGivenUp;
    private final Map<ClusterNode, ReplicatedWrites> byServer = new ConcurrentHashMap<>();

    /** @param all a connection to all servers, which tells where keys are */
    ClusterReplicatedWrites(
            Cluster cluster,
            ReconnectingConnection<StatefulConnection<byte[], byte[]>> all,
            Keys keys,
            ScheduledExecutorService timer,
            DelayQueueOptions options,
            Runnable onGivenUp) {
        this.cluster = cluster;
        this.all = all;
        this.keys = keys;
        this.timer = timer;
        this.options = options;
        this.onGivenUp = onGivenUp;
    }

    @Override
    public <R, T> CompletableFuture<T> run(
            Script script, Partition partition, Arguments arguments, Function<? super R, ? extends T> decoder) {
        Write<T> write =
                new Write<>(script, partition, replicas -> replicas.<R, T>run(script, partition, arguments, decoder));
        write.begin();
        return write.result;
    }

    private ReplicatedWrites at(RedisClusterNode node) {
        return byServer.computeIfAbsent(
                new ClusterNode(cluster, node.getNodeId(), node.getUri()),
                server -> new ReplicatedWrites(server, keys, timer, options, onGivenUp));
    }

    @Override
    public CompletableFuture<Void> close() {
        return CompletableFuture.allOf(
                byServer.values().stream().map(ReplicatedWrites::close).toArray(CompletableFuture[]::new));
    }

    /** Looks for the server until one takes it or the command timeout is over. */
    private final class Write<T> {

        final CompletableFuture<T> result = new CompletableFuture<>();
        private final Script script;
        private final Partition partition;
        private final Function<ReplicatedWrites, CompletableFuture<T>> send;
        private final long begun = System.nanoTime();
        private volatile boolean sent;

        Write(Script script, Partition partition, Function<ReplicatedWrites, CompletableFuture<T>> send) {
            this.script = script;
            this.partition = partition;
            this.send = send;
        }

        void begin() {
            look();
            if (!sent && !result.isDone()) {
                Future<?> expiry =
                        timer.schedule(this::expire, options.commandTimeout().toNanos(), TimeUnit.NANOSECONDS);
                result.whenComplete((answer, error) -> expiry.cancel(false));
            }
        }

        private void look() {
            all.connection().whenComplete((open, error) -> {
                if (error != null) {
                    fail(error);
                } else {
                    send(open);
                }
            });
        }

        private void send(StatefulConnection<byte[], byte[]> open) {
            if (result.isDone()) {
                return;
            }
            RedisClusterNode node = Cluster.primaryOf(open, keys.of(partition).meta());
            if (node == null) {
                lookLater();
                return;
            }
            sent = true;
            send.apply(at(node)).whenComplete((answer, error) -> {
                if (error == null) {
                    result.complete(answer);
                } else if (RedisErrors.isElsewhere(error) && !isLate()) {
                    lookLater();
                } else {
                    if (error instanceof RedisUnavailableException) {
                        cluster.lookAround(open, node.getNodeId(), LOOKING);
                    }
                    fail(error);
                }
            });
        }

        private boolean isLate() {
            return System.nanoTime() - begun > options.commandTimeout().toNanos();
        }

        private void lookLater() {
            cluster.lookAgain();
            timer.schedule(this::look, CommandSender.ELSEWHERE_MS, TimeUnit.MILLISECONDS);
        }

        /** Once sent, it has an answer by itself. */
        private void expire() {
            if (!sent) {
                result.completeExceptionally(RedisErrors.unconnected(
                        script.label(), partition.topic(), options.commandTimeout(), all.lastFailure()));
            }
        }

        private void fail(Throwable error) {
            result.completeExceptionally(RedisErrors.translate(error, script.label(), partition.topic()));
        }
    }
}
