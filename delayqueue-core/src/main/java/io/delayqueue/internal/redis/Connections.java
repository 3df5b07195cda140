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
 * Everything that a store holds open: a connection for commands, one for wake-ups, one for writes that wait for replicas, and a
 * timer thread. Each is opened at its first use. The client is the user's and stays open.
 */
final class Connections {

    /** A connection closes within milliseconds; one that hangs must not hang the user's shutdown. */
    private static final long CLOSE_TIMEOUT_MS = 1000;

    /**
     * Connections fail their commands when they are closed. So do commands on their way to another server, after a pause. Other tasks of
     * the timer have no use any more, and would keep its thread, and with it all that handlers refer to, for a command timeout.
     */
    private static final long END_OF_TIMER_MS = 4 * CommandSender.ELSEWHERE_RETRY_MS;

    private final Topology topology;
    private final ScheduledThreadPoolExecutor timer;
    private final Duration commandTimeout;
    private final ReconnectingConnection<StatefulConnection<byte[], byte[]>> commandConnection;
    private final CommandSender sender;
    private final @Nullable WakeUps wakeUps;
    private final @Nullable ReplicatedScripts replicatedScripts;

    Connections(Topology topology, Keys keys, DelayQueueOptions options) {
        this.topology = topology;
        this.timer = timer();
        this.commandTimeout = options.commandTimeout();
        this.commandConnection = new ReconnectingConnection<>(
                "command",
                topology::connect,
                timer,
                topology.lingerMs(commandTimeout),
                new ReconnectingConnection.Listener<>() {});
        this.wakeUps = options.wakeUp() == WakeUp.POLL ? null : new WakeUps(topology, timer, commandTimeout);
        this.sender = new CommandSender(topology, commandConnection, timer, commandTimeout, this::replaceWakeUps);
        this.replicatedScripts = options.waitForReplicas() > 0 ? replicatedScripts(keys, options) : null;
    }

    private static ScheduledThreadPoolExecutor timer() {
        ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "delayqueue-redis");
            thread.setDaemon(true);
            return thread;
        });
        timer.setRemoveOnCancelPolicy(true);
        timer.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
        return timer;
    }

    private ReplicatedScripts replicatedScripts(Keys keys, DelayQueueOptions options) {
        return topology instanceof Cluster cluster
                ? new ClusterReplicatedWrites(cluster, commandConnection, keys, timer, options, this::replaceWakeUps)
                : new ReplicatedWrites(topology, keys, timer, options, this::replaceWakeUps);
    }

    /** A server that is silent or a replica is so for wake-ups, too, where nothing would notice it. */
    private void replaceWakeUps() {
        if (wakeUps != null) {
            wakeUps.serverFailed();
        }
    }

    Topology topology() {
        return topology;
    }

    /** Sends over the command connection. */
    CommandSender sender() {
        return sender;
    }

    ReconnectingConnection<StatefulConnection<byte[], byte[]>> commandConnection() {
        return commandConnection;
    }

    /** Runs a task over a connection that is opened for it alone, and closed behind it. */
    <T> CompletableFuture<T> withOwnConnection(
            CommandTarget target, Function<CommandSender, CompletableFuture<T>> task) {
        ReconnectingConnection<StatefulConnection<byte[], byte[]>> own =
                new ReconnectingConnection<>("inspection", target::connect, timer);
        return task.apply(new CommandSender(target, own, timer, commandTimeout, () -> {}))
                .whenComplete((answer, error) -> own.close());
    }

    /** Null if consumers poll. */
    @Nullable
    WakeUps wakeUps() {
        return wakeUps;
    }

    /** Null if schedules don't wait for replicas. */
    @Nullable
    ReplicatedScripts replicatedScripts() {
        return replicatedScripts;
    }

    /** Closes the connections; commands that wait in them fail. */
    void close() {
        CompletableFuture<Void> closing = CompletableFuture.allOf(
                commandConnection.close(),
                wakeUps == null
                        ? CompletableFuture.completedFuture(null)
                        : wakeUps.connection().close(),
                replicatedScripts == null ? CompletableFuture.completedFuture(null) : replicatedScripts.close());
        topology.close();
        try {
            closing.get(CLOSE_TIMEOUT_MS, TimeUnit.MILLISECONDS);
            timer.schedule(timer::shutdownNow, END_OF_TIMER_MS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            // a command in a connection that hangs fails at its command timeout; until then the timer lives
        } finally {
            timer.shutdown();
        }
    }
}
