package io.delayqueue.internal.redis;

import io.delayqueue.DelayQueueOptions;
import io.delayqueue.WakeUp;
import io.lettuce.core.api.StatefulConnection;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * All that a store holds open: a connection for commands, one for wake-ups, one for what
 * replicas have to keep, and a thread that watches the time. Each comes
 * into being at first use. The client is the caller's and stays open.
 */
final class Connections {

    private static final long CLOSING_MS = 1000;

    private final Topology servers;
    private final ScheduledThreadPoolExecutor timer;
    private final Duration commandTimeout;
    private final ReconnectingConnection<StatefulConnection<byte[], byte[]>> commands;
    private final CommandSender calls;
    private final @Nullable WakeUps wakeUps;
    private final @Nullable ReplicatedScripts replicas;

    private Connections(
            Topology servers,
            ScheduledThreadPoolExecutor timer,
            Duration commandTimeout,
            ReconnectingConnection<StatefulConnection<byte[], byte[]>> commands,
            CommandSender calls,
            @Nullable WakeUps wakeUps,
            @Nullable ReplicatedScripts replicas) {
        this.servers = servers;
        this.timer = timer;
        this.commandTimeout = commandTimeout;
        this.commands = commands;
        this.calls = calls;
        this.wakeUps = wakeUps;
        this.replicas = replicas;
    }

    static Connections over(Topology servers, Keys keys, DelayQueueOptions options) {
        ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "delayqueue-redis");
            thread.setDaemon(true);
            return thread;
        });
        timer.setRemoveOnCancelPolicy(true);
        timer.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
        ReconnectingConnection<StatefulConnection<byte[], byte[]>> commands = new ReconnectingConnection<>(
                "command",
                servers::connect,
                timer,
                connection -> {},
                () -> {},
                servers.lingerMs(options.commandTimeout()));
        WakeUps wakeUps =
                options.wakeUp() == WakeUp.POLL ? null : new WakeUps(servers, timer, options.commandTimeout());
        // a peer that is silent or demoted here is so there too, where nobody would notice
        Runnable onGivenUp = wakeUps == null ? () -> {} : () -> wakeUps.link().renew("commands need one, too");
        ReplicatedScripts replicas = null;
        if (options.waitForReplicas() > 0) {
            replicas = servers instanceof Cluster cluster
                    ? new ClusterReplicatedWrites(cluster, commands, keys, timer, options, onGivenUp)
                    : new ReplicatedWrites(servers, keys, timer, options, onGivenUp);
        }
        return new Connections(
                servers,
                timer,
                options.commandTimeout(),
                commands,
                new CommandSender(servers, commands, timer, options.commandTimeout(), onGivenUp),
                wakeUps,
                replicas);
    }

    Topology servers() {
        return servers;
    }

    CommandSender calls() {
        return calls;
    }

    /** The connection that the calls go over. */
    ReconnectingConnection<StatefulConnection<byte[], byte[]>> commands() {
        return commands;
    }

    /** Does something over a connection that is opened for it alone. */
    <T> CompletableFuture<T> briefly(Topology servers, Function<CommandSender, CompletableFuture<T>> task) {
        ReconnectingConnection<StatefulConnection<byte[], byte[]>> link =
                new ReconnectingConnection<>("brief", servers::connect, timer, opened -> {}, () -> {});
        return task.apply(new CommandSender(servers, link, timer, commandTimeout, () -> {}))
                .whenComplete((answer, error) -> link.close());
    }

    /** Null if consumers poll. */
    @Nullable
    WakeUps wakeUps() {
        return wakeUps;
    }

    /** Null if nobody waits for replicas. */
    @Nullable
    ReplicatedScripts replicas() {
        return replicas;
    }

    /** Closes the connections; what waits in them fails. */
    void close() {
        CompletableFuture<Void> closing = commands.close();
        if (wakeUps != null) {
            closing = CompletableFuture.allOf(closing, wakeUps.link().close());
        }
        if (replicas != null) {
            closing = CompletableFuture.allOf(closing, replicas.close());
        }
        servers.close();
        timer.shutdown();
        try {
            closing.get(CLOSING_MS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            // closed as well as can be: nothing waits in them any more
        }
    }
}
