package io.delayqueue.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueException;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.MessageHandler;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.Subscription;
import io.delayqueue.TopicStats;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.testsupport.DocumentedUser;
import io.delayqueue.testsupport.TestQueue;
import io.delayqueue.testsupport.fleet.Fleet;
import io.delayqueue.testsupport.proxy.FaultyProxy;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A server of the test's own, with delay queues behind a proxy, and a way around it. */
final class ProxiedQueues implements BeforeEachCallback, AfterEachCallback {

    static final String TOPIC = "orders";

    private final List<DelayQueueClient> queues = new ArrayList<>();
    private EmbeddedRedis server;
    private FaultyProxy proxy;
    private RedisClient admin;
    private RedisClient straight;
    private RedisClient proxied;
    private RedisCommands<String, String> redis;

    @Override
    public void beforeEach(ExtensionContext context) {
        server = DocumentedUser.behindProxy(EmbeddedRedis.builder()).start();
        proxy = new FaultyProxy(server.port());
        admin = RedisClient.create(server.uri());
        straight = RedisClient.create(DocumentedUser.uri(server.uri()));
        proxied = RedisClient.create(DocumentedUser.uri(proxy.uri()));
        redis = admin.connect().sync();
    }

    @Override
    public void afterEach(ExtensionContext context) throws Exception {
        try {
            proxy.forward();
            queues.forEach(DelayQueueClient::close);
            DocumentedUser.assertNothingDenied(redis);
        } finally {
            proxied.shutdown(0, 1, TimeUnit.SECONDS);
            straight.shutdown(0, 1, TimeUnit.SECONDS);
            admin.shutdown(0, 1, TimeUnit.SECONDS);
            proxy.close();
            server.close();
        }
    }

    FaultyProxy proxy() {
        return proxy;
    }

    /** Around the proxy. */
    RedisCommands<String, String> redis() {
        return redis;
    }

    /** A delay queue behind the proxy; its guard interval is an hour unless the options say otherwise. */
    DelayQueueClient queue(UnaryOperator<DelayQueueOptions.Builder> options) {
        return open(proxied, options);
    }

    /** A delay queue that goes around the proxy. It meets no fault, so its commands may take as long as a busy machine stalls. */
    DelayQueueClient straightQueue() {
        return open(straight, options -> options.commandTimeout(TestQueue.COMMAND_TIMEOUT));
    }

    private DelayQueueClient open(RedisClient client, UnaryOperator<DelayQueueOptions.Builder> options) {
        DelayQueueClient queue = DelayQueueClient.create(
                client,
                options.apply(DelayQueueOptions.builder()
                                .guardInterval(Duration.ofHours(1))
                                .shutdownTimeout(Duration.ofMillis(100))
                                .commandTimeout(Duration.ofMillis(1000)))
                        .build());
        queues.add(queue);
        // the first call opens the connection, and on a busy machine loads classes for longer than a call may take
        Fleet.await().ignoreExceptionsInstanceOf(DelayQueueException.class).until(() -> queue.topics() != null);
        return queue;
    }

    static Subscription consume(DelayQueueClient queue, Duration lease, MessageHandler handler) {
        return consume(queue, 10, lease, handler);
    }

    static Subscription consume(DelayQueueClient queue, int concurrency, Duration lease, MessageHandler handler) {
        Subscription subscription = queue.subscribe(
                TOPIC,
                ConsumerOptions.builder()
                        .concurrency(concurrency)
                        .lease(lease)
                        .maxAttempts(100)
                        .build(),
                handler);
        subscription.start();
        return subscription;
    }

    static OutgoingMessage.Builder message(String id) {
        return OutgoingMessage.to(TOPIC).id(id).payload(new byte[] {1});
    }

    static String key(String name) {
        return "dq:{" + TOPIC + ":0}:" + name;
    }

    /** Waits until nothing is left to be handled; the counters add up. */
    static TopicStats awaitDrained(DelayQueueClient queue) {
        Fleet.await().ignoreExceptionsInstanceOf(DelayQueueException.class).untilAsserted(() -> {
            TopicStats stats = queue.stats(TOPIC);
            assertThat(stats.pending().total() + stats.inFlight() + stats.dead())
                    .as("left of %s", stats)
                    .isZero();
        });
        TopicStats stats = queue.stats(TOPIC);
        assertThat(stats.unaccounted()).as("unaccounted of %s", stats).isZero();
        return stats;
    }
}
