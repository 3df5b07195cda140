package io.delayqueue.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.Backoff;
import io.delayqueue.ConsumerOptions;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueObserver;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.Delivery;
import io.delayqueue.MessageHandler;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.ReceivedMessage;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.Subscription;
import io.delayqueue.TopicStats;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.testsupport.DocumentedUser;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The server falls back to an earlier state while consumers know a later one, as in a failover to a replica that lagged.
 * Played by a server that is killed and restarts from its last snapshot.
 */
@Tag("slow")
class StateOfThePastTests {

    private static final String TOPIC = "orders";
    private static final Duration LEASE = Duration.ofSeconds(4);
    private static final Duration SOON = Duration.ofSeconds(25);

    private final EmbeddedRedis server =
            DocumentedUser.on(EmbeddedRedis.builder()).start();
    private final RedisClient admin = RedisClient.create(server.uri());
    private final RedisClient client = RedisClient.create(DocumentedUser.uri(server.uri()));
    private final RedisCommands<String, String> redis = admin.connect().sync();
    private final Map<String, Integer> handled = new ConcurrentHashMap<>();
    private final List<String> leasesLost = new CopyOnWriteArrayList<>();
    private DelayQueueClient queue;

    @BeforeEach
    void open() {
        queue = DelayQueueClient.create(
                client,
                DelayQueueOptions.builder()
                        .guardInterval(Duration.ofMillis(200))
                        .commandTimeout(Duration.ofSeconds(5))
                        .shutdownTimeout(Duration.ofMillis(100))
                        .observer(new DelayQueueObserver() {
                            @Override
                            public void leaseLost(ReceivedMessage message) {
                                leasesLost.add(message.id());
                            }
                        })
                        .build());
    }

    @AfterEach
    void close() {
        try {
            assertThat(queue.stats(TOPIC).unaccounted()).isZero();
            DocumentedUser.assertNothingDenied(redis);
        } finally {
            queue.close();
            client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
            admin.shutdown(Duration.ZERO, Duration.ofSeconds(2));
            server.close();
        }
    }

    @Test
    void consumerThatKnowsMoreThanTheServerGoesOnAndForgottenAcksAreRepeated() {
        consume(10, (message, delivery) -> handled.merge(message.id(), 1, Integer::sum));
        schedule("a", 20);
        await().atMost(SOON).until(() -> handled.size() == 20 && acked() == 20);
        queue.pause(TOPIC);
        schedule("b", 20);
        redis.save();
        queue.resume(TOPIC);
        schedule("c", 20);
        // many calls of every kind, which the server will forget
        await().atMost(SOON).until(() -> acked() == 60);
        backToTheSnapshot();
        resume();

        schedule("d", 20);
        await().atMost(SOON)
                .ignoreExceptionsInstanceOf(RedisUnavailableException.class)
                .until(() -> acked() == 60);
        assertThat(count("a")).containsOnly(1);
        assertThat(count("b")).as("acked after the snapshot").containsOnly(2);
        assertThat(count("c")).as("scheduled and acked after it").containsOnly(1);
        assertThat(count("d")).containsOnly(1);
        assertThat(queue.stats(TOPIC).totals().accepted()).as("c is forgotten").isEqualTo(60);
    }

    @Test
    void forgottenClaimLeadsToASecondDeliveryAndTheFirstLosesItsLease() throws Exception {
        Semaphore firstEnds = new Semaphore(0);
        CountDownLatch first = new CountDownLatch(1);
        queue.pause(TOPIC);
        consume(2, (message, delivery) -> {
            if (handled.merge(message.id(), 1, Integer::sum) == 1) {
                first.countDown();
                firstEnds.acquire();
            }
        });
        schedule("m", 1);
        redis.save();
        queue.resume(TOPIC);
        assertThat(first.await(25, TimeUnit.SECONDS)).isTrue();
        backToTheSnapshot();
        resume();

        await().atMost(SOON).until(() -> acked() == 1);
        firstEnds.release();
        await().atMost(SOON).until(() -> leasesLost.contains("m0"));
        assertThat(handled).containsEntry("m0", 2);
        TopicStats stats = queue.stats(TOPIC);
        assertThat(stats.totals().acked())
                .as("acked by the second delivery only")
                .isEqualTo(1);
        assertThat(stats.inFlight()).isZero();
    }

    @Test
    void forgottenRenewalEndsWithTheLeaseAndIsAFailedAttempt() throws Exception {
        List<Integer> attempts = new CopyOnWriteArrayList<>();
        Semaphore firstEnds = new Semaphore(0);
        consume(2, (message, delivery) -> {
            attempts.add(message.attempt());
            if (attempts.size() == 1) {
                firstEnds.acquire();
            }
        });
        schedule("m", 1);
        await().atMost(SOON).until(() -> attempts.size() == 1);
        redis.save();
        awaitRenewal();
        // the consumer has the reply to the first renewal if it has made another one
        awaitRenewal();
        backToTheSnapshot();

        await().atMost(SOON).until(() -> attempts.size() == 2);
        firstEnds.release();
        await().atMost(SOON).untilAsserted(() -> assertThat(leasesLost).containsExactly("m0"));
        await().atMost(SOON).until(() -> acked() == 1);
        assertThat(attempts).containsExactly(1, 2);
    }

    @Test
    void messageOfAForgottenAckIsDeliveredAgainWhenItsLeaseIsOver() {
        consume(1, (message, delivery) -> {
            if (handled.merge(message.id(), 1, Integer::sum) == 1) {
                redis.save();
            }
        });
        schedule("m", 1);
        await().atMost(SOON).until(() -> acked() == 1);
        backToTheSnapshot();

        await().atMost(SOON)
                .ignoreExceptionsInstanceOf(RedisUnavailableException.class)
                .until(() -> acked() == 1);
        assertThat(handled).containsEntry("m0", 2);
    }

    @Test
    void forgottenRetriesAndDeadLettersHappenAgain() {
        consume(2, (message, delivery) -> {
            handled.merge(message.id(), 1, Integer::sum);
            throw new IllegalStateException("always");
        });
        queue.pause(TOPIC);
        schedule("m", 5);
        redis.save();
        queue.resume(TOPIC);
        await().atMost(SOON).until(() -> queue.stats(TOPIC).dead() == 5);
        backToTheSnapshot();
        resume();

        await().atMost(SOON)
                .ignoreExceptionsInstanceOf(RedisUnavailableException.class)
                .until(() -> queue.stats(TOPIC).dead() == 5);
        assertThat(handled.values()).containsOnly(2 * ATTEMPTS);
        assertThat(queue.stats(TOPIC).pending().total()).isZero();
    }

    @Test
    void forgottenMessageCanBeScheduledAgainAndItsTopicIsListedAgain() {
        redis.save();
        OutgoingMessage message = OutgoingMessage.to(TOPIC)
                .id("m")
                .payload(new byte[1])
                .delay(Duration.ofHours(1))
                .build();
        queue.schedule(message);
        assertThat(queue.topics()).containsExactly(TOPIC);
        backToTheSnapshot();

        await().atMost(SOON)
                .ignoreExceptionsInstanceOf(RedisUnavailableException.class)
                .untilAsserted(() -> {
                    queue.schedule(message);
                    assertThat(queue.topics()).containsExactly(TOPIC);
                });
        assertThat(queue.stats(TOPIC).totals().accepted()).isEqualTo(1);
    }

    private static final int ATTEMPTS = 3;

    private Subscription consume(int concurrency, MessageHandler handler) {
        ConsumerOptions options = ConsumerOptions.builder()
                .concurrency(concurrency)
                .lease(LEASE)
                .maxAttempts(ATTEMPTS)
                .backoff(Backoff.fixed(Duration.ofMillis(1)))
                .build();
        Subscription subscription = queue.subscribe(
                TOPIC, options, (ReceivedMessage message, Delivery delivery) -> handler.handle(message, delivery));
        subscription.start();
        return subscription;
    }

    private void schedule(String prefix, int count) {
        for (int i = 0; i < count; i++) {
            OutgoingMessage message = OutgoingMessage.to(TOPIC)
                    .id(prefix + i)
                    .payload(new byte[1])
                    .build();
            await().atMost(SOON)
                    .ignoreExceptionsInstanceOf(RedisUnavailableException.class)
                    .until(() -> queue.schedule(message) != null);
        }
    }

    private void resume() {
        await().atMost(SOON)
                .ignoreExceptionsInstanceOf(RedisUnavailableException.class)
                .untilAsserted(() -> queue.resume(TOPIC));
    }

    private void awaitRenewal() {
        double before = redis.zscore(key("leased"), "m0");
        await().atMost(SOON).until(() -> redis.zscore(key("leased"), "m0") > before);
    }

    private void backToTheSnapshot() {
        server.kill();
        server.restart();
    }

    private List<Integer> count(String prefix) {
        return handled.entrySet().stream()
                .filter(entry -> entry.getKey().startsWith(prefix))
                .map(Map.Entry::getValue)
                .toList();
    }

    private long acked() {
        return queue.stats(TOPIC).totals().acked();
    }

    private static String key(String name) {
        return "dq:{" + TOPIC + ":0}:" + name;
    }
}
