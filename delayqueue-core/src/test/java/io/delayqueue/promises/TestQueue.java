package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.MessageHandler;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.Subscription;
import io.delayqueue.TopicStats;
import io.delayqueue.acl.DocumentedUser;
import io.delayqueue.test.EmbeddedRedis;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.resource.ClientResources;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Delay queues on a real server that is empty at the start of each test. After each test the queues are closed, and the
 * accounts of every topic are checked (promise 7), and that the documented user was denied nothing.
 *
 * <p>Unless told otherwise the guard interval is an hour and the lease a minute: a wake-up that is lost, or a message that
 * waits for a lease, is a test that fails.
 */
final class TestQueue implements BeforeEachCallback, AfterEachCallback {

    /** The topic of tests that need only one. */
    static final String TOPIC = "orders";

    private static final ClientResources RESOURCES = ClientResources.create();
    private static @Nullable EmbeddedRedis shared;

    private final @Nullable UnaryOperator<EmbeddedRedis.Builder> ownServer;
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private EmbeddedRedis server;
    private RedisClient admin;
    private RedisClient client;
    private RedisCommands<String, String> redis;
    private @Nullable DelayQueueClient queue;

    /** On a server that tests share; they leave its process and settings alone. */
    TestQueue() {
        this.ownServer = null;
    }

    /** On a server of the test's own, to be killed and reconfigured at will. */
    TestQueue(UnaryOperator<EmbeddedRedis.Builder> ownServer) {
        this.ownServer = ownServer;
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        if (ownServer != null) {
            server = ownServer.apply(DocumentedUser.on(EmbeddedRedis.builder())).start();
        } else {
            server = shared = shared != null
                    ? shared
                    : DocumentedUser.on(EmbeddedRedis.builder()).start();
        }
        admin = client(server.uri());
        redis = admin.connect().sync();
        redis.flushall();
        client = client(uri());
        queue = null;
    }

    @Override
    public void afterEach(ExtensionContext context) throws Exception {
        try {
            while (!opened.isEmpty()) {
                opened.pop().close();
            }
            try (DelayQueueClient last = DelayQueueClient.create(client, DelayQueueOptions.defaults())) {
                assertThat(last.stats(last.topics()).values())
                        .allSatisfy(stats -> assertThat(stats.unaccounted())
                                .as("unaccounted of %s", stats)
                                .isZero());
            }
            DocumentedUser.assertNothingDenied(redis);
        } finally {
            client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
            admin.shutdown(Duration.ZERO, Duration.ofSeconds(2));
            if (ownServer != null) {
                server.close();
            }
        }
    }

    /** A client of its own; the caller's to shut down unless it came from {@link #open}. */
    static RedisClient client(String uri) {
        return RedisClient.create(RESOURCES, uri);
    }

    EmbeddedRedis server() {
        return server;
    }

    /** Where the library finds the server: it is the user of the documentation. */
    String uri() {
        return DocumentedUser.uri(server.uri());
    }

    /** A client of the default user, who may do all. */
    RedisClient admin() {
        return admin;
    }

    /** A connection of the default user that no delay queue uses. */
    RedisCommands<String, String> redis() {
        return redis;
    }

    /** Redis' own clock, µs since the epoch. */
    long nowMicros() {
        List<String> time = redis.time();
        return Long.parseLong(time.get(0)) * 1_000_000 + Long.parseLong(time.get(1));
    }

    /** Redis' own clock. */
    Instant now() {
        return instant(nowMicros());
    }

    static Instant instant(long micros) {
        return Instant.ofEpochSecond(micros / 1_000_000, micros % 1_000_000 * 1000);
    }

    /** Waits until Redis' clock has passed the instant. */
    void awaitTime(Instant instant) {
        await().until(() -> now().isAfter(instant));
    }

    /** The delay queue of tests that need only one. */
    DelayQueueClient queue() {
        if (queue == null) {
            queue = open(options -> options);
        }
        return queue;
    }

    /** Another delay queue, as another process would have; closed after the test. */
    DelayQueueClient open(UnaryOperator<DelayQueueOptions.Builder> options) {
        return open(client, options);
    }

    /** Another delay queue over a client; closed after the test. */
    DelayQueueClient open(RedisClient over, UnaryOperator<DelayQueueOptions.Builder> options) {
        DelayQueueOptions.Builder defaults = DelayQueueOptions.builder()
                .guardInterval(Duration.ofHours(1))
                .commandTimeout(Duration.ofSeconds(10))
                .shutdownTimeout(Duration.ofMillis(100));
        DelayQueueClient another =
                DelayQueueClient.create(over, options.apply(defaults).build());
        opened.push(another);
        return another;
    }

    /** Starts a consumer of {@link #TOPIC} on {@link #queue()}. */
    Subscription consume(ConsumerOptions.Builder options, MessageHandler handler) {
        return consume(queue(), options, handler);
    }

    /** Starts a consumer of {@link #TOPIC}. */
    static Subscription consume(DelayQueueClient queue, ConsumerOptions.Builder options, MessageHandler handler) {
        Subscription subscription = queue.subscribe(TOPIC, options.build(), handler);
        subscription.start();
        return subscription;
    }

    /** A lease that no test lives to see the end of. */
    static ConsumerOptions.Builder options() {
        return ConsumerOptions.builder().lease(Duration.ofMinutes(1));
    }

    /** A message to {@link #TOPIC}, due at once. */
    static OutgoingMessage.Builder message() {
        return OutgoingMessage.to(TOPIC).payload(bytes("payload"));
    }

    /** Schedules a message with this id, due at once. */
    void schedule(String id) {
        queue().schedule(message().id(id).build());
    }

    /** Schedules messages due at once, with ids {@code 0} to {@code count - 1}. */
    void scheduleMany(int count) {
        queue().scheduleAll(IntStream.range(0, count)
                .mapToObj(i -> message().id(String.valueOf(i)).build())
                .toList());
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    TopicStats stats() {
        return queue().stats(TOPIC);
    }

    /** Name of a key of {@link #TOPIC}. */
    static String key(String name) {
        return "dq:{" + TOPIC + ":0}:" + name;
    }

    /** Plays what a consumer's death and the time after it do: the lease is over. */
    void endLeaseOf(String id) {
        assertThat(redis.zadd(
                        key("leased"), io.lettuce.core.ZAddArgs.Builder.xx().ch(), 1, id))
                .isEqualTo(1);
    }

    /** Waits until nothing is left of {@link #TOPIC} but its counters, and those add up. */
    TopicStats awaitDrained() {
        await().untilAsserted(() -> {
            TopicStats stats = stats();
            assertThat(stats.pending().total() + stats.inFlight() + stats.dead())
                    .as("left of %s", stats)
                    .isZero();
            assertThat(stats.unaccounted()).as("unaccounted of %s", stats).isZero();
        });
        assertThat(redis.keys("*")).isSubsetOf("dq:topics", key("meta"));
        return stats();
    }

    /** Waits until so many messages of {@link #TOPIC} were acked. */
    TopicStats awaitAcked(long count) {
        await().until(() -> stats().totals().acked() >= count);
        return stats();
    }

    /** Waits long enough for any machine, and much shorter than guard interval and lease. */
    static ConditionFactory await() {
        return Awaitility.await().atMost(Duration.ofSeconds(25)).pollInterval(Duration.ofMillis(10));
    }
}
