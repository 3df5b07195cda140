package io.delayqueue.internal.redis;

import io.lettuce.core.pubsub.RedisPubSubAdapter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Passes on the messages and confirmations of a wake-up connection, alike for shard channels and ordinary ones. */
final class ChannelListener extends RedisPubSubAdapter<byte[], byte[]> {

    private final Events events;

    ChannelListener(Events events) {
        this.events = events;
    }

    /** Events of channels. */
    interface Events {

        /** The partition has a new earliest message, due in this many microseconds; 0 if it is due now or the time is unknown. */
        void wakeUp(ByteBuffer channel, long waitMicros);

        /** Redis confirmed a subscription. */
        void subscribed(ByteBuffer channel);

        /** A subscription of a shard channel ended, perhaps since the server gave the channel's slot away. */
        void unsubscribed(ByteBuffer channel);
    }

    @Override
    public void message(byte[] channel, byte[] message) {
        events.wakeUp(ByteBuffer.wrap(channel), micros(message));
    }

    @Override
    public void smessage(byte[] channel, byte[] message) {
        events.wakeUp(ByteBuffer.wrap(channel), micros(message));
    }

    @Override
    public void subscribed(byte[] channel, long count) {
        events.subscribed(ByteBuffer.wrap(channel));
    }

    @Override
    public void ssubscribed(byte[] channel, long count) {
        events.subscribed(ByteBuffer.wrap(channel));
    }

    @Override
    public void sunsubscribed(byte[] channel, long count) {
        events.unsubscribed(ByteBuffer.wrap(channel));
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
}
