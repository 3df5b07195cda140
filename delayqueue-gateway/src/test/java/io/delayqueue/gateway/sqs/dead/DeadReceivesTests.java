package io.delayqueue.gateway.sqs.dead;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.PullConsumer;
import io.delayqueue.PullOptions;
import io.delayqueue.PulledMessage;
import io.delayqueue.gateway.claim.AnswerThreads;
import io.delayqueue.gateway.security.ByteBudget;
import io.delayqueue.gateway.security.Caller;
import io.delayqueue.gateway.security.CallerShares;
import io.delayqueue.gateway.sqs.action.Delivery;
import io.delayqueue.gateway.sqs.action.ReceiveMessage;
import io.delayqueue.gateway.sqs.action.SqsCall;
import io.delayqueue.gateway.sqs.action.SqsConsumers;
import io.delayqueue.gateway.sqs.limit.TopicsInUse;
import io.delayqueue.gateway.sqs.protocol.Parameters;
import io.delayqueue.gateway.sqs.queue.QueueSettings;
import io.delayqueue.gateway.sqs.redis.BoundedRedis;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import io.lettuce.core.RedisClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.ReactiveStringRedisTemplate;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Dead letters on their way to a client: changes of their holds keep no timer waiting, and a receive that fails holds none. */
@ExtendWith(EmbeddedRedisExtension.class)
class DeadReceivesTests {

    private static final String TOPIC = "orders";
    private static final Duration WAIT = Duration.ofSeconds(60);

    /** Less than a command may take. */
    private static final Duration AT_ONCE = Duration.ofSeconds(20);

    /** No hold ends by itself. */
    private static final Duration DELIVERY = Duration.ofHours(1);

    private static final int VISIBILITY_SECONDS = 600;

    /** Name of the client's user. */
    private static final String USER = "limited";

    /** Rules: keys of the command that lists dead letters. The one that reads a dead letter needs others, too. */
    private static final String[] LISTED_KEYS_ONLY = {
        "resetkeys", "~*:topics", "~*:meta", "~*:messages", "~*:leased", "~*:attempts", "~*:dead", "~*:dead:errors"
    };

    private LettuceConnectionFactory admin;
    private RedisClient connections;
    private DelayQueueClient client;
    private final AnswerThreads answers = new AnswerThreads(1_000);
    private SqsConsumers consumers;
    private DeadTimer timer;
    private DeadReceives receives;

    @BeforeEach
    void start(EmbeddedRedis redis) {
        admin = new LettuceConnectionFactory(redis.host(), redis.port());
        admin.afterPropertiesSet();
        admin.start();
        setUser("reset", "on", ">secret", "+@all", "~*", "&*");
        connections = RedisClient.create("redis://" + USER + ":secret@" + redis.host() + ":" + redis.port());
        client = DelayQueueClient.create(
                connections, DelayQueueOptions.builder().commandTimeout(WAIT).build());
        consumers = new SqsConsumers(
                client,
                DELIVERY,
                new TopicsInUse(10),
                new CallerShares(10),
                topic -> new SqsConsumers.Terms(1, DELIVERY),
                answers);
        timer = new DeadTimer("dead-receives-test");
        ByteBudget memory = new ByteBudget(100_000_000);
        receives = new DeadReceives(
                client,
                new DeadHolds(new BoundedRedis(new ReactiveStringRedisTemplate(admin), "dq", WAIT)),
                timer,
                memory,
                DELIVERY,
                new ReceiveMessage(consumers, memory, topic -> new QueueSettings(Map.of(), Map.of(), 0, 0, null)),
                topic -> topic);
        makeDeadLetter();
    }

    @AfterEach
    void stop() {
        timer.destroy();
        consumers.destroy();
        answers.close();
        client.close();
        connections.shutdown();
        admin.destroy();
    }

    private void makeDeadLetter() {
        client.schedule(OutgoingMessage.to(TOPIC).payload(new byte[] {'x'}).build());
        try (PullConsumer consumer = client.pullConsumer(TOPIC, PullOptions.defaults())) {
            PulledMessage message = consumer.receive(1, WAIT).get(0);
            consumer.deadLetter(message.receipt(), "test");
        }
    }

    private void setUser(String... rules) {
        byte[][] arguments = new byte[rules.length + 2][];
        arguments[0] = bytes("SETUSER");
        arguments[1] = bytes(USER);
        for (int i = 0; i < rules.length; i++) {
            arguments[i + 2] = bytes(rules[i]);
        }
        new StringRedisTemplate(admin).execute((RedisCallback<Object>) redis -> redis.execute("ACL", arguments));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private CompletableFuture<Delivery> receive() {
        ObjectNode parameters = new JsonMapper()
                .createObjectNode()
                .put("WaitTimeSeconds", 0)
                .put("VisibilityTimeout", VISIBILITY_SECONDS);
        return receives.receive(new SqsCall(Caller.EVERYONE, TOPIC, new Parameters(parameters)));
    }

    private boolean isReceived() throws Exception {
        return !receive()
                .get(WAIT.toSeconds(), TimeUnit.SECONDS)
                .result()
                .path("Messages")
                .isEmpty();
    }

    private Delivery received() throws Exception {
        Delivery delivery = receive().get(WAIT.toSeconds(), TimeUnit.SECONDS);
        assertThat(delivery.result().path("Messages").size()).isEqualTo(1);
        return delivery;
    }

    private String holdKey() {
        Set<String> keys = new StringRedisTemplate(admin).keys("dq:gateway:dead:*");
        assertThat(keys).hasSize(1);
        return keys.iterator().next();
    }

    private long holdSeconds() {
        return new StringRedisTemplate(admin).getExpire(holdKey());
    }

    /** A timer makes these calls for all answers. */
    @Test
    void renewalAndReleaseDoNotWaitForRedis(EmbeddedRedis redis) throws Exception {
        Delivery delivery = received();
        redis.pause();
        try {
            CompletableFuture<Void> calls = CompletableFuture.runAsync(() -> {
                delivery.renew();
                delivery.release();
            });
            assertThat(calls).succeedsWithin(AT_ONCE);
        } finally {
            redis.resume();
        }
        await().atMost(WAIT).until(this::isReceived);
    }

    /** A thread of the container makes these calls. */
    @Test
    void writtenAnswerDoesNotWaitForRedis(EmbeddedRedis redis) throws Exception {
        Delivery delivery = received();
        redis.pause();
        try {
            CompletableFuture<Void> calls = CompletableFuture.runAsync(() -> {
                delivery.beginLease();
                delivery.confirm();
            });
            assertThat(calls).succeedsWithin(AT_ONCE);
        } finally {
            redis.resume();
        }
        await().atMost(WAIT).until(() -> holdSeconds() <= VISIBILITY_SECONDS);
        assertThat(isReceived()).isFalse();
    }

    @Test
    void renewalKeepsTheDeadLetterFromOthers() throws Exception {
        Delivery delivery = received();
        new StringRedisTemplate(admin).expire(holdKey(), WAIT);
        delivery.renew();
        await().atMost(WAIT).until(() -> holdSeconds() > DELIVERY.toSeconds() / 2);
        assertThat(isReceived()).isFalse();
    }

    @Test
    void lateRenewalLeavesTheVisibilityTimeout() throws Exception {
        Delivery delivery = received();
        delivery.beginLease();
        delivery.renew();
        await().during(Duration.ofMillis(300)).atMost(WAIT).until(() -> holdSeconds() <= VISIBILITY_SECONDS);
        assertThat(holdSeconds()).isGreaterThan(VISIBILITY_SECONDS / 2);
    }

    /** The dead letter is held, and then Redis refuses to tell it. */
    @Test
    void receiveThatFailsHoldsNothing() throws Exception {
        setUser(LISTED_KEYS_ONLY);
        assertThat(receive()).failsWithin(WAIT).withThrowableOfType(ExecutionException.class);
        setUser("~*");
        await().atMost(WAIT).until(this::isReceived);
    }
}
