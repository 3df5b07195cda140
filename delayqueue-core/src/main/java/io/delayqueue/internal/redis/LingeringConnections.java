package io.delayqueue.internal.redis;

import io.lettuce.core.api.StatefulConnection;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Replaced connections that stay open for a while, since replies to commands under way may still arrive over them. */
final class LingeringConnections<C extends StatefulConnection<?, ?>> {

    private final ScheduledExecutorService timer;
    private final long lingerMs;
    private final Set<C> connections = ConcurrentHashMap.newKeySet();

    LingeringConnections(ScheduledExecutorService timer, long lingerMs) {
        this.timer = timer;
        this.lingerMs = lingerMs;
    }

    /** Closes the connection when its time is over. */
    void add(C connection) {
        connections.add(connection);
        timer.schedule(() -> close(connection), lingerMs, TimeUnit.MILLISECONDS);
    }

    /** Closes all of them now. */
    CompletableFuture<Void> close() {
        return CompletableFuture.allOf(connections.stream().map(this::close).toArray(CompletableFuture[]::new));
    }

    private CompletableFuture<Void> close(C connection) {
        connections.remove(connection);
        return connection.closeAsync();
    }
}
