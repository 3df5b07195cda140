package io.delayqueue.internal.redis;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulConnection;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Reports a connection that is disconnected and that Lettuce does not reconnect by itself within a second. */
final class DisconnectWatch implements RedisConnectionStateListener {

    /** A reconnected connection keeps the commands that wait in it; a replaced one does not. */
    private static final long RECONNECT_GRACE_MS = 1000;

    private final StatefulConnection<?, ?> connection;
    private final ScheduledExecutorService timer;
    private final Runnable onBroken;

    private DisconnectWatch(StatefulConnection<?, ?> connection, ScheduledExecutorService timer, Runnable onBroken) {
        this.connection = connection;
        this.timer = timer;
        this.onBroken = onBroken;
    }

    /** Watches the connection for as long as it exists. */
    static void start(StatefulConnection<?, ?> connection, ScheduledExecutorService timer, Runnable onBroken) {
        DisconnectWatch watch = new DisconnectWatch(connection, timer, onBroken);
        connection.addListener(watch);
        if (!connection.isOpen()) {
            watch.checkLater();
        }
    }

    @Override
    public void onRedisDisconnected(RedisChannelHandler<?, ?> disconnected) {
        checkLater();
    }

    private void checkLater() {
        timer.schedule(this::check, RECONNECT_GRACE_MS, TimeUnit.MILLISECONDS);
    }

    private void check() {
        if (!connection.isOpen()) {
            onBroken.run();
        }
    }
}
