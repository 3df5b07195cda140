package io.delayqueue.gateway.claim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.PullOptions;
import io.delayqueue.PulledMessage;
import io.delayqueue.test.EmbeddedRedis;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Unused consumers are closed where nobody waits for it: while Redis is silent, each close takes a second or more. */
class PullConsumersTests {

    private static final Duration WAIT = Duration.ofSeconds(60);
    private static final Duration IDLE = Duration.ofSeconds(2);

    /** One after the other, their closes take longer than {@link #IN_TIME}. */
    private static final int UNUSED = 60;

    private static final Duration IN_TIME = Duration.ofSeconds(30);

    private final EmbeddedRedis redis = EmbeddedRedis.start();
    private final RedisClient connections = RedisClient.create(redis.uri());
    private final DelayQueueClient client = DelayQueueClient.create(
            connections, DelayQueueOptions.builder().commandTimeout(WAIT).build());
    private final AnswerThreads threads = new AnswerThreads(10);
    private final List<PullConsumers> consumers = List.of(consumers(), consumers());

    private PullConsumers consumers() {
        PullOptions options = PullOptions.builder().lease(Duration.ofHours(1)).build();
        return new PullConsumers(client, options, IDLE, threads);
    }

    @BeforeEach
    void start() {
        consumers.forEach(PullConsumers::start);
    }

    @AfterEach
    void stop() {
        consumers.forEach(PullConsumers::destroy);
        threads.close();
        client.close();
        connections.shutdown(0, 1, TimeUnit.SECONDS);
        redis.close();
    }

    /** A message on its way to a client. */
    private ClaimDelivery delivery(PullConsumers of, String topic) throws Exception {
        client.schedule(OutgoingMessage.to(topic).payload(new byte[] {'1'}).build());
        List<PulledMessage> claimed = of.receive(topic, 1, WAIT).get(2 * WAIT.toSeconds(), TimeUnit.SECONDS);
        assertThat(claimed).hasSize(1);
        return new ClaimDelivery(of, claimed, WAIT);
    }

    private static void useOnce(PullConsumers of, int topics) {
        List<CompletableFuture<?>> receives = new ArrayList<>();
        for (int i = 0; i < topics; i++) {
            receives.add(of.receive("unused-" + i, 1, Duration.ZERO));
        }
        assertThat(CompletableFuture.allOf(receives.toArray(CompletableFuture[]::new)))
                .succeedsWithin(WAIT);
    }

    /** The two threads of answers renew a message in each group of consumers. Then an answer of another server needs one of them. */
    @Test
    void closesThatWaitForASilentRedisKeepNoRenewalOfOthersWaiting() throws Exception {
        List<ClaimDelivery> deliveries = new ArrayList<>();
        for (PullConsumers of : consumers) {
            deliveries.add(delivery(of, "orders"));
            useOnce(of, UNUSED);
        }
        redis.pause();
        try {
            await().atMost(WAIT).until(() -> {
                deliveries.forEach(delivery -> threads.after(0, delivery::renew));
                return consumers.stream().allMatch(of -> of.closing() > 0);
            });

            CompletableFuture<Integer> stillClosing = new CompletableFuture<>();
            threads.after(
                    0,
                    () -> stillClosing.complete(
                            consumers.stream().mapToInt(PullConsumers::closing).sum()));
            assertThat(stillClosing).succeedsWithin(IN_TIME);
            assertThat(stillClosing.join()).as("closes wait for Redis").isPositive();
        } finally {
            redis.resume();
        }
        await().atMost(WAIT).until(() -> consumers.stream().allMatch(of -> of.closing() == 0));
    }

    /** A claim of each of many topics waits. Closing their consumers one after the other would take longer than {@link #IN_TIME}. */
    @Test
    void stopEndsTheClaimsOfAllTopicsWhileRedisIsSilent() throws Exception {
        PullConsumers of = consumers.get(0);
        useOnce(of, UNUSED);
        List<CompletableFuture<List<PulledMessage>>> receives = new ArrayList<>();
        for (int i = 0; i < UNUSED; i++) {
            receives.add(of.receive("unused-" + i, 1, WAIT));
        }
        redis.pause();
        try {
            assertThat(CompletableFuture.runAsync(() -> {
                        of.stop();
                        of.destroy();
                    }))
                    .succeedsWithin(IN_TIME);
            assertThat(receives)
                    .allSatisfy(receive -> assertThat(receive.getNow(null)).isEmpty());
            assertThat(of.receive("unused-0", 1, WAIT).getNow(null))
                    .as("a claim after the stop")
                    .isEmpty();
        } finally {
            redis.resume();
        }
    }

    @Test
    void closedTopicIsUsedAgain() throws Exception {
        PullConsumers of = consumers.get(0);
        useOnce(of, 1);
        of.closeLater();
        await().atMost(WAIT).until(() -> of.closing() == 0);
        delivery(of, "unused-0").release();
    }
}
