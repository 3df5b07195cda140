package io.delayqueue.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.api.sync.RedisCommands;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Consumers that come and go at the same time on one channel: whoever listens is woken. */
class ChannelSubscriptionsTests {

    private static final AtomicInteger TESTS = new AtomicInteger();

    private final String channel = "dq:subscriptions" + TESTS.incrementAndGet();
    private final RedisCommands<String, String> redis = RedisServer.commands();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final WakeUps wakeUps = new WakeUps(new Standalone(RedisServer.client()), timer, Duration.ofSeconds(10));

    @AfterEach
    void close() {
        wakeUps.connection().close();
        timer.shutdownNow();
    }

    @Test
    void aConsumerThatStartsWhileTheLastOneStopsIsNeverDeaf() throws Exception {
        BlockingQueue<Long> woken = new LinkedBlockingQueue<>();
        AutoCloseable last = listen(woken);
        awaitWoken(woken, 1_000_000);
        CyclicBarrier together = new CyclicBarrier(2);
        for (int i = 1; i <= 200; i++) {
            AutoCloseable leaving = last;
            CompletableFuture<Void> left = CompletableFuture.runAsync(() -> {
                try {
                    together.await();
                    leaving.close();
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
            BlockingQueue<Long> next = new LinkedBlockingQueue<>();
            together.await();
            last = listen(next);
            left.join();
            awaitWoken(next, i);
        }
        last.close();
        await().until(() -> subscribers() == 0);
    }

    @Test
    void manyChannelsComeAndGoOverOneConnection() throws Exception {
        List<CompletableFuture<BlockingQueue<Long>>> all = IntStream.range(0, 100)
                .mapToObj(i -> CompletableFuture.supplyAsync(() -> comeAndGo(channel + "-" + i)))
                .toList();
        for (int i = 0; i < all.size(); i++) {
            BlockingQueue<Long> woken = all.get(i).get(20, TimeUnit.SECONDS);
            String name = channel + "-" + i;
            soon().until(() -> redis.publish(name, "7") == 1);
            soon().until(() -> woken.contains(7L));
        }
        assertThat(redis.pubsubChannels(channel + "-*")).hasSize(all.size());
    }

    private BlockingQueue<Long> comeAndGo(String name) {
        try {
            for (int i = 0; i < 5; i++) {
                wakeUps.listen(bytes(name), wait -> {}).close();
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        BlockingQueue<Long> woken = new LinkedBlockingQueue<>();
        wakeUps.listen(bytes(name), woken::add);
        return woken;
    }

    private AutoCloseable listen(BlockingQueue<Long> woken) {
        return wakeUps.listen(bytes(channel), woken::add);
    }

    /** Waits until it is woken by a message that was published after it began to listen. */
    private void awaitWoken(BlockingQueue<Long> woken, long mark) {
        soon().until(() -> {
            redis.publish(channel, String.valueOf(mark));
            return woken.contains(mark);
        });
    }

    private static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(20)).pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(1));
    }

    private long subscribers() {
        return redis.pubsubNumsub(channel).get(channel);
    }

    private static byte[] bytes(String name) {
        return name.getBytes(StandardCharsets.UTF_8);
    }
}
