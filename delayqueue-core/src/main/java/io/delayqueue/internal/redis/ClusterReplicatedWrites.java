package io.delayqueue.internal.redis;

import io.delayqueue.DelayQueueOptions;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.internal.store.Partition;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Replicated writes to a Cluster: has a {@link ReplicatedWrites} for each server. A write that a server refuses, because its keys are
 * elsewhere, goes to the server that has them. A write that was done before the keys moved is not repeated: that is up to the
 * caller.
 */
final class ClusterReplicatedWrites implements ReplicatedScripts {

    private final Cluster cluster;
    private final ReconnectingConnection<StatefulConnection<byte[], byte[]>> clusterConnection;
    private final Keys keys;
    private final ScheduledExecutorService timer;
    private final DelayQueueOptions options;
    private final Runnable onReplaced;
    private final Map<ClusterNode, ReplicatedWrites> byServer = new ConcurrentHashMap<>();

    /** @param clusterConnection knows which server has which keys */
    ClusterReplicatedWrites(
            Cluster cluster,
            ReconnectingConnection<StatefulConnection<byte[], byte[]>> clusterConnection,
            Keys keys,
            ScheduledExecutorService timer,
            DelayQueueOptions options,
            Runnable onReplaced) {
        this.cluster = cluster;
        this.clusterConnection = clusterConnection;
        this.keys = keys;
        this.timer = timer;
        this.options = options;
        this.onReplaced = onReplaced;
    }

    @Override
    public <R, T> CompletableFuture<T> run(
            Script script, Partition partition, Arguments arguments, Function<? super R, ? extends T> decoder) {
        RoutedWrite<T> write =
                new RoutedWrite<>(script, partition, writes -> writes.<R, T>run(script, partition, arguments, decoder));
        write.begin();
        return write.result;
    }

    private ReplicatedWrites writesTo(RedisClusterNode node) {
        return byServer.computeIfAbsent(
                new ClusterNode(cluster, node.getNodeId(), node.getUri()),
                server -> new ReplicatedWrites(server, keys, timer, options, onReplaced));
    }

    @Override
    public CompletableFuture<Void> close() {
        return CompletableFuture.allOf(
                byServer.values().stream().map(ReplicatedWrites::close).toArray(CompletableFuture[]::new));
    }

    /** A write on its way to the server that has its keys; fails if none takes it within the command timeout. */
    private final class RoutedWrite<T> {

        final CompletableFuture<T> result = new CompletableFuture<>();
        private final Script script;
        private final Partition partition;
        private final Function<ReplicatedWrites, CompletableFuture<T>> write;
        private final long begunNanos = System.nanoTime();
        private volatile boolean sent;

        RoutedWrite(Script script, Partition partition, Function<ReplicatedWrites, CompletableFuture<T>> write) {
            this.script = script;
            this.partition = partition;
            this.write = write;
        }

        void begin() {
            route();
            if (!sent && !result.isDone()) {
                Future<?> expiry =
                        timer.schedule(this::expire, options.commandTimeout().toNanos(), TimeUnit.NANOSECONDS);
                result.whenComplete((answer, error) -> expiry.cancel(false));
            }
        }

        private void route() {
            clusterConnection.connection().whenComplete((open, error) -> {
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
                routeAgain();
                return;
            }
            sent = true;
            write.apply(writesTo(node)).whenComplete((answer, error) -> {
                if (error == null) {
                    result.complete(answer);
                } else if (RedisErrors.isElsewhere(error) && !isOverdue()) {
                    routeAgain();
                } else {
                    if (error instanceof RedisUnavailableException) {
                        cluster.refreshExcluding(node.getNodeId(), open, CommandSender.REFRESH_TIMEOUT);
                    }
                    fail(error);
                }
            });
        }

        private boolean isOverdue() {
            return System.nanoTime() - begunNanos > options.commandTimeout().toNanos();
        }

        private void routeAgain() {
            cluster.refresh();
            timer.schedule(this::route, CommandSender.ELSEWHERE_RETRY_MS, TimeUnit.MILLISECONDS);
        }

        /** A write that was sent has a timeout of its own. */
        private void expire() {
            if (!sent) {
                result.completeExceptionally(RedisErrors.unconnected(
                        script.label(), partition.topic(), options.commandTimeout(), clusterConnection.lastFailure()));
            }
        }

        private void fail(Throwable error) {
            result.completeExceptionally(RedisErrors.translate(error, script.label(), partition.topic()));
        }
    }
}
