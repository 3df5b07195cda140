package io.delayqueue.internal.redis;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulConnection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts breaks of connections, and withdraws commands that must not be sent again behind one: Lettuce sends what was not answered over the
 * next connection, to a server that may have lost data. Thread-safe.
 */
final class ConnectionBreaks
        implements RedisConnectionStateListener, ReconnectingConnection.Listener<StatefulConnection<byte[], byte[]>> {

    private final AtomicLong count = new AtomicLong();
    private final AtomicBoolean isFirst = new AtomicBoolean(true);
    private final Set<Runnable> bound = ConcurrentHashMap.newKeySet();

    /** Number of breaks so far. */
    long count() {
        return count.get();
    }

    /**
     * Binds a command that is about to be sent, until it ends.
     *
     * @param expected number of breaks
     * @param withdraw fails the command, and takes it out of the connection
     * @return false if there was another break: the command must not be sent
     */
    boolean bind(long expected, Runnable withdraw) {
        bound.add(withdraw);
        return count.get() == expected;
    }

    /** The command has ended. */
    void unbind(Runnable withdraw) {
        bound.remove(withdraw);
    }

    /** Counts a break. Is called before the next connection is open. */
    void broken() {
        count.incrementAndGet();
        bound.forEach(Runnable::run);
    }

    @Override
    public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
        broken();
    }

    /** Another connection than the first may lead to another server. */
    @Override
    public void opening(StatefulConnection<byte[], byte[]> connection) {
        connection.addListener(this);
        if (isFirst.getAndSet(false)) {
            return;
        }
        broken();
    }

    @Override
    public void lost() {
        broken();
    }
}
