package io.delayqueue.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueOptions;
import io.delayqueue.TopicOptions;
import io.delayqueue.TopicStats;
import io.delayqueue.internal.redis.RedisMessageStore;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.testsupport.DocumentedUser;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import net.jqwik.api.state.ActionChain;

/**
 * Plays random sequences of operations on a real Redis and on a {@link TopicModel}, and compares them after every step:
 * the state of each message, due time, attempts and content, the counters, and the equation they have to satisfy.
 */
class MessageStoreModelTests {

    private static EmbeddedRedis redis;
    private static RedisClient admin;
    private static RedisClient client;
    private static StatefulRedisConnection<String, String> connection;
    private static RedisMessageStore store;
    private static int sequences;

    @BeforeContainer
    static void startRedis() {
        redis = DocumentedUser.on(EmbeddedRedis.builder()).start();
        admin = RedisClient.create(redis.uri());
        client = RedisClient.create(DocumentedUser.uri(redis.uri()));
        connection = admin.connect();
        store = RedisMessageStore.over(
                client,
                DelayQueueOptions.builder()
                        .topicDefaults(TopicOptions.builder()
                                .maxPending(Session.MOST_PENDING)
                                .build())
                        .build());
    }

    @AfterContainer
    static void stopRedis() {
        store.close();
        DocumentedUser.assertNothingDenied(connection.sync());
        client.shutdown();
        admin.shutdown();
        redis.close();
    }

    @Property(tries = 300, shrinking = ShrinkingMode.BOUNDED)
    void storeBehavesLikeTheModelAndDrainsClean(@ForAll("sequences") ActionChain<Session> sequence) {
        Session session = sequence.withInvariant("the store is as the model", Comparison::check)
                .run();

        Drain.drain(session);

        assertThat(connection.sync().keys("*" + session.topic + "*"))
                .as("keys left")
                .isSubsetOf("dq:{" + session.topic + ":0}:meta");
        assertNothingIsLeftBut(session, connection.sync().hgetall("dq:{" + session.topic + ":0}:meta"));
    }

    private static void assertNothingIsLeftBut(Session session, Map<String, String> meta) {
        assertThat(meta.keySet()).as("fields of meta").noneMatch(field -> field.contains(":"));
        TopicStats stats = Session.join(store.stats(List.of(session.partition)))
                .get(session.partition)
                .stats();
        assertThat(stats.pending().total() + stats.inFlight() + stats.dead()).isZero();
        assertThat(stats.unaccounted()).isZero();
    }

    @Provide
    Arbitrary<ActionChain<Session>> sequences() {
        return Steps.chain(() -> new Session("topic-" + ++sequences + "-", store, new ModelClock(connection.sync())));
    }
}
