package io.delayqueue.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.TopicOptions;
import io.delayqueue.TopicStats;
import io.delayqueue.internal.redis.RedisMessageStore;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.testsupport.DocumentedUser;
import io.delayqueue.testsupport.TestQueue;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.List;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import net.jqwik.api.state.ActionChain;

/**
 * Plays random sequences of operations on a real Redis and on a {@link TopicModel}, and compares them after every step.
 * Compared are the state of each message, due time, attempts and content, the counters, and the equation they have to satisfy.
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
        store = RedisMessageStore.create(
                client,
                TestQueue.clientOptions()
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
    void storeBehavesLikeTheModelAndDrainsClean(@ForAll("sequences") ActionChain<TopicSession> sequence) {
        play(sequence);
    }

    @Property(tries = 100, shrinking = ShrinkingMode.BOUNDED)
    void partitionsOfATopicDoNotTouchEachOther(@ForAll("partitioned") ActionChain<TopicSession> sequence) {
        play(sequence);
    }

    private static void play(ActionChain<TopicSession> sequence) {
        TopicSession topic = sequence.withInvariant(
                        "the store is as the model",
                        session -> session.partitions().forEach(Comparison::check))
                .run();

        topic.partitions().forEach(Drain::drain);

        assertThat(connection.sync().keys("*" + topic.topic() + "*"))
                .as("keys left")
                .isSubsetOf(topic.partitions().stream()
                        .map(MessageStoreModelTests::meta)
                        .toList());
        topic.partitions().forEach(MessageStoreModelTests::assertNothingIsLeftButCounters);
    }

    private static String meta(Session session) {
        return "dq:{" + session.topic + ":" + session.partition.number() + "}:meta";
    }

    private static void assertNothingIsLeftButCounters(Session session) {
        assertThat(connection.sync().hkeys(meta(session))).as("fields of meta").noneMatch(field -> field.contains(":"));
        TopicStats stats = Session.join(store.stats(List.of(session.partition)))
                .get(session.partition)
                .stats();
        assertThat(stats.pending().total() + stats.inFlight() + stats.dead()).isZero();
        assertThat(stats.unaccounted()).isZero();
    }

    @Provide
    Arbitrary<ActionChain<TopicSession>> sequences() {
        return chain(1);
    }

    @Provide
    Arbitrary<ActionChain<TopicSession>> partitioned() {
        return chain(3);
    }

    private static Arbitrary<ActionChain<TopicSession>> chain(int partitions) {
        return Steps.chain(() ->
                TopicSession.of("topic-" + ++sequences + "-", partitions, store, new ModelClock(connection.sync())));
    }
}
