package io.delayqueue.gateway.sqs.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.gateway.testsupport.OpenSqs;
import io.delayqueue.gateway.testsupport.OpenSqs.Reply;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A topic whose name is that of another one's dead-letter queue is not taken for it. */
@ExtendWith(EmbeddedRedisExtension.class)
class DeadNamesTests {

    private static void schedule(DelayQueueClient client, String topic) {
        client.scheduleAsync(OutgoingMessage.to(topic)
                        .payload("of the topic".getBytes(StandardCharsets.UTF_8))
                        .build())
                .join();
    }

    @Test
    void topicHasNoQueueByTheNameOfDeadLetters(EmbeddedRedis redis) throws Exception {
        try (OpenSqs sqs = OpenSqs.start(redis)) {
            schedule(sqs.client(), "jobs-dead");
            schedule(sqs.client(), "other");

            Reply refused = sqs.json("CreateQueue", "{'QueueName':'jobs-dead'}");
            assertThat(refused.status()).as("%s", refused).isEqualTo(400);
            assertThat(refused.json().path("message").stringValue())
                    .contains("jobs-dead", "delayqueue.gateway.sqs.queues.<queue>.topic");
            assertThat(sqs.json("CreateQueue", "{'QueueName':'jobs-dead-dead'}").status())
                    .isEqualTo(400);
            assertThat(sqs.json("GetQueueUrl", "{'QueueName':'jobs-dead'}").error())
                    .isEqualTo("QueueDoesNotExist");
            assertThat(sqs.json("ListQueues", "{}").response().body())
                    .contains("/other")
                    .doesNotContain("jobs-dead");

            // the name is still that of the dead letters of jobs
            sqs.create("jobs");
            assertThat(sqs.json("PurgeQueue", "{'QueueUrl':'" + OpenSqs.url("jobs-dead") + "'}")
                            .status())
                    .isEqualTo(200);
            assertThat(sqs.json("DeleteQueue", "{'QueueUrl':'" + OpenSqs.url("jobs-dead") + "'}")
                            .status())
                    .isEqualTo(200);
            assertThat(sqs.client().stats("jobs-dead").pending().ready()).isEqualTo(1);
        }
    }

    @Test
    void propertyGivesSuchATopicAQueue(EmbeddedRedis redis) throws Exception {
        try (OpenSqs sqs = OpenSqs.start(redis, "delayqueue.gateway.sqs.queues.undertaker.topic=jobs-dead")) {
            schedule(sqs.client(), "jobs-dead");
            assertThat(sqs.json("CreateQueue", "{'QueueName':'jobs-dead'}").status())
                    .as("now it is the name of dead letters only")
                    .isEqualTo(200);
            assertThat(sqs.receive("undertaker", 20).response().body()).contains("of the topic");
        }
    }
}
