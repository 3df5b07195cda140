package io.delayqueue.internal.redis;

import io.lettuce.core.RedisFuture;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Subscribes channels, and makes sure that Redis confirms it. Lettuce takes any answer for a subscription; this counts only the
 * confirmation for the channel, retries after an error, and replaces a connection that stays silent.
 */
final class ChannelSubscriptions {

    private static final Logger log = LoggerFactory.getLogger(ChannelSubscriptions.class);

    /** For a server that is loading or busy. */
    private static final long RETRY_MS = 1000;

    private final Topology topology;
    private final ReconnectingConnection<StatefulRedisPubSubConnection<byte[], byte[]>> connection;
    private final ScheduledExecutorService timer;
    private final Duration timeout;
    private final Predicate<ByteBuffer> isWanted;

    /** Channels without confirmation, each with its latest attempt. */
    private final Map<ByteBuffer, Object> unconfirmed = new ConcurrentHashMap<>();

    private final AtomicBoolean deniedLogged = new AtomicBoolean();

    /** @param isWanted whether a channel still has listeners */
    ChannelSubscriptions(
            Topology topology,
            ReconnectingConnection<StatefulRedisPubSubConnection<byte[], byte[]>> connection,
            ScheduledExecutorService timer,
            Duration timeout,
            Predicate<ByteBuffer> isWanted) {
        this.topology = topology;
        this.connection = connection;
        this.timer = timer;
        this.timeout = timeout;
        this.isWanted = isWanted;
    }

    /** Subscribes the channel on this connection, again and again until Redis confirms it or denies the permission. */
    void subscribe(StatefulRedisPubSubConnection<byte[], byte[]> open, ByteBuffer channel) {
        Object attempt = new Object();
        unconfirmed.put(channel, attempt);
        timer.schedule(() -> replaceUnlessConfirmed(open, channel, attempt), timeout.toMillis(), TimeUnit.MILLISECONDS);
        sendSubscribe(open, channel.array()).whenComplete((nothing, error) -> {
            if (error != null && !connection.isClosed()) {
                unconfirmed.remove(channel, attempt);
                failed(open, channel, error);
            }
        });
    }

    void unsubscribe(StatefulRedisPubSubConnection<byte[], byte[]> open, ByteBuffer channel) {
        sendUnsubscribe(open, channel.array());
    }

    /** Redis confirmed the subscription. */
    void confirmed(ByteBuffer channel) {
        unconfirmed.remove(channel);
    }

    /** Subscribes a channel and unsubscribes it again; fails as Redis does. */
    CompletableFuture<Void> trySubscribe(byte[] channel) {
        return connection
                .connection()
                .thenCompose(
                        open -> sendSubscribe(open, channel).thenCompose(subscribed -> sendUnsubscribe(open, channel)))
                .orTimeout(timeout.toNanos(), TimeUnit.NANOSECONDS)
                .handle((nothing, error) -> {
                    if (error != null) {
                        throw RedisErrors.translate(error, "subscribe", null);
                    }
                    return null;
                });
    }

    private void failed(StatefulRedisPubSubConnection<byte[], byte[]> open, ByteBuffer channel, Throwable error) {
        if (!RedisErrors.isPermission(error)) {
            timer.schedule(() -> retry(open, channel), RETRY_MS, TimeUnit.MILLISECONDS);
        } else if (deniedLogged.compareAndSet(false, true)) {
            log.warn(
                    "Redis' ACL denies this user SUBSCRIBE or the channel {}: consumers notice a message that is due earlier"
                            + " than the others only at the guard interval",
                    new String(channel.array(), StandardCharsets.UTF_8));
        }
    }

    /** A connection that was opened meanwhile subscribes all channels anyway. */
    private void retry(StatefulRedisPubSubConnection<byte[], byte[]> open, ByteBuffer channel) {
        if (connection.isCurrent(open) && isWanted.test(channel)) {
            subscribe(open, channel);
        }
    }

    private void replaceUnlessConfirmed(
            StatefulRedisPubSubConnection<byte[], byte[]> open, ByteBuffer channel, Object attempt) {
        if (unconfirmed.remove(channel, attempt) && isWanted.test(channel)) {
            connection.replace(open, "it does not confirm a subscription");
        }
    }

    private RedisFuture<Void> sendSubscribe(StatefulRedisPubSubConnection<byte[], byte[]> open, byte[] channel) {
        return topology.hasShardChannels()
                ? open.async().ssubscribe(channel)
                : open.async().subscribe(channel);
    }

    private RedisFuture<Void> sendUnsubscribe(StatefulRedisPubSubConnection<byte[], byte[]> open, byte[] channel) {
        return topology.hasShardChannels()
                ? open.async().sunsubscribe(channel)
                : open.async().unsubscribe(channel);
    }
}
