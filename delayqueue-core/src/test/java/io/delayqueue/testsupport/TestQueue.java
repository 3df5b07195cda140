package io.delayqueue.testsupport;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.MessageHandler;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.Subscription;
import io.delayqueue.TopicStats;
import io.delayqueue.test.EmbeddedRedis;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.resource.ClientResources;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Delay queues on a real server that is empty at the start of each test. After each test it closes the queues, and checks
 * that the counters of every topic add up (promise 7) and that the documented user was denied nothing.
 *
 * <p>Unless a test sets them, the guard interval is an hour and the lease a minute: a lost wake-up, or a message that waits
 * for a lease, fails the test.
 */
public final class TestQueue implements BeforeEachCallback, AfterEachCallback {

    /** The topic of tests that need only one. */
    public static final String TOPIC = "orders";

    /** Command timeout of tests that measure something else: longer than a busy machine stalls. */
    public static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(20);

    private static final ClientResources RESOURCES = ClientResources.create();
    private static @Nullable EmbeddedRedis shared;

    private final @Nullable UnaryOperator<EmbeddedRedis.Builder> ownServer;
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private EmbeddedRedis server;
    private RedisClient admin;
    private RedisClient client;
    private RedisCommands<String, String> redis;
    private @Nullable DelayQueueClient queue;

    /** On a server that tests share; they do not change its process and settings. */
    public TestQueue() {
        this.ownServer = null;
    }

    /** On a server of the test's own, to be killed and reconfigured at will. */
    public TestQueue(UnaryOperator<EmbeddedRedis.Builder> ownServer) {
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
            try (DelayQueueClient last =
                    DelayQueueClient.create(client, clientOptions().build())) {
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

    /** A client, which the caller shuts down. */
    public static RedisClient client(String uri) {
        return RedisClient.create(RESOURCES, uri);
    }

    public EmbeddedRedis server() {
        return server;
    }

    /** The URI for the library, which logs in as the documented user. */
    public String uri() {
        return DocumentedUser.uri(server.uri());
    }

    /** The client of {@link #queue()}, the documented user's. */
    public RedisClient client() {
        return client;
    }

    /** A client of the default user, which has all permissions. */
    public RedisClient admin() {
        return admin;
    }

    /** A connection of the default user that no delay queue uses. */
    public RedisCommands<String, String> redis() {
        return redis;
    }

    /** Redis' own clock, µs since the epoch. */
    public long nowMicros() {
        return RedisTime.micros(redis);
    }

    /** Redis' own clock. */
    public Instant now() {
        return RedisTime.instant(nowMicros());
    }

    /** Waits until Redis' clock has passed the instant. */
    public void awaitTime(Instant instant) {
        await().until(() -> now().isAfter(instant));
    }

    /** The delay queue of tests that need only one. */
    public DelayQueueClient queue() {
        if (queue == null) {
            queue = open(options -> options);
        }
        return queue;
    }

    /** The defaults, with {@link #COMMAND_TIMEOUT}. */
    public static DelayQueueOptions.Builder clientOptions() {
        return DelayQueueOptions.builder().commandTimeout(COMMAND_TIMEOUT);
    }

    /** Another delay queue, as another process would have; closed after the test. */
    public DelayQueueClient open(UnaryOperator<DelayQueueOptions.Builder> options) {
        return open(client, options);
    }

    /** Another delay queue over a client; closed after the test. */
    public DelayQueueClient open(RedisClient over, UnaryOperator<DelayQueueOptions.Builder> options) {
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
    public Subscription consume(ConsumerOptions.Builder options, MessageHandler handler) {
        return consume(queue(), options, handler);
    }

    /** Starts a consumer of {@link #TOPIC}. */
    public static Subscription consume(
            DelayQueueClient queue, ConsumerOptions.Builder options, MessageHandler handler) {
        Subscription subscription = queue.subscribe(TOPIC, options.build(), handler);
        subscription.start();
        return subscription;
    }

    /** A lease of a minute, which no test waits for. */
    public static ConsumerOptions.Builder options() {
        return ConsumerOptions.builder().lease(Duration.ofMinutes(1));
    }

    /** A message to {@link #TOPIC}, due at once. */
    public static OutgoingMessage.Builder message() {
        return OutgoingMessage.to(TOPIC).payload(bytes("payload"));
    }

    /** Schedules a message with this id, due at once. */
    public void schedule(String id) {
        queue().schedule(message().id(id).build());
    }

    /** Schedules messages due at once, with ids {@code 0} to {@code count - 1}. */
    public void scheduleMany(int count) {
        queue().scheduleAll(IntStream.range(0, count)
                .mapToObj(i -> message().id(String.valueOf(i)).build())
                .toList());
    }

    public static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    public TopicStats stats() {
        return queue().stats(TOPIC);
    }

    /** Name of a key of {@link #TOPIC}. */
    public static String key(String name) {
        return "dq:{" + TOPIC + ":0}:" + name;
    }

    /**
     * Sets the lease deadline of a message to the past, as after a consumer's crash. It tells as before what the lease was extended for.
     */
    public void expireLeaseOf(String id) {
        Double deadline = redis.zscore(key("leased"), id);
        assertThat(deadline).as("lease of %s", id).isNotNull();
        assertThat(redis.zadd(
                        key("leased"), io.lettuce.core.ZAddArgs.Builder.xx().ch(), 4 + deadline.longValue() % 4, id))
                .isEqualTo(1);
    }

    /** Waits until {@link #TOPIC} has only its counters, and checks that they add up. */
    public TopicStats awaitDrained() {
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

    /** Waits until this number of messages of {@link #TOPIC} are acked. */
    public TopicStats awaitAcked(long count) {
        await().until(() -> stats().totals().acked() >= count);
        return stats();
    }

    /** Waits long enough for a busy machine, and shorter than guard interval and lease. */
    public static ConditionFactory await() {
        return Awaitility.await().atMost(Duration.ofSeconds(40)).pollInterval(Duration.ofMillis(10));
    }
}
