package io.delayqueue.internal.redis;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulConnection;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Numbers connections, each anew when it breaks, and withdraws commands that must not be sent again then. Lettuce sends unanswered
 * commands over the next connection, to a server that may have lost data. Thread-safe.
 */
final class ConnectionNumbers {

    private final AtomicLong last = new AtomicLong();
    private final Map<StatefulConnection<?, ?>, Numbered> connections =
            Collections.synchronizedMap(new WeakHashMap<>());

    /** The connection's number, which is watched from then on. */
    Numbered of(StatefulConnection<?, ?> connection) {
        return connections.computeIfAbsent(connection, this::watch);
    }

    private Numbered watch(StatefulConnection<?, ?> connection) {
        Numbered numbered = new Numbered();
        connection.addListener(numbered);
        return numbered;
    }

    /** A connection, which may be another one under the hood whenever its number changes. */
    final class Numbered implements RedisConnectionStateListener {

        private final Set<Runnable> bound = ConcurrentHashMap.newKeySet();
        private volatile long number = last.incrementAndGet();

        /** Positive, and never that of another connection. */
        long number() {
            return number;
        }

        /**
         * Binds a command that is about to be sent, until it ends.
         *
         * @param withdraw fails the command, and takes it out of the connection
         * @return false if the connection has another number: the command must not be sent
         */
        boolean bind(long expected, Runnable withdraw) {
            bound.add(withdraw);
            return number == expected;
        }

        /** The command has ended. */
        void unbind(Runnable withdraw) {
            bound.remove(withdraw);
        }

        /** Is called before the next connection is open. */
        @Override
        public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
            number = last.incrementAndGet();
            bound.forEach(Runnable::run);
        }
    }
}
