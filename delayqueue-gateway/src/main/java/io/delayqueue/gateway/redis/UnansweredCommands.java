package io.delayqueue.gateway.redis;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Has a connection factory open new connections when commands are not answered in time. The server's machine may have failed without
 * closing them, and TCP takes a quarter of an hour to find out. Safe for use by several threads.
 */
public final class UnansweredCommands {

    private static final Logger log = LoggerFactory.getLogger(UnansweredCommands.class);

    /** A server that is silent only for a moment must not get new connections all the time. */
    private static final long INTERVAL_NANOS = Duration.ofSeconds(5).toNanos();

    private final @Nullable LettuceConnectionFactory factory;
    private final AtomicLong nextReset = new AtomicLong(System.nanoTime());

    /** @param factory the factory of a template; others than Lettuce's are left alone */
    public UnansweredCommands(@Nullable Object factory) {
        this.factory = factory instanceof LettuceConnectionFactory lettuce ? lettuce : null;
    }

    /** A command was not answered in time. Returns at once. */
    public void noted() {
        LettuceConnectionFactory of = factory;
        long now = System.nanoTime();
        long next = nextReset.get();
        if (of == null || now - next < 0 || !nextReset.compareAndSet(next, now + INTERVAL_NANOS)) {
            return;
        }
        // whoever opens a connection holds the factory's lock for as long as that takes
        Thread thread = new Thread(() -> reset(of), "delayqueue-gateway-reconnect");
        thread.setDaemon(true);
        try {
            thread.start();
        } catch (OutOfMemoryError noThread) {
            log.debug("No thread to open new connections", noThread);
        }
    }

    private static void reset(LettuceConnectionFactory factory) {
        log.debug("Commands were not answered: new connections are opened");
        try {
            factory.resetConnection();
        } catch (RuntimeException e) {
            log.debug("The former connections could not be closed", e);
        }
    }
}
