package io.delayqueue.gateway.sqs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.delayqueue.MessageInfo;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.ScheduleOutcome;
import io.delayqueue.gateway.testsupport.Gateway;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
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
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.BatchRequestTooLongException;
import software.amazon.awssdk.services.sqs.model.ListQueuesResponse;
import software.amazon.awssdk.services.sqs.model.Message;
import software.amazon.awssdk.services.sqs.model.MessageAttributeValue;
import software.amazon.awssdk.services.sqs.model.MessageSystemAttributeName;
import software.amazon.awssdk.services.sqs.model.MessageSystemAttributeNameForSends;
import software.amazon.awssdk.services.sqs.model.MessageSystemAttributeValue;
import software.amazon.awssdk.services.sqs.model.QueueAttributeName;
import software.amazon.awssdk.services.sqs.model.QueueDoesNotExistException;
import software.amazon.awssdk.services.sqs.model.QueueNameExistsException;
import software.amazon.awssdk.services.sqs.model.ReceiptHandleIsInvalidException;
import software.amazon.awssdk.services.sqs.model.ReceiveMessageResponse;
import software.amazon.awssdk.services.sqs.model.SendMessageBatchRequestEntry;
import software.amazon.awssdk.services.sqs.model.SendMessageBatchResponse;
import software.amazon.awssdk.services.sqs.model.SendMessageResponse;
import software.amazon.awssdk.services.sqs.model.SqsException;
import software.amazon.awssdk.services.sqs.model.UnsupportedOperationException;

/** The AWS SDK for Java, which checks each MD5 itself, against a whole application that checks its signatures. */
@ExtendWith(EmbeddedRedisExtension.class)
@Tag("slow")
class AwsSdkTests {

    private static Gateway gateway;
    private static SqsClient sqs;

    @BeforeAll
    static void start(EmbeddedRedis redis) {
        gateway = Gateway.start(
                redis,
                "delayqueue.gateway.sqs.enabled=true",
                // longer than any wait here: a message that comes again has not only been left alone
                "delayqueue.gateway.sqs.delivery-lease=60s",
                "delayqueue.gateway.sqs.keys.AKID.secret=a-secret-of-some-length",
                "delayqueue.gateway.sqs.keys.AKID.rights=produce,consume,operate",
                "delayqueue.gateway.sqs.keys.AKID.topics=*",
                "delayqueue.gateway.sqs.keys.READER.secret=another-secret",
                "delayqueue.gateway.sqs.keys.READER.rights=consume",
                "delayqueue.gateway.sqs.keys.READER.topics=orders");
        sqs = client("AKID", "a-secret-of-some-length");
    }

    @AfterAll
    static void stop() {
        sqs.close();
        gateway.close();
    }

    private static SqsClient client(String keyId, String secret) {
        return SqsClient.builder()
                .endpointOverride(URI.create("http://127.0.0.1:" + gateway.port()))
                .region(Region.EU_CENTRAL_1)
                .credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create(keyId, secret)))
                .httpClient(UrlConnectionHttpClient.create())
                .build();
    }

    private static String create(String name) {
        return sqs.createQueue(request -> request.queueName(name)).queueUrl();
    }

    @Test
    void messageIsSentReceivedAndDeleted() {
        String url = create("orders");
        assertThat(url).isEqualTo("http://127.0.0.1:" + gateway.port() + "/000000000000/orders");
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

        Message message = receive(url).messages().get(0);

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
        String endpoint = "http://127.0.0.1:" + gateway.port();
        String secret = "a-secret-of-some-length";
        List<String> bodies = new ArrayList<>();
        // tag::client[]
        SqsClient sqs = SqsClient.builder()
                .endpointOverride(URI.create(endpoint))
                .region(Region.US_EAST_1)
                .credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create("AKID", secret)))
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
        String url = create("orders");
        sqs.sendMessage(request -> request.queueUrl(url).messageBody("x"));
        String old = sqs.receiveMessage(
                        request -> request.queueUrl(url).waitTimeSeconds(20).visibilityTimeout(1))
                .messages()
                .get(0)
                .receiptHandle();
        Message again = receive(url).messages().get(0);

        sqs.deleteMessage(request -> request.queueUrl(url).receiptHandle(old));

        assertThat(gateway.client().stats("orders").totals().acked())
                .as("it is another receiver's now")
                .isZero();
        sqs.deleteMessage(request -> request.queueUrl(url).receiptHandle(again.receiptHandle()));
        assertThat(gateway.client().stats("orders").totals().acked()).isEqualTo(1);
    }

    @Test
    void traceIsCarriedBothWays() {
        String url = create("orders");
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
        Message fromSqs = receive(url).messages().get(0);
        assertThat(fromSqs.attributes()).containsEntry(MessageSystemAttributeName.AWS_TRACE_HEADER, trace);
        sqs.deleteMessage(request -> request.queueUrl(url).receiptHandle(fromSqs.receiptHandle()));
        assertThat(gateway.client()
                        .schedule(OutgoingMessage.to("orders")
                                .payload(new byte[0])
                                .header("traceparent", "00-5759e988bd862e3fe1be46a994272793-53995c3f42cd8ad8-00")
                                .build())
                        .outcome())
                .isEqualTo(ScheduleOutcome.SCHEDULED);
        Message fromJava = receive(url).messages().get(0);
        assertThat(fromJava.attributes())
                .containsEntry(
                        MessageSystemAttributeName.AWS_TRACE_HEADER,
                        "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=0");
    }

    @Test
    void bytesThatNoBodyCanHaveComeAsBase64() {
        String url = create("orders");
        for (byte[] payload : new byte[][] {{0, 1}, {(byte) 0xff}}) {
            assertThat(gateway.client()
                            .schedule(OutgoingMessage.to("orders")
                                    .payload(payload)
                                    .build())
                            .outcome())
                    .isEqualTo(ScheduleOutcome.SCHEDULED);
            Message message = receive(url).messages().get(0);
            assertThat(message.attributesAsStrings()).containsEntry("DelayQueueBodyEncoding", "base64");
            assertThat(Base64.getDecoder().decode(message.body())).isEqualTo(payload);
            sqs.deleteMessage(request -> request.queueUrl(url).receiptHandle(message.receiptHandle()));
        }
    }

    @Test
    void receiveWithAVisibilityOfZeroHidesNothing() {
        String url = create("orders");
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
                .as("given back, not lost")
                .isGreaterThanOrEqualTo(4);
    }

    @Test
    void deduplicationIsForFifoQueues() {
        String url = create("orders");
        assertThatExceptionOfType(SqsException.class)
                .isThrownBy(() -> sqs.sendMessage(
                        request -> request.queueUrl(url).messageBody("x").messageDeduplicationId("a")))
                .satisfies(e -> assertThat(e.awsErrorDetails().errorCode()).isEqualTo("InvalidParameterValue"));
        sqs.sendMessage(request -> request.queueUrl(url).messageBody("x").messageGroupId("g"));
        assertThat(receive(url).messages().get(0).attributes())
                .containsEntry(MessageSystemAttributeName.MESSAGE_GROUP_ID, "g");
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> sqs.createQueue(request -> request.queueName("orders.fifo")));
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> sqs.setQueueAttributes(
                        request -> request.queueUrl(url).attributes(Map.of(QueueAttributeName.POLICY, "{}"))));
    }

    @Test
    void oneMebibyteIsSentAloneAndInABatch() {
        String url = create("orders");
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
        String url = create("orders");
        String body = "x".repeat(1024 * 1024);
        sqs.sendMessage(request -> request.queueUrl(url).messageBody(body));
        Message message = receive(url).messages().get(0);
        assertThat(message.body()).isEqualTo(body);
        sqs.deleteMessage(request -> request.queueUrl(url).receiptHandle(message.receiptHandle()));
        assertThat(gateway.client().stats("orders").totals().acked()).isEqualTo(1);
    }

    @Test
    void delayOfDaysIsKept() {
        String url = create("orders");
        sqs.sendMessage(request -> request.queueUrl(url).messageBody("x").delaySeconds(200_000));
        Instant now = gateway.client().stats("orders").time();
        assertThat(gateway.client().pending("orders").list(1).get(0).due())
                .isBetween(now.plusSeconds(200_000 - 600), now.plusSeconds(200_000));
    }

    @Test
    void delayOfAQueueCountsForItsMessages() {
        String url = sqs.createQueue(request ->
                        request.queueName("delayed").attributes(Map.of(QueueAttributeName.DELAY_SECONDS, "7000")))
                .queueUrl();
        sqs.sendMessage(request -> request.queueUrl(url).messageBody("x"));
        Instant now = gateway.client().stats("delayed").time();
        assertThat(gateway.client().pending("delayed").list(1).get(0).due())
                .isBetween(now.plusSeconds(7_000 - 600), now.plusSeconds(7_000));
        sqs.setQueueAttributes(
                request -> request.queueUrl(url).attributes(Map.of(QueueAttributeName.DELAY_SECONDS, "0")));
        sqs.sendMessage(request -> request.queueUrl(url).messageBody("now"));
        assertThat(receive(url).messages()).extracting(Message::body).containsExactly("now");
    }

    @Test
    void visibilityTimeoutOfAQueueCountsForItsReceives() {
        String url = sqs.createQueue(request ->
                        request.queueName("hiding").attributes(Map.of(QueueAttributeName.VISIBILITY_TIMEOUT, "7000")))
                .queueUrl();
        sqs.sendMessage(request -> request.queueUrl(url).messageBody("x"));
        Message first = receive(url).messages().get(0);
        awaitLease("hiding", first, 6_000, 7_000);
        sqs.changeMessageVisibility(request ->
                request.queueUrl(url).receiptHandle(first.receiptHandle()).visibilityTimeout(20_000));
        awaitLease("hiding", first, 19_000, 20_000);
        sqs.changeMessageVisibility(request ->
                request.queueUrl(url).receiptHandle(first.receiptHandle()).visibilityTimeout(1));
        Message again = receive(url).messages().get(0);
        assertThat(again.attributes()).containsEntry(MessageSystemAttributeName.APPROXIMATE_RECEIVE_COUNT, "2");
        awaitLease("hiding", again, 6_000, 7_000);
    }

    private static void awaitLease(String topic, Message message, long least, long most) {
        String id = message.attributesAsStrings().get("DelayQueueMessageId");
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            MessageInfo info = gateway.client().find(topic, id).orElseThrow();
            assertThat(Duration.between(info.time(), info.leaseDeadline()).toSeconds())
                    .isBetween(least, most);
        });
    }

    @Test
    void waitOfAQueueCountsForItsReceives() {
        String url = sqs.createQueue(request -> request.queueName("waiting")
                        .attributes(Map.of(QueueAttributeName.RECEIVE_MESSAGE_WAIT_TIME_SECONDS, "20")))
                .queueUrl();
        sqs.sendMessage(request -> request.queueUrl(url).messageBody("x").delaySeconds(2));
        assertThat(sqs.receiveMessage(request -> request.queueUrl(url)).messages())
                .as("a receive without a wait of its own")
                .hasSize(1);
    }

    @Test
    void queuesAreListedPageByPage() {
        List<String> urls = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            urls.add(create("paged-" + i));
        }
        create("pages-of-another");
        List<List<String>> pages =
                sqs
                        .listQueuesPaginator(
                                request -> request.queueNamePrefix("paged-").maxResults(3))
                        .stream()
                        .map(ListQueuesResponse::queueUrls)
                        .toList();
        assertThat(pages).containsExactly(urls.subList(0, 3), urls.subList(3, 6), urls.subList(6, 7));
    }

    @Test
    void emptyReceiveWaitsAndHasNoList() {
        String url = create("orders");
        long begin = System.nanoTime();
        ReceiveMessageResponse none =
                sqs.receiveMessage(request -> request.queueUrl(url).waitTimeSeconds(1));
        assertThat(none.hasMessages()).isFalse();
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThan(Duration.ofMillis(900));
    }

    @Test
    void attributesComeOnlyIfAskedFor() {
        String url = create("orders");
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
        String url = create("orders");
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

    @Test
    void errorsHaveTheirClasses() {
        assertThatExceptionOfType(QueueDoesNotExistException.class)
                .isThrownBy(() -> sqs.getQueueUrl(request -> request.queueName("nowhere")))
                .satisfies(e -> assertThat(e.statusCode()).isEqualTo(400));
        String url = create("orders");
        assertThatExceptionOfType(ReceiptHandleIsInvalidException.class)
                .isThrownBy(
                        () -> sqs.deleteMessage(request -> request.queueUrl(url).receiptHandle("garbage")));
        assertThatExceptionOfType(QueueNameExistsException.class)
                .isThrownBy(() -> sqs.createQueue(request ->
                        request.queueName("orders").attributes(Map.of(QueueAttributeName.VISIBILITY_TIMEOUT, "7"))));
    }

    @Test
    void wrongKeysAndMissingRightsAreForbidden() {
        String url = create("orders");
        assertForbidden("AKID", "wrong", "SignatureDoesNotMatch", url);
        assertForbidden("NOBODY", "a-secret-of-some-length", "InvalidClientTokenId", url);
        assertForbidden("READER", "another-secret", "AccessDenied", url);
        assertThat(gateway.client().stats("orders").totals().accepted()).isZero();
    }

    private static void assertForbidden(String keyId, String secret, String code, String url) {
        try (SqsClient other = client(keyId, secret)) {
            assertThatExceptionOfType(SqsException.class)
                    .isThrownBy(() ->
                            other.sendMessage(request -> request.queueUrl(url).messageBody("x")))
                    .satisfies(e -> {
                        assertThat(e.statusCode()).isEqualTo(403);
                        assertThat(e.awsErrorDetails().errorCode()).isEqualTo(code);
                    });
        }
    }

    @Test
    void unsignedRequestIsForbidden() throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + gateway.port() + "/"))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString("Action=ListQueues&Version=2012-11-05"))
                .build();
        HttpResponse<String> response = gateway.http().send(request, HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).isEqualTo(403);
        assertThat(response.body()).contains("<Code>MissingAuthenticationToken</Code>");
    }

    @Test
    void queueHasAttributesTagsAndARedrivePolicy() {
        String url = create("orders");
        create("orders-dead");
        String policy =
                "{\"deadLetterTargetArn\":\"arn:aws:sqs:us-east-1:000000000000:orders-dead\",\"maxReceiveCount\":\"1\"}";
        sqs.setQueueAttributes(request -> request.queueUrl(url)
                .attributes(Map.of(
                        QueueAttributeName.REDRIVE_POLICY, policy, QueueAttributeName.VISIBILITY_TIMEOUT, "60")));
        sqs.tagQueue(request -> request.queueUrl(url).tags(Map.of("team", "a")));
        assertThat(sqs.listQueueTags(request -> request.queueUrl(url)).tags()).containsEntry("team", "a");
        assertThat(sqs.listQueues().queueUrls()).contains(url);
        sqs.sendMessage(request -> request.queueUrl(url).messageBody("x"));
        Message message = receive(url).messages().get(0);
        sqs.changeMessageVisibility(request ->
                request.queueUrl(url).receiptHandle(message.receiptHandle()).visibilityTimeout(0));
        Map<QueueAttributeName, String> attributes = sqs.getQueueAttributes(
                        request -> request.queueUrl(url + "-dead").attributeNames(QueueAttributeName.ALL))
                .attributes();
        assertThat(attributes).containsEntry(QueueAttributeName.APPROXIMATE_NUMBER_OF_MESSAGES, "1");
        sqs.purgeQueue(request -> request.queueUrl(url + "-dead"));
        assertThat(gateway.client().stats("orders").dead()).isZero();
        sqs.deleteQueue(request -> request.queueUrl(url));
        assertThat(gateway.client().topics()).isEmpty();
    }

    @Test
    void foreignDeadLetterQueueIsRefused() {
        String policy = "{\"deadLetterTargetArn\":\"arn:aws:sqs:us-east-1:000000000000:other\",\"maxReceiveCount\":3}";
        assertThatExceptionOfType(SqsException.class)
                .isThrownBy(() -> sqs.createQueue(request ->
                        request.queueName("orders").attributes(Map.of(QueueAttributeName.REDRIVE_POLICY, policy))))
                .satisfies(e -> assertThat(e.awsErrorDetails().errorCode()).isEqualTo("InvalidParameterValue"));
    }

    private static ReceiveMessageResponse receive(String url) {
        return sqs.receiveMessage(request -> request.queueUrl(url)
                .waitTimeSeconds(20)
                .messageSystemAttributeNames(MessageSystemAttributeName.ALL)
                .messageAttributeNames(List.of("All")));
    }
}
