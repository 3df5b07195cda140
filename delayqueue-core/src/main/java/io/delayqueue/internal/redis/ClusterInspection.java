package io.delayqueue.internal.redis;

import io.delayqueue.DelayQueueException;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.RedisAccessDeniedException;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.ServerReport;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Inspects each server of a Cluster that has keys, all at the same time: settings, clocks and users are each one's own. */
final class ClusterInspection {

    private static final String DOING = Script.INSPECT.label();

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
        ReconnectingConnection<StatefulConnection<byte[], byte[]>> all = connections.commands();
        Duration timeout = options.commandTimeout();
        return all.connection()
                .copy()
                .orTimeout(timeout.toNanos(), TimeUnit.NANOSECONDS)
                .handle((open, error) -> error == null
                        ? inspect(Cluster.primaries(open))
                        : CompletableFuture.completedFuture(List.of(unlisted(cause(error), all.lastFailure()))))
                .thenCompose(reports -> reports);
    }

    /** No server tells which others there are: if none may, that is all there is to report. */
    private ServerReport unlisted(Throwable error, @Nullable Throwable lastFailure) {
        DelayQueueException failure = error instanceof TimeoutException
                ? RedisErrors.unconnected(DOING, null, options.commandTimeout(), lastFailure)
                : RedisErrors.translate(error, DOING, null);
        if (failure instanceof RedisAccessDeniedException && !RedisErrors.isLogin(failure)) {
            return new ServerReport("", "", "", "", "", 0, true, Duration.ZERO, List.of(ServerInspection.LIST_SERVERS));
        }
        throw failure;
    }

    private CompletableFuture<List<ServerReport>> inspect(List<RedisClusterNode> primaries) {
        // what a server can do is known by now
        ServerInspection.Needs needs = ServerInspection.Needs.of(connections);
        List<CompletableFuture<ServerReport>> reports =
                primaries.stream().map(node -> inspect(node, needs)).toList();
        return CompletableFuture.allOf(reports.toArray(CompletableFuture[]::new))
                .thenApply(done -> reports.stream().map(CompletableFuture::join).toList())
                .thenApply(ClusterInspection::unlessAllAreAway);
    }

    private CompletableFuture<ServerReport> inspect(RedisClusterNode node, ServerInspection.Needs needs) {
        ClusterNode server = new ClusterNode(cluster, node.getNodeId(), node.getUri());
        String address = server.address();
        Duration timeout = options.commandTimeout();
        return connections
                .briefly(server, calls -> {
                    ScriptExecutor scripts = new ScriptExecutor(calls, keys, options.observer());
                    return new ServerInspection(calls, scripts, keys, keys.ofNobody(node::hasSlot), needs)
                            .run(address)
                            .orTimeout(timeout.toNanos(), TimeUnit.NANOSECONDS);
                })
                .exceptionally(error -> {
                    DelayQueueException cause = translate(cause(error));
                    if (cause instanceof RedisAccessDeniedException) {
                        throw new RedisAccessDeniedException(address + ": " + cause.getMessage(), null, null, cause);
                    }
                    return ServerReport.unanswered(address, String.valueOf(cause.getMessage()));
                });
    }

    private DelayQueueException translate(Throwable error) {
        return error instanceof TimeoutException
                ? RedisErrors.unanswered(DOING, null, options.commandTimeout())
                : RedisErrors.translate(error, DOING, null);
    }

    private static Throwable cause(Throwable error) {
        return error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
    }

    private static List<ServerReport> unlessAllAreAway(List<ServerReport> reports) {
        if (reports.stream().noneMatch(ServerReport::isAnswered)) {
            throw new RedisUnavailableException(
                    "no server of the Cluster can be asked: "
                            + reports.stream()
                                    .map(report -> report.server() + " (" + report.trouble() + ")")
                                    .toList(),
                    null,
                    null,
                    null);
        }
        return reports;
    }
}
