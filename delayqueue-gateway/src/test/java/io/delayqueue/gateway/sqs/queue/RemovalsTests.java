package io.delayqueue.gateway.sqs.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.gateway.testsupport.OpenSqs;
import io.delayqueue.gateway.testsupport.OpenSqs.Reply;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;

/** Queues that are purged and deleted: an answer comes after the last deletion, and a removal that failed can be repeated. */
@ExtendWith(EmbeddedRedisExtension.class)
class RemovalsTests {

    private static final int QUEUES = 40;
    private static final int AT_ONCE = 8;

    /** Of the container: fewer than purges under way. */
    private static final int THREADS = 4;

    private static final int MANY = 20_000;
    private static final int BULK = 5_000;
    private static final Duration WAIT = Duration.ofSeconds(30);

    private static OpenSqs sqs;

    @BeforeAll
    static void start(EmbeddedRedis redis) {
        sqs = OpenSqs.start(redis, "delayqueue.command-timeout=60s", "server.tomcat.threads.max=" + THREADS);
    }

    @AfterAll
    static void stop() {
        sqs.close();
    }

    private static String body(String queue) {
        return "{'QueueUrl':'" + OpenSqs.url(queue) + "'}";
    }

    private static void client(String... arguments) {
        byte[][] bytes = new byte[arguments.length][];
        for (int i = 0; i < arguments.length; i++) {
            bytes[i] = arguments[i].getBytes(StandardCharsets.US_ASCII);
        }
        sqs.gateway().data().execute((RedisCallback<Object>) connection -> connection.execute("CLIENT", bytes));
    }

    private static void fill(String queue) throws Exception {
        sqs.create(queue);
        assertThat(sqs.send(queue, "x").status()).isEqualTo(200);
    }

    private static long pending(String queue) {
        return sqs.client().stats(queue).pending().ready();
    }

    /** The answer of a purge that takes long, as on a slow machine. */
    private static boolean goesOn(Reply reply) {
        return reply.json().path("message").asString("").contains("still carried out");
    }

    @Test
    @Tag("slow")
    void manyPurgesAtOnceKeepNobodyFromOtherActions() throws Exception {
        for (int i = 0; i < QUEUES; i++) {
            fill("many-" + i);
        }
        Map<String, CompletableFuture<Reply>> purges = new HashMap<>();
        // a purge writes
        client("PAUSE", "600000", "WRITE");
        try {
            for (int i = 0; i < QUEUES; i++) {
                purges.put("many-" + i, sqs.jsonAsync("PurgeQueue", body("many-" + i)));
            }
            await().atMost(WAIT)
                    .until(() -> purges.values().stream()
                                    .filter(CompletableFuture::isDone)
                                    .count()
                            >= QUEUES - AT_ONCE);
            assertThat(sqs.gateway()
                            .sendAsync("GET", "/openapi.json", "")
                            .get(60, TimeUnit.SECONDS)
                            .status())
                    .as("the container has threads")
                    .isEqualTo(200);
        } finally {
            client("UNPAUSE");
        }

        // a refused one can be repeated when those that were begun have ended
        CompletableFuture.allOf(purges.values().toArray(CompletableFuture[]::new))
                .get(60, TimeUnit.SECONDS);
        int refused = 0;
        List<String> later = new ArrayList<>();
        for (Map.Entry<String, CompletableFuture<Reply>> purge : purges.entrySet()) {
            String queue = purge.getKey();
            Reply reply = purge.getValue().get(60, TimeUnit.SECONDS);
            if (reply.status() != 200 && !goesOn(reply)) {
                refused++;
                assertThat(reply.error()).as("%s", reply).isEqualTo("ServiceUnavailable");
                assertThat(pending(queue)).as("nothing was begun").isEqualTo(1);
                await().atMost(WAIT)
                        .until(() -> sqs.json("PurgeQueue", body(queue)).status() == 200);
            }
            await().atMost(WAIT).until(() -> pending(queue) == 0);
            if (!goesOn(reply)) {
                assertThat(sqs.send(queue, "later").status()).isEqualTo(200);
                later.add(queue);
            }
        }
        assertThat(refused).isEqualTo(QUEUES - AT_ONCE);
        for (String queue : later) {
            assertThat(pending(queue)).as("sent after the answer").isEqualTo(1);
        }
    }

    @Test
    void purgeOfManyMessagesHoldsUpNobody() throws Exception {
        sqs.create("other");
        int meanwhile = 0;
        // one send may wait for a core for as long as a purge takes, but not in each round
        for (int round = 0; round < 5 && meanwhile == 0; round++) {
            meanwhile = sendsDuringAPurge("large-" + round);
        }
        assertThat(meanwhile).as("sends while the purge went on").isPositive();
    }

    private static int sendsDuringAPurge(String queue) throws Exception {
        fill(queue);
        for (int i = 0; i < MANY; i += BULK) {
            List<OutgoingMessage> bulk = IntStream.range(0, BULK)
                    .mapToObj(n -> OutgoingMessage.to(queue)
                            .payload(new byte[100])
                            .delay(Duration.ofHours(1))
                            .build())
                    .toList();
            assertThat(sqs.client().scheduleAll(bulk)).hasSize(BULK);
        }
        CompletableFuture<Reply> purge = sqs.jsonAsync("PurgeQueue", body(queue));
        int meanwhile = 0;
        while (!purge.isDone()) {
            assertThat(sqs.send("other", "x").status()).isEqualTo(200);
            meanwhile += purge.isDone() ? 0 : 1;
        }
        Reply reply = purge.join();
        assertThat(reply.status() == 200 || goesOn(reply)).as("%s", reply).isTrue();
        await().atMost(WAIT).until(() -> sqs.client().stats(queue).totals().purged() == MANY + 1);
        assertThat(sqs.client().stats(queue).unaccounted()).isZero();
        return meanwhile;
    }

    /** SDKs repeat a purge that takes longer than they wait. */
    @Test
    void repeatsOfAPurgeKeepNoOtherOut() throws Exception {
        fill("repeated");
        fill("other-queue");
        List<CompletableFuture<Reply>> repeats = new ArrayList<>();
        CompletableFuture<Reply> other;
        client("PAUSE", "600000", "WRITE");
        try {
            for (int i = 0; i < QUEUES; i++) {
                repeats.add(sqs.jsonAsync("PurgeQueue", body("repeated")));
            }
            other = sqs.jsonAsync("PurgeQueue", body("other-queue"));
            // behind them, at a container that answers
            assertThat(sqs.gateway().send("GET", "/openapi.json").status()).isEqualTo(200);
        } finally {
            client("UNPAUSE");
        }
        for (CompletableFuture<Reply> repeat : repeats) {
            Reply reply = repeat.get(60, TimeUnit.SECONDS);
            // one that came after the end is refused as at SQS
            assertThat(reply.status() == 200 || goesOn(reply) || reply.error().equals("PurgeQueueInProgress"))
                    .as("%s", reply)
                    .isTrue();
        }
        Reply reply = other.get(60, TimeUnit.SECONDS);
        assertThat(reply.status() == 200 || goesOn(reply)).as("%s", reply).isTrue();
        await().atMost(WAIT).until(() -> pending("repeated") == 0 && pending("other-queue") == 0);
    }

    @Test
    void failedPurgeCanBeRepeated() throws Exception {
        fill("failing");
        StringRedisTemplate data = sqs.gateway().data();
        Set<String> keys = data.keys("*failing*:meta");
        assertThat(keys).hasSize(1);
        String meta = keys.iterator().next();
        data.rename(meta, "kept");
        data.opsForValue().set(meta, "no hash");
        assertThat(sqs.json("PurgeQueue", body("failing")).status()).isGreaterThanOrEqualTo(500);
        assertThat(sqs.json("DeleteQueue", body("failing")).status()).isGreaterThanOrEqualTo(500);
        data.rename("kept", meta);
        assertThat(pending("failing")).isEqualTo(1);

        assertThat(sqs.json("PurgeQueue", body("failing")).status()).isEqualTo(200);
        assertThat(pending("failing")).isZero();
        assertThat(sqs.json("PurgeQueue", body("failing")).error()).isEqualTo("PurgeQueueInProgress");
        assertThat(sqs.json("DeleteQueue", body("failing")).status()).isEqualTo(200);
    }
}
