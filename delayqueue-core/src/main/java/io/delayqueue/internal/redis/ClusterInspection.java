package io.delayqueue.internal.redis;

import io.delayqueue.DelayQueueException;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.RedisAccessDeniedException;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.ServerReport;
import io.delayqueue.internal.FutureErrors;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Inspects all servers of a Cluster that have slots, at the same time: each has settings, a clock and users of its own. */
final class ClusterInspection {

    private static final String OPERATION = Script.INSPECT.label();

    private final Cluster cluster;
    private final Connections connections;
    private final Keys keys;
    private final DelayQueueOptions options;

    ClusterInspection(Cluster cluster, Connections connections, Keys keys, DelayQueueOptions options) {
        this.cluster = cluster;
        this.connections = connections;
        this.keys = keys;
        this.options = options;
    }

    CompletableFuture<List<ServerReport>> run() {
        ReconnectingConnection<StatefulConnection<byte[], byte[]>> connection = connections.commandConnection();
        Duration timeout = options.commandTimeout();
        return connection
                .connection()
                .copy()
                .orTimeout(timeout.toNanos(), TimeUnit.NANOSECONDS)
                .handle((open, error) -> error == null
                        ? inspect(Cluster.primaries(open))
                        : CompletableFuture.completedFuture(
                                List.of(unlisted(FutureErrors.unwrap(error), connection.lastFailure()))))
                .thenCompose(reports -> reports);
    }

    /** The report if the user may not list the servers: without their addresses there is nothing else to ask. */
    private ServerReport unlisted(Throwable error, @Nullable Throwable lastFailure) {
        DelayQueueException failure = error instanceof TimeoutException
                ? RedisErrors.unconnected(OPERATION, null, options.commandTimeout(), lastFailure)
                : RedisErrors.translate(error, OPERATION, null);
        if (failure instanceof RedisAccessDeniedException && !RedisErrors.isLogin(failure)) {
            return ServerReport.builder()
                    .missingPermissions(List.of(ServerInspection.LIST_SERVERS))
                    .build();
        }
        throw failure;
    }

    private CompletableFuture<List<ServerReport>> inspect(List<RedisClusterNode> primaries) {
        // not before the connection is open: only then is it known whether the servers have shard channels
        ServerInspection.Features features = ServerInspection.Features.of(connections);
        List<CompletableFuture<ServerReport>> reports =
                primaries.stream().map(node -> inspect(node, features)).toList();
        return CompletableFuture.allOf(reports.toArray(CompletableFuture[]::new))
                .thenApply(done -> reports.stream().map(CompletableFuture::join).toList())
                .thenApply(ClusterInspection::requireOneReachable);
    }

    private CompletableFuture<ServerReport> inspect(RedisClusterNode node, ServerInspection.Features features) {
        ClusterNode server = new ClusterNode(cluster, node.getNodeId(), node.getUri());
        String address = server.address();
        Duration timeout = options.commandTimeout();
        return connections
                .withOwnConnection(server, sender -> {
                    ScriptExecutor scripts = new ScriptExecutor(sender, keys, options.observer());
                    return new ServerInspection(sender, scripts, keys, keys.probeKeys(node::hasSlot), features)
                            .run(address)
                            .orTimeout(timeout.toNanos(), TimeUnit.NANOSECONDS);
                })
                .exceptionally(error -> {
                    DelayQueueException cause = translate(FutureErrors.unwrap(error));
                    if (cause instanceof RedisAccessDeniedException) {
                        throw new RedisAccessDeniedException(address + ": " + cause.getMessage(), null, null, cause);
                    }
                    return ServerReport.unreachable(address, String.valueOf(cause.getMessage()));
                });
    }

    private DelayQueueException translate(Throwable error) {
        return error instanceof TimeoutException
                ? RedisErrors.unanswered(OPERATION, null, options.commandTimeout())
                : RedisErrors.translate(error, OPERATION, null);
    }

    private static List<ServerReport> requireOneReachable(List<ServerReport> reports) {
        if (reports.stream().noneMatch(ServerReport::isReachable)) {
            throw new RedisUnavailableException(
                    "no server of the Cluster answered: "
                            + reports.stream()
                                    .map(report -> report.server() + " (" + report.error() + ")")
                                    .toList(),
                    null,
                    null,
                    null);
        }
        return reports;
    }
}
