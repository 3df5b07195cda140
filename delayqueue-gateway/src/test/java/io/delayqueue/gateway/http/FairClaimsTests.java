package io.delayqueue.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.MessageHandler;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.gateway.claim.PullConsumers;
import io.delayqueue.gateway.testsupport.Gateway;
import io.delayqueue.gateway.testsupport.Gateway.Reply;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Clients of the API and listeners of one topic share its messages: neither takes what the other one is free for. */
@ExtendWith(EmbeddedRedisExtension.class)
class FairClaimsTests {

    /** There are as many handler slots. */
    private static final int CLIENTS = 4;

    private static final Duration WAIT = Duration.ofSeconds(60);
    private static final Duration OFTEN = Duration.ofMillis(5);

    private static Gateway gateway;
    private static PullConsumers consumers;

    private final AtomicInteger byListener = new AtomicInteger();
    private final AtomicInteger byClients = new AtomicInteger();
    private final AtomicBoolean over = new AtomicBoolean();

    @BeforeAll
    static void start(EmbeddedRedis redis) {
        gateway = Gateway.start(redis);
        consumers = gateway.context().getBean(PullConsumers.class);
    }

    @AfterAll
    static void close() {
        gateway.close();
    }

    @AfterEach
    void endClients() {
        over.set(true);
    }

    /**
     * Both sides are idle whenever one comes. A wake-up reaches one after the other, in any order, and the first one gets the message,
     * however slow the machine is. If the order were fixed, or if only one side claimed a moment early, the other one would get none.
     */
    @ParameterizedTest(name = "due after {0} ms")
    @ValueSource(ints = {0, 50})
    void messagesThatComeAloneAreShared(int delayMillis) {
        String topic = "alone-" + delayMillis;
        int messages = 60;
        listen(gateway.client(), topic, (message, delivery) -> byListener.incrementAndGet());
        startClients(topic);

        for (int i = 1; i <= messages; i++) {
            awaitWaitingClients(topic);
            schedule(topic, 1, delayMillis, 0);
            awaitHandled(i);
        }

        assertThat(byListener.get()).as("by the listener").isGreaterThan(messages / 8);
        assertThat(byClients.get()).as("by clients").isGreaterThan(messages / 8);
    }

    /**
     * A lone claim of one message would get hardly any of those that are delayed: it holds none early, since another one may be due at
     * once. One of two does.
     */
    @Test
    void loneClaimOfTwoMessagesGetsItsShare() {
        String topic = "lone";
        int messages = 60;
        listen(gateway.client(), topic, (message, delivery) -> byListener.incrementAndGet());
        claimAgainAndAgain(topic, 2);

        for (int i = 1; i <= messages; i++) {
            awaitWaitingClients(topic, 1);
            schedule(topic, 1, 50, 0);
            awaitHandled(i);
        }

        assertThat(byListener.get()).as("by the listener").isGreaterThan(messages / 8);
        assertThat(byClients.get()).as("by the client").isGreaterThan(messages / 8);
    }

    /**
     * One in 20 ms, while several claims wait. The best of three rounds counts: in a round in which the machine holds up one side, the
     * other one gets more.
     */
    @ParameterizedTest(name = "in one process: {0}")
    @ValueSource(booleans = {true, false})
    @Tag("slow")
    void messagesThatTrickleInAreShared(boolean inOneProcess, EmbeddedRedis redis) {
        String topic = "trickle-" + inOneProcess;
        int messages = 80;
        RedisClient connections = RedisClient.create(redis.uri());
        try (DelayQueueClient other = DelayQueueClient.create(
                connections, DelayQueueOptions.builder().commandTimeout(WAIT).build())) {
            DelayQueueClient listening = inOneProcess ? gateway.client() : other;
            listen(listening, topic, (message, delivery) -> byListener.incrementAndGet());
            startClients(topic);

            int best = 0;
            for (int round = 0; round < 3 && best <= messages / 8; round++) {
                awaitWaitingClients(topic);
                int listenedBefore = byListener.get();
                int claimedBefore = byClients.get();
                schedule(topic, messages, 300, 20);
                awaitHandled(listenedBefore + claimedBefore + messages);
                best = Math.max(best, Math.min(byListener.get() - listenedBefore, byClients.get() - claimedBefore));
            }

            assertThat(best)
                    .as("by the side that got fewer, of %s in its best round", messages)
                    .isGreaterThan(messages / 8);
        } finally {
            connections.shutdown(0, 1, TimeUnit.SECONDS);
        }
    }

    /** It keeps those that it handles, and no others. */
    @Test
    void clientsGetWhatABusyListenerLeaves() {
        String topic = "busy-listener";
        int messages = 60;
        CountDownLatch end = new CountDownLatch(1);
        listen(gateway.client(), topic, (message, delivery) -> {
            end.await();
            byListener.incrementAndGet();
        });
        try {
            startClients(topic);
            awaitWaitingClients(topic);

            schedule(topic, messages, 0, 0);

            await().atMost(WAIT).until(() -> byClients.get() >= messages - CLIENTS);
        } finally {
            end.countDown();
        }
        awaitHandled(messages);
    }

    /** Each of them has the message that it asked for, and none is kept for its next claim. */
    @Test
    void listenerGetsWhatBusyClientsLeave() throws Exception {
        String topic = "busy-clients";
        int messages = 60;
        List<CompletableFuture<Reply>> replies = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            replies.add(gateway.sendAsync("POST", "/topics/" + topic + "/claims", "{\"wait\": 50, \"lease\": 600}"));
        }
        awaitWaitingClients(topic);

        schedule(topic, messages, 0, 0);

        int held = 0;
        for (CompletableFuture<Reply> reply : replies) {
            held += reply.get(2 * WAIT.toSeconds(), TimeUnit.SECONDS)
                    .json()
                    .get("messages")
                    .size();
        }
        assertThat(held).isBetween(1, CLIENTS);
        listen(gateway.client(), topic, (message, delivery) -> byListener.incrementAndGet());
        awaitHandled(messages - held);
    }

    private static void listen(DelayQueueClient client, String topic, MessageHandler handler) {
        client.subscribe(topic, ConsumerOptions.builder().concurrency(CLIENTS).build(), handler)
                .start();
    }

    private void startClients(String topic) {
        for (int i = 0; i < CLIENTS; i++) {
            claimAgainAndAgain(topic, 1);
        }
    }

    private void claimAgainAndAgain(String topic, int max) {
        gateway.sendAsync("POST", "/topics/" + topic + "/claims", "{\"wait\": 20, \"max\": " + max + "}")
                .whenComplete((reply, failure) -> {
                    if (failure == null) {
                        for (JsonNode message : reply.json().get("messages")) {
                            byClients.incrementAndGet();
                            gateway.sendAsync(
                                    "DELETE",
                                    "/claims/" + message.get("receipt").stringValue(),
                                    "");
                        }
                    }
                    // a client goes on, also if its connection ended
                    if (!over.get()) {
                        claimAgainAndAgain(topic, max);
                    }
                });
    }

    private static void awaitWaitingClients(String topic) {
        awaitWaitingClients(topic, CLIENTS);
    }

    private static void awaitWaitingClients(String topic, int clients) {
        await().pollInterval(OFTEN).atMost(WAIT).until(() -> consumers.callsUnderWay(topic) == clients);
    }

    private void awaitHandled(int count) {
        await().pollInterval(OFTEN).atMost(WAIT).until(() -> byListener.get() + byClients.get() >= count);
    }

    /** Messages, of which each falls due some time after the one before. */
    private static void schedule(String topic, int count, int firstMillis, int stepMillis) {
        List<OutgoingMessage> messages = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            messages.add(OutgoingMessage.to(topic)
                    .payload(new byte[1])
                    .delay(Duration.ofMillis(firstMillis + (long) i * stepMillis))
                    .build());
        }
        assertThat(gateway.client().scheduleAll(messages)).hasSize(count);
    }
}
