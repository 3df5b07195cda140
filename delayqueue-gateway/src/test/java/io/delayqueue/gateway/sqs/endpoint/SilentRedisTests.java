package io.delayqueue.gateway.sqs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.gateway.testsupport.OpenSqs;
import io.delayqueue.gateway.testsupport.OpenSqs.Reply;
import io.delayqueue.test.EmbeddedRedis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** While Redis is silent or gone, each action answers ServiceUnavailable in time, and few threads wait. */
@Tag("slow")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class SilentRedisTests {

    private static final String URL = "'QueueUrl':'" + OpenSqs.url("orders") + "'";
    private static final String DEAD = "'QueueUrl':'" + OpenSqs.url("orders-dead") + "'";
    private static final String ARN = "arn:aws:sqs:us-east-1:000000000000:orders-dead";
    private static final Duration IN_TIME = Duration.ofSeconds(30);

    private static EmbeddedRedis redis;
    private static OpenSqs sqs;
    private static String receipt;

    @BeforeAll
    static void start() throws Exception {
        redis = EmbeddedRedis.start();
        sqs = OpenSqs.start(
                redis,
                "delayqueue.command-timeout=1s",
                // as by default
                "spring.data.redis.timeout=60s");
        sqs.create("orders");
        sqs.create("orders-dead");
        // a command may need longer than its second
        await().atMost(Duration.ofSeconds(60))
                .until(() -> sqs.send("orders", "x").status() == 200);
        receipt = await().atMost(Duration.ofSeconds(60))
                .until(
                        () -> sqs.receive("orders", 20).json().at("/Messages/0/ReceiptHandle"),
                        handle -> handle.isString())
                .stringValue();
    }

    @AfterAll
    static void stop() {
        sqs.close();
        redis.close();
    }

    private static Map<String, String> actions() {
        Map<String, String> actions = new LinkedHashMap<>();
        actions.put("CreateQueue", "{'QueueName':'new'}");
        actions.put("GetQueueUrl", "{'QueueName':'other'}");
        actions.put("ListQueues", "{}");
        actions.put("GetQueueAttributes", "{" + URL + ",'AttributeNames':['All']}");
        actions.put("SetQueueAttributes", "{" + URL + ",'Attributes':{'DelaySeconds':'0'}}");
        actions.put("TagQueue", "{" + URL + ",'Tags':{'a':'b'}}");
        actions.put("UntagQueue", "{" + URL + ",'TagKeys':['a']}");
        actions.put("ListQueueTags", "{'QueueUrl':'" + OpenSqs.url("unknown") + "'}");
        actions.put("PurgeQueue", "{" + URL + "}");
        actions.put("ListDeadLetterSourceQueues", "{'QueueUrl':'" + OpenSqs.url("unknown-dead") + "'}");
        actions.put("StartMessageMoveTask", "{'SourceArn':'" + ARN + "'}");
        actions.put("ListMessageMoveTasks", "{'SourceArn':'" + ARN + "'}");
        actions.put("SendMessage", "{" + URL + ",'MessageBody':'x'}");
        actions.put("ReceiveMessage", "{" + URL + "}");
        actions.put("ReceiveMessage ", "{" + DEAD + "}");
        actions.put("DeleteMessage", "{" + URL + ",'ReceiptHandle':'" + receipt + "'}");
        actions.put(
                "ChangeMessageVisibility", "{" + URL + ",'ReceiptHandle':'" + receipt + "','VisibilityTimeout':60}");
        actions.put("DeleteQueue", "{" + URL + "}");
        return actions;
    }

    private static void assertEachIsUnavailable() throws Exception {
        for (Map.Entry<String, String> action : actions().entrySet()) {
            long begun = System.nanoTime();
            Reply reply = sqs.json(action.getKey().strip(), action.getValue());
            Duration took = Duration.ofNanos(System.nanoTime() - begun);
            assertThat(reply.status()).as("%s: %s", action.getKey(), reply).isEqualTo(503);
            assertThat(reply.error()).as(action.getKey()).isEqualTo("ServiceUnavailable");
            assertThat(took).as(action.getKey()).isLessThan(IN_TIME);
        }
        // one entry fails, not the batch, as at SQS
        Reply batch = sqs.json("SendMessageBatch", "{" + URL + ",'Entries':[{'Id':'a','MessageBody':'x'}]}");
        assertThat(batch.status()).isEqualTo(200);
        assertThat(batch.json().at("/Failed/0/Code").stringValue()).isEqualTo("ServiceUnavailable");
        assertThat(batch.json().at("/Failed/0/SenderFault").booleanValue()).isFalse();
    }

    @Test
    @Order(1)
    void frozenRedisIsUnavailableForEachAction() throws Exception {
        redis.pause();
        try {
            assertEachIsUnavailable();
        } finally {
            redis.resume();
        }
        await().atMost(Duration.ofSeconds(60))
                .until(() -> sqs.send("orders", "after").status() == 200);
    }

    @Test
    @Order(2)
    void manyRequestsToAFrozenRedisHoldFewThreads() throws Exception {
        redis.pause();
        try {
            List<CompletableFuture<Reply>> replies = new ArrayList<>();
            for (int i = 0; i < 400; i++) {
                replies.add(sqs.jsonAsync("ListQueueTags", "{'QueueUrl':'" + OpenSqs.url("q" + i) + "'}"));
            }
            // the API of the same container has threads left
            assertThat(sqs.gateway().send("GET", "/openapi.json").status()).isEqualTo(200);
            for (CompletableFuture<Reply> reply : replies) {
                assertThat(reply.get(IN_TIME.toSeconds(), TimeUnit.SECONDS).status())
                        .isEqualTo(503);
            }
        } finally {
            redis.resume();
        }
        await().atMost(Duration.ofSeconds(60))
                .until(() -> sqs.send("orders", "after").status() == 200);
    }

    @Test
    @Order(3)
    void absentRedisIsUnavailableForEachAction() throws Exception {
        redis.close();
        assertEachIsUnavailable();
    }
}
