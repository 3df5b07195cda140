package io.delayqueue.internal.redis;

import io.delayqueue.internal.store.MessageStore.WakeUpListener;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wakes listeners by messages of their channels, all over one connection, which is opened with the first listener. Whenever a
 * channel is subscribed (again), its listeners are woken too: an earlier wake-up may have been missed.
 */
final class WakeUps implements ChannelListener.Events {

    private static final Logger log = LoggerFactory.getLogger(WakeUps.class);

    /** Pause after a failed attempt; until then consumers rely on the guard interval. */
    private static final long REOPEN_MS = 1000;

    /** A change of the Cluster is reported several times in a row: one resubscription serves them all. */
    private static final long RESUBSCRIBE_DELAY_MS = 200;

    /**
     * On a Cluster, the replacement of the connection subscribes the channels of all servers again, and wakes their listeners. The first
     * one helps if only the connection is broken. While a server stays silent, more would disturb the others.
     */
    private static final long MIN_REPLACE_INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Topology topology;
    private final ReconnectingConnection<StatefulRedisPubSubConnection<byte[], byte[]>> connection;
    private final ChannelSubscriptions subscriptions;
    private final ScheduledExecutorService timer;
    private final Map<ByteBuffer, List<WakeUpListener>> listeners = new ConcurrentHashMap<>();
    private final AtomicBoolean opening = new AtomicBoolean();
    private final AtomicBoolean resubscribing = new AtomicBoolean();
    private final AtomicLong lastReplaced = new AtomicLong(System.nanoTime() - MIN_REPLACE_INTERVAL_NANOS);

    WakeUps(Topology topology, ScheduledExecutorService timer, Duration timeout) {
        this.topology = topology;
        this.timer = timer;
        this.connection = new ReconnectingConnection<>(
                "wake-up",
                topology::connectPubSub,
                timer,
                topology.lingerMs(timeout),
                new ReconnectingConnection.Listener<>() {
                    @Override
                    public void opened(StatefulRedisPubSubConnection<byte[], byte[]> open) {
                        begin(open);
                    }

                    @Override
                    public void lost() {
                        keepOpen();
                    }
                });
        this.subscriptions = new ChannelSubscriptions(
                topology,
                connection,
                timer,
                timeout,
                listeners::containsKey,
                // without shard channels it leads to one server, and no other
                open -> replace(open, "a server does not confirm a subscription", topology.hasShardChannels()));
        topology.onChange(this::resubscribeSoon);
    }

    /** Wakes the listener by messages of the channel until the result is closed. */
    AutoCloseable listen(byte[] name, WakeUpListener listener) {
        ByteBuffer channel = ByteBuffer.wrap(name);
        boolean[] first = new boolean[1];
        listeners.compute(channel, (k, present) -> {
            List<WakeUpListener> all = present == null ? new CopyOnWriteArrayList<>() : present;
            first[0] = all.isEmpty();
            all.add(listener);
            return all;
        });
        if (first[0]) {
            subscriptions.update(channel);
            keepOpen();
        }
        return () -> remove(channel, listener);
    }

    private void remove(ByteBuffer channel, WakeUpListener listener) {
        boolean[] last = new boolean[1];
        listeners.computeIfPresent(channel, (k, all) -> {
            last[0] = all.remove(listener) && all.isEmpty();
            return all.isEmpty() ? null : all;
        });
        if (last[0]) {
            subscriptions.update(channel);
        }
    }

    ReconnectingConnection<StatefulRedisPubSubConnection<byte[], byte[]>> connection() {
        return connection;
    }

    /** Replaces the connection, since a server that it may lead to failed; see {@link #MIN_REPLACE_INTERVAL_NANOS}. */
    void serverFailed() {
        connection.ifOpen(open -> replace(open, "the server of the command connection failed", topology.isSharded()));
    }

    private void replace(
            StatefulRedisPubSubConnection<byte[], byte[]> open, String reason, boolean leadsToOtherServers) {
        long now = System.nanoTime();
        long last = lastReplaced.get();
        if (!leadsToOtherServers || now - last >= MIN_REPLACE_INTERVAL_NANOS && lastReplaced.compareAndSet(last, now)) {
            connection.replace(open, reason);
        }
    }

    /** See {@link ChannelSubscriptions#trySubscribe}. */
    CompletableFuture<Void> trySubscribe(byte[] channel) {
        return subscriptions.trySubscribe(channel);
    }

    @Override
    public void wakeUp(ByteBuffer channel, long waitMicros) {
        WakeUpListener[] woken = listeners.getOrDefault(channel, List.of()).toArray(new WakeUpListener[0]);
        // the first one claims first: a fixed order would leave single messages to one of the consumers of this process
        int first = woken.length < 2 ? 0 : ThreadLocalRandom.current().nextInt(woken.length);
        for (int i = 0; i < woken.length; i++) {
            try {
                woken[(first + i) % woken.length].wakeUp(waitMicros);
            } catch (RuntimeException e) {
                log.warn("A consumer failed to handle a wake-up", e);
            }
        }
    }

    @Override
    public void subscribed(ByteBuffer channel) {
        subscriptions.confirmed(channel);
        wakeUp(channel, 0);
    }

    @Override
    public void unsubscribed(ByteBuffer channel) {
        if (listeners.containsKey(channel)) {
            topology.refresh();
            resubscribeSoon();
        }
    }

    /** Opens the connection, and tries again until it is open or nothing listens. */
    private void keepOpen() {
        if (listeners.isEmpty() || connection.isClosed() || !opening.compareAndSet(false, true)) {
            return;
        }
        connection.connection().whenComplete((open, error) -> {
            opening.set(false);
            if (error != null) {
                log.debug("No connection for wake-ups for now: {}", ErrorText.of(error));
            }
            if (error != null || !connection.isCurrent(open)) {
                timer.schedule(this::keepOpen, REOPEN_MS, TimeUnit.MILLISECONDS);
            }
        });
    }

    private void begin(StatefulRedisPubSubConnection<byte[], byte[]> open) {
        open.addListener(new ChannelListener(this));
        open.addListener(new RedisConnectionStateListener() {
            @Override
            public void onRedisConnected(RedisChannelHandler<?, ?> reconnected, SocketAddress address) {
                // Lettuce subscribed again by itself, without minding if Redis refused
                resubscribeSoon();
            }
        });
        subscribeAll();
    }

    /** Subscriptions may be gone: keys moved to another server, or a server refused a subscription that Lettuce repeated. */
    private void resubscribeSoon() {
        if (!listeners.isEmpty() && resubscribing.compareAndSet(false, true)) {
            timer.schedule(
                    () -> {
                        resubscribing.set(false);
                        subscribeAll();
                    },
                    RESUBSCRIBE_DELAY_MS,
                    TimeUnit.MILLISECONDS);
        }
    }

    private void subscribeAll() {
        listeners.keySet().forEach(subscriptions::update);
    }
}
