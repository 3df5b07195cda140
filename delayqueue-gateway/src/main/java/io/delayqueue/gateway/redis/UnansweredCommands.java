package io.delayqueue.gateway.redis;

import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Has a connection factory open new connections when Redis has answered no command for some time. The server's machine may have failed
 * without closing them, and TCP takes a quarter of an hour to find out. The application's commands use the same connections, and may have
 * more patience than the gateway's: a server that is silent for a moment only must not end them. Safe for use by several threads.
 */
public final class UnansweredCommands {

    private static final Logger log = LoggerFactory.getLogger(UnansweredCommands.class);

    /** Longer than scripts of others run, and than a server stands still to copy its memory. */
    private static final long LONGEST_SILENCE_NANOS = Duration.ofSeconds(10).toNanos();

    /** Unanswered commands that are further apart are of two silences. */
    private static final long FORGOTTEN_NANOS = Duration.ofMinutes(1).toNanos();

    private final @Nullable LettuceConnectionFactory factory;
    private final long timeoutNanos;
    private final AtomicReference<@Nullable Silence> silence = new AtomicReference<>();

    /**
     * Of commands over a factory.
     *
     * @param factory the factory of a template; others than Lettuce's are left alone
     * @param timeout time after which the gateway gives a command up
     */
    public UnansweredCommands(@Nullable Object factory, Duration timeout) {
        this.factory = factory instanceof LettuceConnectionFactory lettuce ? lettuce : null;
        this.timeoutNanos = timeout.toNanos();
    }

    /**
     * A command has ended. Returns at once.
     *
     * @param failure null if it did not fail; a {@link TimeoutException} or {@link QueryTimeoutException} if it was not answered in time
     */
    public void ended(@Nullable Throwable failure) {
        LettuceConnectionFactory of = factory;
        if (of == null) {
            return;
        }
        if (failure instanceof TimeoutException || failure instanceof QueryTimeoutException) {
            unanswered(of);
        } else if (silence.get() != null && !of.isClusterAware()) {
            // in a Cluster, another server than the silent one may have answered
            silence.set(null);
        }
    }

    private void unanswered(LettuceConnectionFactory of) {
        long now = System.nanoTime();
        Silence before = silence.get();
        Silence after = before == null || now - before.lastNanos > FORGOTTEN_NANOS
                ? new Silence(now - timeoutNanos, now)
                : new Silence(before.sinceNanos, now);
        boolean tooLong = now - after.sinceNanos >= LONGEST_SILENCE_NANOS;
        if (silence.compareAndSet(before, tooLong ? null : after) && tooLong) {
            openConnections(of);
        }
    }

    /** On a thread of its own: whoever opens a connection holds the factory's lock for as long as that takes. */
    private static void openConnections(LettuceConnectionFactory factory) {
        Thread thread = new Thread(() -> reset(factory), "delayqueue-gateway-reconnect");
        thread.setDaemon(true);
        try {
            thread.start();
        } catch (OutOfMemoryError noThread) {
            log.debug("No thread to open new connections", noThread);
        }
    }

    private static void reset(LettuceConnectionFactory factory) {
        log.debug("Commands to Redis were not answered for too long: the connections of their factory are replaced");
        try {
            factory.resetConnection();
        } catch (RuntimeException e) {
            log.debug("The former connections could not be closed", e);
        }
    }

    /**
     * Commands without an answer.
     *
     * @param sinceNanos when the first one was sent
     * @param lastNanos when the last one was given up
     */
    private record Silence(long sinceNanos, long lastNanos) {}
}
