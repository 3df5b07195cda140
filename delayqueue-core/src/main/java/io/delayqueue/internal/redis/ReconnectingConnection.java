package io.delayqueue.internal.redis;

import io.lettuce.core.api.StatefulConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * One connection to Redis, opened at its first use, and replaced when it is broken or its users say so. Lettuce alone would come
 * back late: it waits up to 30 s between its attempts to reconnect, and never notices a silent server.
 */
final class ReconnectingConnection<C extends StatefulConnection<byte[], byte[]>> {

    private static final Logger log = LoggerFactory.getLogger(ReconnectingConnection.class);

    /** A connection that breaks again and again must not flood the log. */
    private static final long MIN_LOG_INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final String name;
    private final ConnectionOpener<C> opener;
    private final ScheduledExecutorService timer;
    private final Listener<C> listener;
    private final LingeringConnections<C> lingering;
    /** Whether a connection stays in use until another one is open in its place. */
    private final boolean replacesInUse;

    private final AtomicLong lastLogged = new AtomicLong(System.nanoTime() - MIN_LOG_INTERVAL_NANOS);

    private final ReentrantLock lock = new ReentrantLock();
    /** Written with the lock held, as is {@link #closed}. */
    private volatile @Nullable C current;

    private volatile boolean closed;
    /** Calls that came while there was no connection, in their order. */
    private List<CompletableFuture<C>> waiting = new ArrayList<>();
    /** Whether waiting calls are going to be answered: a connection is being opened, or handed to them. */
    private boolean opening;
    /** Whether another connection is being opened while the current one stays in use. */
    private boolean replacing;

    /** Learns when a connection opens and when it is lost. */
    interface Listener<C> {

        /** A connection is open, and no command was sent over it yet, unless it replaces one in use. */
        default void opening(C connection) {}

        /** A connection is in use from now on. */
        default void opened(C connection) {}

        /** There is no connection any more until the next call asks for one. */
        default void lost() {}
    }

    /** A connection that is closed before another one is opened in its place. */
    ReconnectingConnection(String name, Supplier<C> connect, ScheduledExecutorService timer) {
        this(name, connect, timer, 0, new Listener<>() {});
    }

    /**
     * A connection that may serve on while it is being replaced.
     *
     * @param lingerMs how long the old connection stays open behind the new one; 0 to close it before another one is opened
     */
    ReconnectingConnection(
            String name, Supplier<C> connect, ScheduledExecutorService timer, long lingerMs, Listener<C> listener) {
        this.name = name;
        this.opener = new ConnectionOpener<>(name, connect, timer);
        this.timer = timer;
        this.listener = listener;
        this.lingering = new LingeringConnections<>(timer, lingerMs);
        this.replacesInUse = lingerMs > 0;
    }

    /** The connection once it is open, or why it could not be opened. Calls are answered in their order. */
    CompletableFuture<C> connection() {
        C open = current;
        return open != null ? CompletableFuture.completedFuture(open) : connectionOnceOpen();
    }

    private CompletableFuture<C> connectionOnceOpen() {
        CompletableFuture<C> answer = new CompletableFuture<>();
        lock.lock();
        try {
            if (closed) {
                return CompletableFuture.failedFuture(RedisErrors.closed());
            }
            if (current != null) {
                return CompletableFuture.completedFuture(current);
            }
            waiting.add(answer);
            if (opening) {
                return answer;
            }
            opening = true;
        } finally {
            lock.unlock();
        }
        opener.open().whenComplete((connection, error) -> {
            if (error != null) {
                failed(error);
            } else {
                opened(connection);
            }
        });
        return answer;
    }

    /** Passes the connection to the action if one is open. */
    void ifOpen(Consumer<C> action) {
        C open = current;
        if (open != null) {
            action.accept(open);
        }
    }

    /** Whether this connection is the one in use. */
    boolean isCurrent(C connection) {
        return current == connection;
    }

    boolean isClosed() {
        return closed;
    }

    /** Why the last attempt to open a connection failed; null if none has since one succeeded. */
    @Nullable
    Throwable lastFailure() {
        return opener.lastFailure();
    }

    /** Replaces the connection in use, if there is one. */
    void replace(String reason) {
        ifOpen(connection -> replace(connection, reason));
    }

    /**
     * Replaces this connection unless that was done already. With a linger time it stays in use until another one is open; without,
     * commands that wait in it fail, and the next call opens another one.
     */
    void replace(C broken, String reason) {
        lock.lock();
        try {
            if (current != broken || closed || replacing) {
                return;
            }
            replacing = replacesInUse;
            current = replacesInUse ? broken : null;
        } finally {
            lock.unlock();
        }
        log.atLevel(mayLogInfo() ? Level.INFO : Level.DEBUG)
                .log("Replacing the {} connection to Redis, because {}", name, reason);
        if (replacesInUse) {
            opener.open().whenComplete((fresh, error) -> {
                if (error != null) {
                    notReplaced(error);
                } else {
                    replaced(broken, fresh);
                }
            });
        } else {
            broken.closeAsync();
            listener.lost();
        }
    }

    /** Closes the connection; calls that wait for one fail. */
    CompletableFuture<Void> close() {
        List<CompletableFuture<C>> unanswered;
        C open;
        lock.lock();
        try {
            closed = true;
            unanswered = takeWaiting();
            open = current;
            current = null;
        } finally {
            lock.unlock();
        }
        opener.cancel();
        unanswered.forEach(answer -> answer.completeExceptionally(RedisErrors.closed()));
        return CompletableFuture.allOf(
                open == null ? CompletableFuture.completedFuture(null) : open.closeAsync(), lingering.close());
    }

    private void failed(Throwable error) {
        List<CompletableFuture<C>> unanswered;
        lock.lock();
        try {
            opening = false;
            unanswered = takeWaiting();
        } finally {
            lock.unlock();
        }
        unanswered.forEach(answer -> answer.completeExceptionally(error));
    }

    private void opened(C connection) {
        watch(connection);
        listener.opening(connection);
        if (handOut(connection)) {
            // not earlier: a channel that finds no connection until now relies on the listener to subscribe it
            listener.opened(connection);
        } else {
            connection.closeAsync();
        }
    }

    /** Answers all waiting calls before any call gets the connection at once; false if this is closed by then. */
    private boolean handOut(C connection) {
        while (true) {
            List<CompletableFuture<C>> unanswered;
            lock.lock();
            try {
                unanswered = takeWaiting();
                if (unanswered.isEmpty()) {
                    opening = false;
                    current = closed ? null : connection;
                    return !closed;
                }
            } finally {
                lock.unlock();
            }
            unanswered.forEach(answer -> answer.complete(connection));
        }
    }

    private List<CompletableFuture<C>> takeWaiting() {
        List<CompletableFuture<C>> taken = waiting;
        waiting = new ArrayList<>();
        return taken;
    }

    private void replaced(C old, C fresh) {
        boolean surplus;
        lock.lock();
        try {
            surplus = closed;
            replacing = false;
            if (!surplus) {
                current = fresh;
                lingering.add(old);
            }
        } finally {
            lock.unlock();
        }
        if (surplus) {
            fresh.closeAsync();
        } else {
            watch(fresh);
            listener.opening(fresh);
            listener.opened(fresh);
        }
    }

    private void notReplaced(Throwable error) {
        log.debug("Can't replace the {} connection: {}", name, ErrorText.of(error));
        lock.lock();
        try {
            replacing = false;
        } finally {
            lock.unlock();
        }
    }

    private void watch(C connection) {
        DisconnectWatch.start(connection, timer, () -> replace(connection, "it is broken"));
    }

    private boolean mayLogInfo() {
        long now = System.nanoTime();
        long last = lastLogged.get();
        return now - last >= MIN_LOG_INTERVAL_NANOS && lastLogged.compareAndSet(last, now);
    }
}
