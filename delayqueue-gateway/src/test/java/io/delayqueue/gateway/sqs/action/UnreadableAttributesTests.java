package io.delayqueue.gateway.sqs.action;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.gateway.testsupport.OpenSqs;
import io.delayqueue.gateway.testsupport.OpenSqs.Reply;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** A header that any program may set keeps no message from its receivers, nor its neighbours. */
@ExtendWith({EmbeddedRedisExtension.class, OutputCaptureExtension.class})
class UnreadableAttributesTests {

    private static final List<String> HEADERS = List.of(
            "no json",
            "",
            "[1]",
            "null",
            "{\"a\":1}",
            "{\"a\":{}}",
            "{\"a\":{\"DataType\":\"Colour\",\"StringValue\":\"x\"}}",
            "{\"a\":{\"DataType\":\"Binary\",\"BinaryValue\":\"%%%\"}}",
            "{\"a\":{\"DataType\":{},\"StringValue\":[]}}",
            "[".repeat(3_000));

    @Test
    void messagesComeWithoutAttributesAndAreLoggedOnce(EmbeddedRedis redis, CapturedOutput output) throws Exception {
        try (OpenSqs sqs = OpenSqs.start(redis, "logging.level.io.delayqueue.gateway=warn")) {
            for (String queue : List.of("json", "query")) {
                schedule(sqs, queue);
            }

            Reply json = sqs.receive("json", 20);
            assertThat(json.status()).as("%s", json).isEqualTo(200);
            List<String> bodies = new ArrayList<>();
            json.json().path("Messages").forEach(message -> {
                bodies.add(message.path("Body").asString());
                assertThat(message.has("MessageAttributes")).isFalse();
                assertThat(message.has("MD5OfMessageAttributes")).isFalse();
            });
            assertThat(bodies).hasSize(HEADERS.size()).contains("body 0");

            Reply query = sqs.query("Action=ReceiveMessage&QueueUrl=" + OpenSqs.url("query")
                    + "&MaxNumberOfMessages=10&WaitTimeSeconds=20&MessageAttributeName.1=All&AttributeName.1=All");
            assertThat(query.status()).as("%s", query).isEqualTo(200);
            assertThat(query.response().body().split("<Body>", -1)).hasSize(HEADERS.size() + 1);
        }
        assertThat(output.getAll().split("without message attributes", -1))
                .as("log")
                .hasSize(2);
    }

    private static void schedule(OpenSqs sqs, String queue) throws Exception {
        sqs.create(queue);
        List<OutgoingMessage> messages = new ArrayList<>();
        for (String header : HEADERS) {
            messages.add(OutgoingMessage.to(queue)
                    .payload(("body " + messages.size()).getBytes(StandardCharsets.UTF_8))
                    .header("sqs-attributes", header)
                    .header("sqs-sent", "yesterday")
                    .build());
        }
        assertThat(sqs.client().scheduleAll(messages)).hasSize(HEADERS.size());
    }
}
