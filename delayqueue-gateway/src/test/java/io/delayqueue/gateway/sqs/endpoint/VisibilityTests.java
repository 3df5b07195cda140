package io.delayqueue.gateway.sqs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.gateway.testsupport.OpenSqs;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.JsonNode;

/** Received messages have their visibility timeout, and mostly by the lease of their claim. Redis' clock says for how long. */
@ExtendWith(EmbeddedRedisExtension.class)
class VisibilityTests {

    private static final Duration WAIT = Duration.ofSeconds(60);
    private static final Duration DEFAULT = Duration.ofSeconds(30);
    private static final int MESSAGES = 20;

    private static RedisClient connections;
    private static RedisCommands<String, String> redis;
    private static OpenSqs sqs;

    @BeforeAll
    static void start(EmbeddedRedis server) {
        connections = RedisClient.create(server.uri());
        redis = connections.connect().sync();
        sqs = OpenSqs.start(server, "delayqueue.gateway.sqs.delivery-lease=2s");
    }

    @AfterAll
    static void stop() {
        sqs.close();
        connections.shutdown(0, 1, TimeUnit.SECONDS);
    }

    private static long micros() {
        List<String> time = redis.time();
        return Long.parseLong(time.get(0)) * 1_000_000 + Long.parseLong(time.get(1));
    }

    /** Ends of the leases by message, in µs. */
    private static List<Long> leaseEnds(String queue) {
        return redis.zrangeWithScores("dq:{" + queue + ":0}:leased", 0, -1).stream()
                .map(lease -> (long) lease.getScore())
                .toList();
    }

    /** An extension notes the receipt that it keeps there. */
    private static Map<String, String> keptReceipts(String queue) {
        return redis.hgetall("dq:{" + queue + ":0}:attempts");
    }

    private static JsonNode call(String action, String queue, String parameters) {
        try {
            OpenSqs.Reply reply = sqs.json(action, "{'QueueUrl':'" + OpenSqs.url(queue) + "'" + parameters + "}");
            assertThat(reply.status()).as("%s", reply).isEqualTo(200);
            return reply.json();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** The receipt handle of a message that is there. An answer that finds no thread for a second has none. */
    private static String receive(String queue, String parameters) {
        return await().pollDelay(Duration.ZERO)
                .atMost(WAIT)
                .until(
                        () -> call("ReceiveMessage", queue, parameters)
                                .at("/Messages/0/ReceiptHandle")
                                .asString(""),
                        handle -> !handle.isEmpty());
    }

    private static void delete(String queue, String handle) {
        call("DeleteMessage", queue, ",'ReceiptHandle':'" + handle + "'");
    }

    @Test
    void messagesKeepTheLeaseOfTheirClaim() throws Exception {
        sqs.create("kept");
        List<String> handles = new ArrayList<>();
        for (int i = 0; i < MESSAGES; i++) {
            sqs.send("kept", "x");
        }
        long before = micros();
        for (int i = 0; i < MESSAGES; i++) {
            handles.add(receive("kept", ""));
        }
        // comes behind its extension, if there is one
        delete("kept", handles.remove(handles.size() - 1));

        List<Long> ends = leaseEnds("kept");
        long after = micros();
        assertThat(ends)
                .hasSize(MESSAGES - 1)
                .allSatisfy(end -> assertThat(end - DEFAULT.toNanos() / 1_000).isBetween(before, after));
        assertThat(keptReceipts("kept"))
                .as("extended, since the machine was busy")
                .hasSizeLessThan(MESSAGES / 2);
        handles.forEach(handle -> delete("kept", handle));
        assertThat(sqs.client().stats("kept").totals().acked()).isEqualTo(MESSAGES);
        assertThat(sqs.client().stats("kept").unaccounted()).isZero();
    }

    @Test
    void receiveHasTheVisibilityTimeoutThatItAsksFor() throws Exception {
        sqs.create("other");
        for (int seconds : new int[] {600, 10}) {
            long micros = TimeUnit.SECONDS.toMicros(seconds);
            sqs.send("other", "x");
            long before = micros();
            String handle = receive("other", ",'VisibilityTimeout':" + seconds);
            // far from the lease of the claim
            long latest = micros() + TimeUnit.SECONDS.toMicros(10);
            await().atMost(WAIT)
                    .untilAsserted(() -> assertThat(leaseEnds("other"))
                            .singleElement()
                            .satisfies(end -> assertThat(end - micros).isBetween(before, latest)));
            delete("other", handle);
            assertThat(leaseEnds("other")).isEmpty();
        }
    }

    @Test
    void visibilityIsChangedTwiceAndTheReceiptStillDeletes() throws Exception {
        sqs.create("changed");
        sqs.send("changed", "x");
        String handle = receive("changed", "");
        for (int seconds : new int[] {900, 20}) {
            long micros = TimeUnit.SECONDS.toMicros(seconds);
            long before = micros();
            call(
                    "ChangeMessageVisibility",
                    "changed",
                    ",'ReceiptHandle':'" + handle + "','VisibilityTimeout':" + seconds);
            long after = micros();
            assertThat(leaseEnds("changed"))
                    .singleElement()
                    .satisfies(end -> assertThat(end - micros).isBetween(before, after));
        }
        delete("changed", handle);
        assertThat(sqs.client().stats("changed").totals().acked()).isEqualTo(1);
    }

    @Test
    void messageOfASingleReceiveIsDeadLettered() throws Exception {
        sqs.json(
                "CreateQueue",
                "{'QueueName':'single','Attributes':{'VisibilityTimeout':'3','RedrivePolicy':'{\\'maxReceiveCount\\':1,"
                        + "\\'deadLetterTargetArn\\':\\'arn:aws:sqs:us-east-1:000000000000:single-dead\\'}'}}");
        sqs.send("single", "x");
        receive("single", "");

        await().atMost(WAIT).until(() -> {
            assertThat(call("ReceiveMessage", "single", ",'WaitTimeSeconds':1").path("Messages"))
                    .isEmpty();
            return sqs.client().stats("single").dead() == 1;
        });
    }
}
