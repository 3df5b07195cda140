package io.delayqueue.gateway.sqs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.ScheduleOutcome;
import io.delayqueue.gateway.testsupport.SqsGateway;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.net.URI;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.BatchRequestTooLongException;
import software.amazon.awssdk.services.sqs.model.Message;
import software.amazon.awssdk.services.sqs.model.MessageAttributeValue;
import software.amazon.awssdk.services.sqs.model.MessageSystemAttributeName;
import software.amazon.awssdk.services.sqs.model.MessageSystemAttributeNameForSends;
import software.amazon.awssdk.services.sqs.model.MessageSystemAttributeValue;
import software.amazon.awssdk.services.sqs.model.SendMessageBatchRequestEntry;
import software.amazon.awssdk.services.sqs.model.SendMessageBatchResponse;
import software.amazon.awssdk.services.sqs.model.SendMessageResponse;
import software.amazon.awssdk.services.sqs.model.SqsException;

/** Messages of the AWS SDK for Java, which checks each MD5 itself, against a whole application that checks its signatures. */
@ExtendWith(EmbeddedRedisExtension.class)
@Tag("slow")
class AwsSdkTests {

    private static SqsGateway gateway;
    private static SqsClient sqs;

    @BeforeAll
    static void start(EmbeddedRedis redis) {
        gateway = SqsGateway.start(
                redis,
                // longer than any wait here: a message that comes again has not only been left alone
                "delayqueue.gateway.sqs.delivery-lease=60s");
        sqs = gateway.sqs();
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    @Test
    void messageIsSentReceivedAndDeleted() {
        String url = gateway.create("orders");
        assertThat(url).isEqualTo(gateway.endpoint() + "/000000000000/orders");
        long before = System.currentTimeMillis();
        SendMessageResponse sent = sqs.sendMessage(request -> request.queueUrl(url)
                .messageBody("grüße <&> \uD83D\uDE00")
                .messageAttributes(Map.of(
                        "bytes",
                        MessageAttributeValue.builder()
                                .dataType("Binary.gif")
                                .binaryValue(SdkBytes.fromByteArray(new byte[] {0, -1, 7}))
                                .build(),
                        "number",
                        MessageAttributeValue.builder()
                                .dataType("Number.int")
                                .stringValue("17")
                                .build())));

        long between = System.currentTimeMillis();

        Message message = gateway.receiveOne(url);

        assertThat(message.messageId()).isEqualTo(sent.messageId());
        assertThat(message.body()).isEqualTo("grüße <&> \uD83D\uDE00");
        assertThat(message.messageAttributes()).containsOnlyKeys("bytes", "number");
        assertThat(message.messageAttributes().get("bytes").binaryValue().asByteArray())
                .containsExactly(0, -1, 7);
        assertThat(message.attributes())
                .containsEntry(MessageSystemAttributeName.APPROXIMATE_RECEIVE_COUNT, "1")
                .containsEntry(MessageSystemAttributeName.SENDER_ID, "AKID");
        assertThat(millis(message, MessageSystemAttributeName.SENT_TIMESTAMP)).isBetween(before, between);
        assertThat(millis(message, MessageSystemAttributeName.APPROXIMATE_FIRST_RECEIVE_TIMESTAMP))
                .isBetween(between, System.currentTimeMillis());
        for (int i = 0; i < 2; i++) {
            sqs.deleteMessage(request -> request.queueUrl(url).receiptHandle(message.receiptHandle()));
        }
        assertThat(gateway.client().stats("orders").totals().acked()).isEqualTo(1);
    }

    private static long millis(Message message, MessageSystemAttributeName name) {
        return Long.parseLong(message.attributes().get(name));
    }

    @Test
    void exampleOfTheDocumentationWorks() {
        String endpoint = gateway.endpoint();
        String key = SqsGateway.KEY;
        String secret = SqsGateway.SECRET;
        List<String> bodies = new ArrayList<>();
        // tag::client[]
        SqsClient sqs = SqsClient.builder()
                .endpointOverride(URI.create(endpoint))
                .region(Region.US_EAST_1)
                .credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create(key, secret)))
                .build();
        String url = sqs.createQueue(request -> request.queueName("reminder")).queueUrl();
        sqs.sendMessage(request -> request.queueUrl(url).messageBody("Call Ann").delaySeconds(2));
        List<Message> messages = sqs.receiveMessage(
                        request -> request.queueUrl(url).waitTimeSeconds(20))
                .messages();
        for (Message message : messages) {
            bodies.add(message.body());
            sqs.deleteMessage(request -> request.queueUrl(url).receiptHandle(message.receiptHandle()));
        }
        // end::client[]
        sqs.close();
        assertThat(bodies).containsExactly("Call Ann");
        assertThat(gateway.client().stats("reminder").totals().acked()).isEqualTo(1);
    }

    @Test
    void anOldHandleOfAMessageThatWasReceivedAgainIsAccepted() {
        String url = gateway.create("orders");
        sqs.sendMessage(request -> request.queueUrl(url).messageBody("x"));
        String old = sqs.receiveMessage(
                        request -> request.queueUrl(url).waitTimeSeconds(20).visibilityTimeout(1))
                .messages()
                .get(0)
                .receiptHandle();
        Message again = gateway.receiveOne(url);

        sqs.deleteMessage(request -> request.queueUrl(url).receiptHandle(old));

        assertThat(gateway.client().stats("orders").totals().acked())
                .as("it is another receiver's now")
                .isZero();
        sqs.deleteMessage(request -> request.queueUrl(url).receiptHandle(again.receiptHandle()));
        assertThat(gateway.client().stats("orders").totals().acked()).isEqualTo(1);
    }

    @Test
    void traceIsCarriedBothWays() {
        String url = gateway.create("orders");
        String trace = "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1";
        // the SDK checks no MD5 of system attributes
        String md5 = sqs.sendMessage(request -> request.queueUrl(url)
                        .messageBody("x")
                        .messageSystemAttributes(Map.of(
                                MessageSystemAttributeNameForSends.AWS_TRACE_HEADER,
                                MessageSystemAttributeValue.builder()
                                        .dataType("String")
                                        .stringValue(trace)
                                        .build())))
                .md5OfMessageSystemAttributes();
        assertThat(md5).isEqualTo("5ae4d5d7636402d80f4eb6d213245a88");
        String id = gateway.client().pending("orders").list(1).get(0).id();
        assertThat(gateway.client().find("orders", id).orElseThrow().headers())
                .as("what a listener in Java continues")
                .containsEntry("traceparent", "00-5759e988bd862e3fe1be46a994272793-53995c3f42cd8ad8-01");
        Message fromSqs = gateway.receiveOne(url);
        assertThat(fromSqs.attributes()).containsEntry(MessageSystemAttributeName.AWS_TRACE_HEADER, trace);
        sqs.deleteMessage(request -> request.queueUrl(url).receiptHandle(fromSqs.receiptHandle()));
        assertThat(gateway.client()
                        .schedule(OutgoingMessage.to("orders")
                                .payload(new byte[0])
                                .header("traceparent", "00-5759e988bd862e3fe1be46a994272793-53995c3f42cd8ad8-00")
                                .build())
                        .outcome())
                .isEqualTo(ScheduleOutcome.SCHEDULED);
        Message fromJava = gateway.receiveOne(url);
        assertThat(fromJava.attributes())
                .containsEntry(
                        MessageSystemAttributeName.AWS_TRACE_HEADER,
                        "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=0");
    }

    @Test
    void bytesThatNoBodyCanHaveComeAsBase64() {
        String url = gateway.create("orders");
        for (byte[] payload : new byte[][] {{0, 1}, {(byte) 0xff}}) {
            assertThat(gateway.client()
                            .schedule(OutgoingMessage.to("orders")
                                    .payload(payload)
                                    .build())
                            .outcome())
                    .isEqualTo(ScheduleOutcome.SCHEDULED);
            Message message = gateway.receiveOne(url);
            assertThat(message.attributesAsStrings()).containsEntry("DelayQueueBodyEncoding", "base64");
            assertThat(Base64.getDecoder().decode(message.body())).isEqualTo(payload);
            sqs.deleteMessage(request -> request.queueUrl(url).receiptHandle(message.receiptHandle()));
        }
    }

    @Test
    void receiveWithAVisibilityOfZeroHidesNothing() {
        String url = gateway.create("orders");
        sqs.sendMessage(request -> request.queueUrl(url).messageBody("x"));
        for (int i = 1; i <= 5; i++) {
            Message message = sqs.receiveMessage(request -> request.queueUrl(url)
                            .waitTimeSeconds(20)
                            .visibilityTimeout(0)
                            .messageSystemAttributeNames(MessageSystemAttributeName.ALL))
                    .messages()
                    .get(0);
            assertThat(message.attributes())
                    .containsEntry(MessageSystemAttributeName.APPROXIMATE_RECEIVE_COUNT, String.valueOf(i));
        }
        assertThat(gateway.client().stats("orders").totals().retried())
                .as("released, not lost")
                .isGreaterThanOrEqualTo(4);
    }

    @Test
    void oneMebibyteIsSentAloneAndInABatch() {
        String url = gateway.create("orders");
        String half = "x".repeat(512 * 1024);
        sqs.sendMessage(request -> request.queueUrl(url).messageBody(half + half));
        assertThat(sqs.sendMessageBatch(request -> request.queueUrl(url).entries(entry("a", half), entry("b", half)))
                        .successful())
                .hasSize(2);
        assertThatExceptionOfType(BatchRequestTooLongException.class)
                .isThrownBy(() -> sqs.sendMessageBatch(
                        request -> request.queueUrl(url).entries(entry("a", half), entry("b", half + "x"))));
        assertThat(gateway.client().stats("orders").totals().accepted()).isEqualTo(3);
    }

    @Test
    void largestMessageIsReceived() {
        String url = gateway.create("orders");
        String body = "x".repeat(1024 * 1024);
        sqs.sendMessage(request -> request.queueUrl(url).messageBody(body));
        Message message = gateway.receiveOne(url);
        assertThat(message.body()).isEqualTo(body);
        sqs.deleteMessage(request -> request.queueUrl(url).receiptHandle(message.receiptHandle()));
        assertThat(gateway.client().stats("orders").totals().acked()).isEqualTo(1);
    }

    @Test
    void delayOfDaysIsKept() {
        String url = gateway.create("orders");
        sqs.sendMessage(request -> request.queueUrl(url).messageBody("x").delaySeconds(200_000));
        Instant now = gateway.client().stats("orders").time();
        assertThat(gateway.client().pending("orders").list(1).get(0).due())
                .isBetween(now.plusSeconds(200_000 - 600), now.plusSeconds(200_000));
    }

    @Test
    void attributesComeOnlyIfAskedFor() {
        String url = gateway.create("orders");
        sqs.sendMessage(request -> request.queueUrl(url)
                .messageBody("x")
                .messageAttributes(Map.of(
                        "a",
                        MessageAttributeValue.builder()
                                .dataType("String")
                                .stringValue("b")
                                .build())));
        Message message = sqs.receiveMessage(request -> request.queueUrl(url).waitTimeSeconds(20))
                .messages()
                .get(0);
        assertThat(message.hasAttributes()).isFalse();
        assertThat(message.hasMessageAttributes()).isFalse();
    }

    @Test
    void batchHasAResultForEachEntry() {
        String url = gateway.create("orders");
        SendMessageBatchResponse sent = sqs.sendMessageBatch(
                request -> request.queueUrl(url).entries(entry("a", "one"), entry("b", "\u0000"), entry("c", "three")));
        assertThat(sent.successful()).extracting(result -> result.id()).containsExactly("a", "c");
        assertThat(sent.failed()).singleElement().satisfies(failed -> {
            assertThat(failed.id()).isEqualTo("b");
            assertThat(failed.code()).isEqualTo("InvalidMessageContents");
            assertThat(failed.senderFault()).isTrue();
        });
        assertThat(gateway.client().stats("orders").totals().accepted()).isEqualTo(2);
        assertThatExceptionOfType(SqsException.class)
                .isThrownBy(() -> sqs.sendMessageBatch(
                        request -> request.queueUrl(url).entries(entry("a", "1"), entry("a", "2"))))
                .satisfies(e -> assertThat(e.awsErrorDetails().errorCode())
                        .isEqualTo("AWS.SimpleQueueService.BatchEntryIdsNotDistinct"));
    }

    private static SendMessageBatchRequestEntry entry(String id, String body) {
        return SendMessageBatchRequestEntry.builder().id(id).messageBody(body).build();
    }
}
