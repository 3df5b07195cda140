package io.delayqueue.internal.redis;

import io.lettuce.core.RedisFuture;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps channels subscribed while they are wanted, and makes sure that Redis confirms it. Lettuce takes any answer for a subscription;
 * this counts only the confirmation for the channel, retries after an error, and tells of a server that stays silent.
 *
 * <p>The commands of a channel go one after the other, all from the timer's thread: an unsubscription that overtook a subscription
 * would leave its consumer without wake-ups.
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
    private final Consumer<StatefulRedisPubSubConnection<byte[], byte[]>> silent;

    /** Channels without confirmation, each with its latest attempt. */
    private final Map<ByteBuffer, Object> unconfirmed = new ConcurrentHashMap<>();

    /** Channels with a command under way. Used by the timer's thread alone. */
    private final Map<ByteBuffer, Command> underWay = new HashMap<>();

    private final AtomicBoolean deniedLogged = new AtomicBoolean();

    /**
     * Sends nothing yet.
     *
     * @param timer has one thread
     * @param isWanted whether a channel still has listeners
     * @param silent told a connection of which a server does not confirm a subscription, again and again until it does
     */
    ChannelSubscriptions(
            Topology topology,
            ReconnectingConnection<StatefulRedisPubSubConnection<byte[], byte[]>> connection,
            ScheduledExecutorService timer,
            Duration timeout,
            Predicate<ByteBuffer> isWanted,
            Consumer<StatefulRedisPubSubConnection<byte[], byte[]>> silent) {
        this.topology = topology;
        this.connection = connection;
        this.timer = timer;
        this.timeout = timeout;
        this.isWanted = isWanted;
        this.silent = silent;
    }

    /**
     * Subscribes the channel on the present connection if it is wanted, even if it is subscribed; else unsubscribes it. To be called after
     * each change of whether it is wanted, and when a subscription may be lost.
     */
    void update(ByteBuffer channel) {
        timer.execute(() -> connection.ifOpen(open -> update(open, channel)));
    }

    private void update(StatefulRedisPubSubConnection<byte[], byte[]> open, ByteBuffer channel) {
        Command present = underWay.get(channel);
        if (present != null && present.over == open) {
            present.updateAgain = true;
            return;
        }
        Command command = new Command(open);
        underWay.put(channel, command);
        // an answer that never comes must not hold up the channel's next command
        command.expiry = timer.schedule(() -> ended(channel, command), timeout.toMillis(), TimeUnit.MILLISECONDS);
        (isWanted.test(channel) ? subscribe(open, channel) : sendUnsubscribe(open, channel.array()))
                .whenComplete((nothing, error) -> timer.execute(() -> ended(channel, command)));
    }

    private void ended(ByteBuffer channel, Command command) {
        if (!underWay.remove(channel, command)) {
            return;
        }
        if (command.expiry != null) {
            command.expiry.cancel(false);
        }
        if (command.updateAgain) {
            connection.ifOpen(open -> update(open, channel));
        }
    }

    /** Subscribes the channel, again and again until Redis confirms it or denies the permission. */
    private CompletionStage<Void> subscribe(StatefulRedisPubSubConnection<byte[], byte[]> open, ByteBuffer channel) {
        Object attempt = new Object();
        unconfirmed.put(channel, attempt);
        checkLater(open, channel, attempt);
        return sendSubscribe(open, channel.array()).whenComplete((nothing, error) -> {
            if (error != null && !connection.isClosed()) {
                unconfirmed.remove(channel, attempt);
                failed(open, channel, error);
            }
        });
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
                    "Redis' ACL denies this user SUBSCRIBE or the channel {}: a message that is due earlier than the others may"
                            + " be late by up to the guard interval",
                    new String(channel.array(), StandardCharsets.UTF_8));
        }
    }

    /** A connection that was opened meanwhile subscribes all channels anyway. */
    private void retry(StatefulRedisPubSubConnection<byte[], byte[]> open, ByteBuffer channel) {
        if (connection.isCurrent(open) && isWanted.test(channel)) {
            update(open, channel);
        }
    }

    private void checkLater(StatefulRedisPubSubConnection<byte[], byte[]> open, ByteBuffer channel, Object attempt) {
        timer.schedule(() -> check(open, channel, attempt), timeout.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** If the connection stays, so does the command that waits in it: it is not sent again. */
    private void check(StatefulRedisPubSubConnection<byte[], byte[]> open, ByteBuffer channel, Object attempt) {
        if (!connection.isCurrent(open) || !isWanted.test(channel)) {
            unconfirmed.remove(channel, attempt);
        } else if (unconfirmed.get(channel) == attempt) {
            silent.accept(open);
            checkLater(open, channel, attempt);
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

    /** A subscription or unsubscription that is not answered yet. */
    private static final class Command {

        private final StatefulRedisPubSubConnection<byte[], byte[]> over;
        private @Nullable Future<?> expiry;
        private boolean updateAgain;

        private Command(StatefulRedisPubSubConnection<byte[], byte[]> over) {
            this.over = over;
        }
    }
}
