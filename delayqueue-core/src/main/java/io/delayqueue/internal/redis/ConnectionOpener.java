package io.delayqueue.internal.redis;

import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.api.StatefulConnection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Opens one connection at a time, in attempts that don't wait for each other. Opening blocks, so each attempt has a thread of its
 * own while it lasts. An attempt that hangs gets another one beside it: the first to succeed counts, and any other is closed when
 * it succeeds.
 */
final class ConnectionOpener<C extends StatefulConnection<byte[], byte[]>> {

    /** Keeps a server that refuses connections from being flooded with them. */
    private static final long MIN_INTERVAL_MS = 1000;

    /** A connection opens within milliseconds; an attempt that takes longer than this probably hangs. */
    private static final long HANGING_AFTER_MS = 2000;

    /** Bounds the threads. Lettuce ends a hanging attempt after 60 s by default: until then, one every 2 s. */
    private static final int MAX_ATTEMPTS_AT_A_TIME = 32;

    /** On a busy machine Lettuce loses the server's reason twice in a row, hardly ever four times. */
    private static final int MAX_TRIES_FOR_A_REASON = 5;

    private final String name;
    private final Supplier<C> connect;
    private final ScheduledExecutorService timer;
    private final ThreadFactory threads;

    private final ReentrantLock lock = new ReentrantLock();
    /** The result that attempts are made for; null while no connection is wanted. */
    private @Nullable CompletableFuture<C> wanted;

    private int attempts;
    private long lastAttempt = System.nanoTime() - TimeUnit.MILLISECONDS.toNanos(MIN_INTERVAL_MS);
    private @Nullable Throwable lastFailure;

    ConnectionOpener(String name, Supplier<C> connect, ScheduledExecutorService timer) {
        this(name, connect, timer, Thread::new);
    }

    /** @param threads makes the thread of an attempt, which gets its name here */
    ConnectionOpener(String name, Supplier<C> connect, ScheduledExecutorService timer, ThreadFactory threads) {
        this.name = name;
        this.connect = connect;
        this.timer = timer;
        this.threads = threads;
    }

    /** Opens a connection; fails with the first attempt that fails. A call while another one is under way shares its result. */
    CompletableFuture<C> open() {
        lock.lock();
        try {
            if (wanted == null) {
                CompletableFuture<C> result = new CompletableFuture<>();
                wanted = result;
                long wait = Math.max(0, MIN_INTERVAL_MS - sinceLastAttemptMs());
                timer.schedule(() -> attempt(result), wait, TimeUnit.MILLISECONDS);
            }
            return wanted;
        } finally {
            lock.unlock();
        }
    }

    /** Wants no connection any more: an attempt that succeeds after this is closed. The result of {@link #open} stays open. */
    void cancel() {
        take();
    }

    /** Why the last attempt failed; null if none has since one succeeded. */
    @Nullable
    Throwable lastFailure() {
        lock.lock();
        try {
            return lastFailure;
        } finally {
            lock.unlock();
        }
    }

    /** Makes an attempt, and another one later unless there is a result by then. */
    private void attempt(CompletableFuture<C> result) {
        lock.lock();
        try {
            if (wanted != result) {
                return;
            }
            timer.schedule(() -> attempt(result), HANGING_AFTER_MS, TimeUnit.MILLISECONDS);
            if (attempts >= MAX_ATTEMPTS_AT_A_TIME) {
                return;
            }
            attempts++;
            lastAttempt = System.nanoTime();
        } finally {
            lock.unlock();
        }
        try {
            Thread thread = threads.newThread(this::run);
            thread.setName("delayqueue-connect-" + name);
            thread.setDaemon(true);
            thread.start();
        } catch (Throwable noThread) {
            // the next attempt has its time already
            notBegun(noThread);
        }
    }

    private void notBegun(Throwable failure) {
        lock.lock();
        try {
            attempts--;
            lastFailure = failure;
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        C connection;
        try {
            connection = connect();
        } catch (Throwable e) {
            CompletableFuture<C> result = ended(e);
            if (result != null) {
                result.completeExceptionally(e);
            }
            return;
        }
        CompletableFuture<C> result = ended(null);
        if (result != null) {
            result.complete(connection);
        } else {
            connection.closeAsync();
        }
    }

    /** Connects; again if Lettuce lost the reason for which the server hung up. */
    private C connect() {
        for (int triesLeft = MAX_TRIES_FOR_A_REASON; ; triesLeft--) {
            try {
                return connect.get();
            } catch (RedisConnectionException e) {
                if (triesLeft == 1 || !hasLostTheReason(e)) {
                    throw e;
                }
            }
        }
    }

    /** Either the handshake found its connection gone, or the connection ended before the handshake was answered. */
    private static boolean hasLostTheReason(RedisConnectionException error) {
        Throwable cause = error.getCause();
        return cause instanceof IllegalStateException
                || cause instanceof RedisConnectionException && cause.getCause() == null;
    }

    private @Nullable CompletableFuture<C> ended(@Nullable Throwable failure) {
        lock.lock();
        try {
            attempts--;
            lastFailure = failure;
            return take();
        } finally {
            lock.unlock();
        }
    }

    private @Nullable CompletableFuture<C> take() {
        lock.lock();
        try {
            CompletableFuture<C> taken = wanted;
            wanted = null;
            return taken;
        } finally {
            lock.unlock();
        }
    }

    private long sinceLastAttemptMs() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - lastAttempt);
    }
}
