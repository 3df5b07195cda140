package io.delayqueue.benchmarks.peers.redisson;

import io.delayqueue.benchmarks.peer.Handler;
import io.delayqueue.benchmarks.peer.Outgoing;
import io.delayqueue.benchmarks.peer.Peer;
import io.delayqueue.benchmarks.peer.PeerSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.redisson.Redisson;
import org.redisson.api.RBlockingQueue;
import org.redisson.api.RDelayedQueue;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.ByteArrayCodec;
import org.redisson.config.Config;

/**
 * Redisson's RDelayedQueue in front of an RBlockingQueue that threads take from. Taking removes a message from Redis: there is no
 * ack, and a crash loses the messages that the consumer had taken.
 */
public final class RedissonPeer implements Peer {

    /** Each thread that waits in {@code take} holds a connection. Redisson's default of 64 is too few for 256 threads. */
    private static final int CONNECTIONS = 320;

    private final RedissonClient redisson;
    private final Map<String, RDelayedQueue<byte[]>> delayed = new ConcurrentHashMap<>();

    /** Connects to the server. */
    public RedissonPeer(PeerSettings settings) {
        Config config = new Config();
        config.useSingleServer().setAddress(settings.server()).setConnectionPoolSize(CONNECTIONS);
        redisson = Redisson.create(config);
    }

    @Override
    public void schedule(Outgoing message) {
        delayed(message.topic()).offer(message.payload(), message.delay().toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public CompletionStage<?> scheduleAsync(Outgoing message) {
        return delayed(message.topic())
                .offerAsync(message.payload(), message.delay().toMillis(), TimeUnit.MILLISECONDS);
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
        List<Thread> threads = new ArrayList<>();
        for (String topic : topics) {
            delayed(topic); // this object moves due messages to the queue
            for (int i = 0; i < concurrency; i++) {
                threads.add(new Thread(() -> consume(queue(topic), handler), "redisson-take"));
            }
        }
        threads.forEach(Thread::start);
        return () -> {
            for (Thread thread : threads) {
                thread.interrupt();
            }
            for (Thread thread : threads) {
                thread.join();
            }
        };
    }

    private static void consume(RBlockingQueue<byte[]> queue, Handler handler) {
        try {
            while (true) {
                handler.handle(queue.take(), Handler.UNKNOWN_DUE);
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private RDelayedQueue<byte[]> delayed(String topic) {
        return delayed.computeIfAbsent(topic, name -> redisson.getDelayedQueue(queue(name)));
    }

    private RBlockingQueue<byte[]> queue(String topic) {
        return redisson.getBlockingQueue(topic, ByteArrayCodec.INSTANCE);
    }

    @Override
    public void close() {
        delayed.values().forEach(RDelayedQueue::destroy);
        redisson.shutdown(0, 2, TimeUnit.SECONDS);
    }
}
