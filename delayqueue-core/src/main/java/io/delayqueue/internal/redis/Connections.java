package io.delayqueue.internal.redis;

import io.delayqueue.DelayQueueOptions;
import io.delayqueue.WakeUp;
import io.lettuce.core.api.StatefulConnection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * All that a store holds open: a connection for commands, one for wake-ups, and a thread that watches the time. Each comes
 * into being at first use. The client is the caller's and stays open.
 */
final class Connections {

    private static final long CLOSING_MS = 1000;

    private final Servers servers;
    private final ScheduledThreadPoolExecutor timer;
    private final Link<StatefulConnection<byte[], byte[]>> commands;
    private final Calls calls;
    private final @Nullable WakeUps wakeUps;

    private Connections(
            Servers servers,
            ScheduledThreadPoolExecutor timer,
            Link<StatefulConnection<byte[], byte[]>> commands,
            Calls calls,
            @Nullable WakeUps wakeUps) {
        this.servers = servers;
        this.timer = timer;
        this.commands = commands;
        this.calls = calls;
        this.wakeUps = wakeUps;
    }

    static Connections over(Servers servers, DelayQueueOptions options) {
        ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "delayqueue-redis");
            thread.setDaemon(true);
            return thread;
        });
        timer.setRemoveOnCancelPolicy(true);
        timer.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
        Link<StatefulConnection<byte[], byte[]>> commands = new Link<>(
                "command",
                servers::connect,
                timer,
                connection -> {},
                () -> {},
                servers.lingerMs(options.commandTimeout()));
        WakeUps wakeUps =
                options.wakeUp() == WakeUp.POLL ? null : new WakeUps(servers, timer, options.commandTimeout());
        // a peer that is silent here is silent there too, where nobody would notice
        Runnable onSilence = wakeUps == null ? () -> {} : () -> wakeUps.link().renew("commands are not answered");
        return new Connections(
                servers,
                timer,
                commands,
                new Calls(servers, commands, timer, options.commandTimeout(), onSilence),
                wakeUps);
    }

    Servers servers() {
        return servers;
    }

    Calls calls() {
        return calls;
    }

    /** Null if consumers poll. */
    @Nullable
    WakeUps wakeUps() {
        return wakeUps;
    }

    /** Closes both connections; what waits in them fails. */
    void close() {
        servers.close();
        CompletableFuture<Void> closing = commands.close();
        if (wakeUps != null) {
            closing = CompletableFuture.allOf(closing, wakeUps.link().close());
        }
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
