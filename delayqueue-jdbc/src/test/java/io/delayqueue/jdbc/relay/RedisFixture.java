package io.delayqueue.jdbc.relay;

import static io.delayqueue.jdbc.relay.OutboxFixture.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.OutboxOptions;
import io.delayqueue.TopicOptions;
import io.delayqueue.test.EmbeddedRedis;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A Redis for the tests of a class, empty before each, with a client that takes payloads up to 200,000 bytes, and its outbox. */
final class RedisFixture implements BeforeEachCallback, AfterAllCallback, AutoCloseable {

    static final int MAX_PAYLOAD = 200_000;

    /** A topic that takes a single message. */
    static final String SMALL_TOPIC = "small";

    final EmbeddedRedis server = EmbeddedRedis.start();
    final DelayQueueClient client;
    final WatchedOutbox outbox;
    private final RedisClient lettuce = RedisClient.create(server.uri());

    RedisFixture() {
        this(OutboxOptions.DEFAULTS);
    }

    /** Its client is patient: a busy machine is no outage. */
    RedisFixture(OutboxOptions options) {
        this(options, Duration.ofSeconds(20));
    }

    RedisFixture(OutboxOptions options, Duration commandTimeout) {
        client = DelayQueueClient.create(
                lettuce,
                DelayQueueOptions.builder()
                        .maxPayload(MAX_PAYLOAD)
                        .commandTimeout(commandTimeout)
                        .topic(SMALL_TOPIC, TopicOptions.builder().maxPending(1).build())
                        .build());
        outbox = new WatchedOutbox(client.outbox(options));
        awaitConnection();
        outbox.beginEpoch();
    }

    /** The first connection of a JVM may take longer than a command. */
    void awaitConnection() {
        await().ignoreExceptions().until(() -> outbox.timeMicros().get(1, TimeUnit.MINUTES) > 0);
    }

    long accepted() {
        return client.stats(OutboxFixture.TOPIC).totals().accepted();
    }

    void set(String key, String value) {
        try (StatefulRedisConnection<String, String> connection = lettuce.connect()) {
            connection.sync().set(key, value);
        }
    }

    void configure(String name, String value) {
        try (StatefulRedisConnection<String, String> connection = lettuce.connect()) {
            connection.sync().configSet(name, value);
        }
    }

    /** Redis forgets which changes of the topic it applied, as it does in time. */
    void forgetApplied() {
        try (StatefulRedisConnection<String, String> connection = lettuce.connect()) {
            assertThat(connection.sync().del("dq:{" + OutboxFixture.TOPIC + ":0}:applied"))
                    .isEqualTo(1);
        }
    }

    List<String> keys() {
        try (StatefulRedisConnection<String, String> connection = lettuce.connect()) {
            return connection.sync().keys("*");
        }
    }

    void empty() {
        try (StatefulRedisConnection<String, String> connection = lettuce.connect()) {
            connection.sync().flushall();
        }
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        empty();
        outbox.reset();
        outbox.beginEpoch();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        close();
    }

    @Override
    public void close() {
        client.close();
        lettuce.shutdown(Duration.ZERO, Duration.ofSeconds(1));
        server.close();
    }
}
