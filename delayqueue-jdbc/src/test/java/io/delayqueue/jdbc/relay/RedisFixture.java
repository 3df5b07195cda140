package io.delayqueue.jdbc.relay;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.OutboxOptions;
import io.delayqueue.TopicOptions;
import io.delayqueue.test.EmbeddedRedis;
import io.lettuce.core.RedisClient;
import java.time.Duration;

/** A Redis of a test's own, a client that takes payloads up to 200,000 bytes, and its outbox. */
final class RedisFixture implements AutoCloseable {

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

    RedisFixture(OutboxOptions options) {
        client = DelayQueueClient.create(
                lettuce,
                DelayQueueOptions.builder()
                        .maxPayload(MAX_PAYLOAD)
                        .commandTimeout(Duration.ofSeconds(1))
                        .topic(SMALL_TOPIC, TopicOptions.builder().maxPending(1).build())
                        .build());
        outbox = new WatchedOutbox(client.outbox(options));
    }

    @Override
    public void close() {
        client.close();
        lettuce.shutdown(Duration.ZERO, Duration.ofSeconds(1));
        server.close();
    }
}
