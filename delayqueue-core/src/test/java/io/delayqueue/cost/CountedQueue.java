package io.delayqueue.cost;

import static org.awaitility.Awaitility.await;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.Delay;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.MessageHandler;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.Subscription;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.testsupport.DocumentedUser;
import io.lettuce.core.RedisClient;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A delay queue whose commands are counted, as one process. */
final class CountedQueue implements AutoCloseable {

    static final String TOPIC = "orders";
    private static final Duration LONG_ENOUGH = Duration.ofSeconds(60);

    final RedisProbe probe;
    final CommandMonitor monitor;
    final DelayQueueClient queue;
    private final RedisClient client;

    CountedQueue(EmbeddedRedis redis, DelayQueueOptions options) throws IOException {
        probe = new RedisProbe(redis);
        monitor = new CommandMonitor(redis, probe);
        probe.createUser();
        client = RedisClient.create(DocumentedUser.uri(redis.uri()));
        queue = DelayQueueClient.create(client, options);
    }

    /** Schedules messages from several threads, each waiting for an answer before its next call. */
    void scheduleOneByOne(int messages, int threads, Delay due) throws Exception {
        ExecutorService callers = Executors.newFixedThreadPool(threads);
        List<CompletableFuture<Void>> done = new ArrayList<>();
        for (int thread = 0; thread < threads; thread++) {
            done.add(CompletableFuture.runAsync(() -> scheduleOneByOne(messages / threads, due), callers));
        }
        for (CompletableFuture<Void> caller : done) {
            caller.get(60, TimeUnit.SECONDS);
        }
        callers.shutdown();
    }

    private void scheduleOneByOne(int messages, Delay due) {
        for (int i = 0; i < messages; i++) {
            queue.schedule(message().delay(due).build());
        }
    }

    static OutgoingMessage.Builder message() {
        return OutgoingMessage.to(TOPIC).payload(new byte[100]);
    }

    /** A consumer that counts what it handles. */
    Subscription consume(AtomicInteger handled) {
        MessageHandler handler = (message, delivery) -> handled.incrementAndGet();
        Subscription subscription = queue.subscribe(TOPIC, ConsumerOptions.defaults(), handler);
        subscription.start();
        return subscription;
    }

    static void awaitHandled(AtomicInteger handled, int messages) {
        await().pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .atMost(LONG_ENOUGH)
                .until(() -> handled.get() >= messages);
    }

    @Override
    public void close() throws IOException {
        queue.close();
        client.shutdown();
        monitor.close();
        probe.assertNothingDenied();
        probe.close();
    }
}
