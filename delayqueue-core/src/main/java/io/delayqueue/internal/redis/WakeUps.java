package io.delayqueue.internal.redis;

import io.delayqueue.internal.store.MessageStore.WakeUpListener;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the subscriptions of all channels alive on one connection, which is opened with the first listener. Whenever a
 * channel was subscribed (again), its listeners are told 0, since what came before was missed.
 */
final class WakeUps {

    private static final Logger log = LoggerFactory.getLogger(WakeUps.class);

    private static final long RETRY_MS = 1000;
    private static final long CHECK_MS = 200;

    private final Topology servers;
    private final ReconnectingConnection<StatefulRedisPubSubConnection<byte[], byte[]>> link;
    private final ScheduledExecutorService timer;
    private final Duration timeout;
    private final Map<ByteBuffer, List<WakeUpListener>> listeners = new ConcurrentHashMap<>();
    /** Channels that Redis has not said to be subscribed yet, with the latest attempt. */
    private final Map<ByteBuffer, Object> unconfirmed = new ConcurrentHashMap<>();

    private final AtomicBoolean opening = new AtomicBoolean();
    private final AtomicBoolean denied = new AtomicBoolean();
    private final AtomicBoolean checking = new AtomicBoolean();

    WakeUps(Topology servers, ScheduledExecutorService timer, Duration timeout) {
        this.servers = servers;
        this.link = new ReconnectingConnection<>(
                "wake-up", servers::connectPubSub, timer, this::opened, this::keepOpen, servers.lingerMs(timeout));
        this.timer = timer;
        this.timeout = timeout;
        servers.onChange(this::checkSoon);
    }

    /** Has the listener told of wake-ups in the channel until the result is closed. */
    AutoCloseable listen(byte[] channel, WakeUpListener listener) {
        ByteBuffer key = ByteBuffer.wrap(channel);
        boolean[] first = new boolean[1];
        listeners.compute(key, (k, present) -> {
            List<WakeUpListener> all = present == null ? new CopyOnWriteArrayList<>() : present;
            first[0] = all.isEmpty();
            all.add(listener);
            return all;
        });
        if (first[0]) {
            link.ifOpen(connection -> subscribe(connection, channel));
            keepOpen();
        }
        return () -> remove(key, listener);
    }

    /** The connection, for trying things. */
    ReconnectingConnection<StatefulRedisPubSubConnection<byte[], byte[]>> link() {
        return link;
    }

    /** Subscribes and unsubscribes a channel that nobody listens to; fails as Redis does. */
    CompletableFuture<Void> tryOut(byte[] channel) {
        return link.connection()
                .thenCompose(connection ->
                        subscribing(connection, channel).thenCompose(nothing -> unsubscribing(connection, channel)))
                .orTimeout(timeout.toNanos(), TimeUnit.NANOSECONDS)
                .handle((nothing, error) -> {
                    if (error != null) {
                        throw RedisErrors.translate(error, "subscribing", null);
                    }
                    return null;
                });
    }

    private void remove(ByteBuffer channel, WakeUpListener listener) {
        boolean[] last = new boolean[1];
        listeners.computeIfPresent(channel, (k, all) -> {
            last[0] = all.remove(listener) && all.isEmpty();
            return all.isEmpty() ? null : all;
        });
        if (last[0]) {
            link.ifOpen(connection -> unsubscribing(connection, channel.array()));
        }
    }

    /** Opens the connection, and tries again until it is open or nobody listens. */
    private void keepOpen() {
        if (listeners.isEmpty() || link.isClosed() || !opening.compareAndSet(false, true)) {
            return;
        }
        link.connection().whenComplete((connection, error) -> {
            opening.set(false);
            if (error != null) {
                log.debug("No wake-ups from Redis for now: {}", RedisErrors.text(error));
            }
            if (error != null || !link.isOpen(connection)) {
                timer.schedule(this::keepOpen, RETRY_MS, TimeUnit.MILLISECONDS);
            }
        });
    }

    private void opened(StatefulRedisPubSubConnection<byte[], byte[]> connection) {
        connection.addListener(new ChannelListener());
        connection.addListener(new Reconnections());
        listeners.keySet().forEach(channel -> subscribe(connection, channel.array()));
    }

    private void subscribe(StatefulRedisPubSubConnection<byte[], byte[]> connection, byte[] channel) {
        ByteBuffer key = ByteBuffer.wrap(channel);
        Object attempt = new Object();
        unconfirmed.put(key, attempt);
        timer.schedule(() -> renewUnlessConfirmed(connection, key, attempt), timeout.toMillis(), TimeUnit.MILLISECONDS);
        subscribing(connection, channel).whenComplete((nothing, error) -> {
            if (error == null || link.isClosed()) {
                return;
            }
            unconfirmed.remove(key, attempt);
            if (!RedisErrors.code(error).equals("NOPERM")) {
                timer.schedule(() -> subscribeAgain(connection, channel), RETRY_MS, TimeUnit.MILLISECONDS);
            } else if (denied.compareAndSet(false, true)) {
                log.warn(
                        "Redis' ACL denies this user channel {} (or SUBSCRIBE): consumers learn of earlier messages only at"
                                + " the guard interval",
                        new String(channel, StandardCharsets.UTF_8));
            }
        });
    }

    /** Neither silence nor any other answer is a subscription, whatever Lettuce makes of it. */
    private void renewUnlessConfirmed(
            StatefulRedisPubSubConnection<byte[], byte[]> connection, ByteBuffer channel, Object attempt) {
        if (unconfirmed.remove(channel, attempt) && listeners.containsKey(channel)) {
            link.renew(connection, "the old one was not told that it is subscribed");
        }
    }

    private RedisFuture<Void> subscribing(StatefulRedisPubSubConnection<byte[], byte[]> connection, byte[] channel) {
        return servers.haveShardChannels()
                ? connection.async().ssubscribe(channel)
                : connection.async().subscribe(channel);
    }

    private RedisFuture<Void> unsubscribing(StatefulRedisPubSubConnection<byte[], byte[]> connection, byte[] channel) {
        return servers.haveShardChannels()
                ? connection.async().sunsubscribe(channel)
                : connection.async().unsubscribe(channel);
    }

    /** Subscriptions may have gone: servers changed places, or refused what Lettuce subscribed by itself. */
    private void checkSoon() {
        if (!listeners.isEmpty() && checking.compareAndSet(false, true)) {
            timer.schedule(this::check, CHECK_MS, TimeUnit.MILLISECONDS);
        }
    }

    private void check() {
        checking.set(false);
        link.ifOpen(connection -> listeners.keySet().forEach(channel -> subscribe(connection, channel.array())));
    }

    /** For a server that was busy; on another connection all channels are subscribed anyway. */
    private void subscribeAgain(StatefulRedisPubSubConnection<byte[], byte[]> connection, byte[] channel) {
        if (link.isOpen(connection) && listeners.containsKey(ByteBuffer.wrap(channel))) {
            subscribe(connection, channel);
        }
    }

    private void tell(byte[] channel, long waitMicros) {
        List<WakeUpListener> all = listeners.get(ByteBuffer.wrap(channel));
        if (all == null) {
            return;
        }
        for (WakeUpListener listener : all) {
            try {
                listener.wakeUp(waitMicros);
            } catch (RuntimeException e) {
                log.warn("A consumer failed to wake up", e);
            }
        }
    }

    private static long micros(byte @Nullable [] message) {
        if (message == null) {
            return 0;
        }
        try {
            return Math.max(0, Long.parseLong(new String(message, StandardCharsets.ISO_8859_1)));
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    /** Lettuce subscribes anew when it has reconnected, and doesn't mind if that is refused. */
    private final class Reconnections implements RedisConnectionStateListener {

        @Override
        public void onRedisConnected(RedisChannelHandler<?, ?> reconnected, SocketAddress address) {
            checkSoon();
        }
    }

    /** Hears what comes over the connection. */
    private final class ChannelListener extends RedisPubSubAdapter<byte[], byte[]> {

        @Override
        public void message(byte[] channel, byte[] message) {
            tell(channel, micros(message));
        }

        @Override
        public void subscribed(byte[] channel, long count) {
            unconfirmed.remove(ByteBuffer.wrap(channel));
            tell(channel, 0);
        }

        @Override
        public void smessage(byte[] channel, byte[] message) {
            tell(channel, micros(message));
        }

        @Override
        public void ssubscribed(byte[] channel, long count) {
            unconfirmed.remove(ByteBuffer.wrap(channel));
            tell(channel, 0);
        }

        /** The server gave its slot away. */
        @Override
        public void sunsubscribed(byte[] channel, long count) {
            servers.lookAgain();
            checkSoon();
        }
    }
}
