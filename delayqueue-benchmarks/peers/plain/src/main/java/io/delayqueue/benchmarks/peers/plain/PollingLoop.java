package io.delayqueue.benchmarks.peers.plain;

import io.delayqueue.benchmarks.peer.Handler;
import io.delayqueue.benchmarks.peer.Outgoing;
import io.delayqueue.benchmarks.peer.Peer;
import io.delayqueue.benchmarks.peer.PeerSettings;
import io.lettuce.core.Limit;
import io.lettuce.core.Range;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandInterruptedException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A sorted set polled by one loop, as often written by hand: the message is the member, and the consumer that removes it handles it. The
 * loop polls every millisecond while nothing is due, more often than most do. A crash loses the messages that the consumer had removed.
 */
public final class PollingLoop implements Peer {

    private static final int PAGE = 100;

    private final RedisClient client;
    private final StatefulRedisConnection<byte[], byte[]> connection;

    /** Connects to the server. */
    public PollingLoop(PeerSettings settings) {
        client = RedisClient.create(settings.server());
        connection = client.connect(ByteArrayCodec.INSTANCE);
    }

    @Override
    public void schedule(Outgoing message) throws Exception {
        scheduleAsync(message).toCompletableFuture().get();
    }

    @Override
    public CompletionStage<?> scheduleAsync(Outgoing message) {
        long due = System.currentTimeMillis() + message.delay().toMillis();
        return connection.async().zadd(key(message.topic()), due, message.payload());
    }

    @Override
    public void scheduleAll(List<Outgoing> messages) throws Exception {
        CompletableFuture.allOf(messages.stream()
                        .map(message -> scheduleAsync(message).toCompletableFuture())
                        .toArray(CompletableFuture<?>[]::new))
                .get();
    }

    @Override
    public AutoCloseable consume(List<String> topics, int concurrency, Handler handler) {
        List<Thread> threads = topics.stream()
                .map(topic -> new Thread(() -> consume(key(topic), handler), "polling-loop"))
                .toList();
        threads.forEach(Thread::start);
        return () -> {
            for (Thread thread : threads) {
                thread.interrupt();
                thread.join();
            }
        };
    }

    private void consume(byte[] key, Handler handler) {
        RedisCommands<byte[], byte[]> redis = connection.sync();
        try {
            while (!Thread.currentThread().isInterrupted()) {
                List<byte[]> due =
                        redis.zrangebyscore(key, Range.create(0, System.currentTimeMillis()), Limit.create(0, PAGE));
                for (byte[] message : due) {
                    if (redis.zrem(key, message) == 1) {
                        handler.handle(message, Handler.UNKNOWN_DUE);
                    }
                }
                if (due.isEmpty()) {
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
                }
            }
        } catch (RedisCommandInterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private static byte[] key(String topic) {
        return ("polled:" + topic).getBytes(StandardCharsets.ISO_8859_1);
    }

    @Override
    public void close() {
        client.shutdown(0, 2, TimeUnit.SECONDS);
    }
}
