package io.delayqueue.gateway.sqs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.delayqueue.MessageInfo;
import io.delayqueue.gateway.testsupport.SqsGateway;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.BatchResultErrorEntry;
import software.amazon.awssdk.services.sqs.model.ChangeMessageVisibilityBatchRequestEntry;
import software.amazon.awssdk.services.sqs.model.ChangeMessageVisibilityBatchResponse;
import software.amazon.awssdk.services.sqs.model.ChangeMessageVisibilityBatchResultEntry;
import software.amazon.awssdk.services.sqs.model.ListQueuesResponse;
import software.amazon.awssdk.services.sqs.model.Message;
import software.amazon.awssdk.services.sqs.model.MessageSystemAttributeName;
import software.amazon.awssdk.services.sqs.model.QueueAttributeName;
import software.amazon.awssdk.services.sqs.model.QueueDoesNotExistException;
import software.amazon.awssdk.services.sqs.model.QueueNameExistsException;
import software.amazon.awssdk.services.sqs.model.ReceiptHandleIsInvalidException;
import software.amazon.awssdk.services.sqs.model.ReceiveMessageResponse;
import software.amazon.awssdk.services.sqs.model.SqsException;
import software.amazon.awssdk.services.sqs.model.UnsupportedOperationException;

/** Queues of the AWS SDK for Java: attributes, pages, errors, and who may use them. */
@ExtendWith(EmbeddedRedisExtension.class)
@Tag("slow")
class AwsSdkQueuesTests {

    private static SqsGateway gateway;
    private static SqsClient sqs;

    @BeforeAll
    static void start(EmbeddedRedis redis) {
        gateway = SqsGateway.start(
                redis,
                // longer than any wait here: a message that comes again has not only been left alone
                "delayqueue.gateway.sqs.delivery-lease=60s",
                "delayqueue.gateway.sqs.keys.READER.secret=another-secret",
                "delayqueue.gateway.sqs.keys.READER.rights=consume",
                "delayqueue.gateway.sqs.keys.READER.topics=orders");
        sqs = gateway.sqs();
    }

    @AfterAll
    static void stop() {
        gateway.close();
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
        assertThat(gateway.receive(url, 20)).extracting(Message::body).containsExactly("now");
    }

    @Test
    void visibilityTimeoutOfAQueueCountsForItsReceives() {
        String url = sqs.createQueue(request ->
                        request.queueName("hiding").attributes(Map.of(QueueAttributeName.VISIBILITY_TIMEOUT, "7000")))
                .queueUrl();
        sqs.sendMessage(request -> request.queueUrl(url).messageBody("x"));
        Message first = gateway.receiveOne(url);
        awaitLease("hiding", first, 6_000, 7_000);
        sqs.changeMessageVisibility(request ->
                request.queueUrl(url).receiptHandle(first.receiptHandle()).visibilityTimeout(20_000));
        awaitLease("hiding", first, 19_000, 20_000);
        sqs.changeMessageVisibility(request ->
                request.queueUrl(url).receiptHandle(first.receiptHandle()).visibilityTimeout(1));
        Message again = gateway.receiveOne(url);
        assertThat(again.attributes()).containsEntry(MessageSystemAttributeName.APPROXIMATE_RECEIVE_COUNT, "2");
        awaitLease("hiding", again, 6_000, 7_000);
    }

    @Test
    void visibilityTimeoutsOfABatchCountEachForItsMessage() {
        String queue = "hiding-several";
        String url = sqs.createQueue(request ->
                        request.queueName(queue).attributes(Map.of(QueueAttributeName.VISIBILITY_TIMEOUT, "7000")))
                .queueUrl();
        List<Message> messages = new ArrayList<>();
        for (String body : List.of("longer", "shorter", "as before")) {
            sqs.sendMessage(request -> request.queueUrl(url).messageBody(body));
            Message message = gateway.receiveOne(url);
            awaitLease(queue, message, 6_000, 7_000);
            messages.add(message);
        }

        ChangeMessageVisibilityBatchResponse changed = sqs.changeMessageVisibilityBatch(request -> request.queueUrl(url)
                .entries(
                        entry("longer", messages.get(0).receiptHandle(), 20_000),
                        entry("garbage", "garbage", 30_000),
                        entry("shorter", messages.get(1).receiptHandle(), 3_000)));
        assertThat(changed.successful())
                .extracting(ChangeMessageVisibilityBatchResultEntry::id)
                .containsExactly("longer", "shorter");
        assertThat(changed.failed()).extracting(BatchResultErrorEntry::id).containsExactly("garbage");
        awaitLease(queue, messages.get(0), 19_000, 20_000);
        awaitLease(queue, messages.get(1), 2_000, 3_000);
        awaitLease(queue, messages.get(2), 6_000, 7_000);
    }

    private static ChangeMessageVisibilityBatchRequestEntry entry(String id, String handle, int seconds) {
        return ChangeMessageVisibilityBatchRequestEntry.builder()
                .id(id)
                .receiptHandle(handle)
                .visibilityTimeout(seconds)
                .build();
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
            urls.add(gateway.create("paged-" + i));
        }
        gateway.create("pages-of-another");
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
    void errorsHaveTheirClasses() {
        assertThatExceptionOfType(QueueDoesNotExistException.class)
                .isThrownBy(() -> sqs.getQueueUrl(request -> request.queueName("nowhere")))
                .satisfies(e -> assertThat(e.statusCode()).isEqualTo(400));
        String url = gateway.create("orders");
        assertThatExceptionOfType(ReceiptHandleIsInvalidException.class)
                .isThrownBy(
                        () -> sqs.deleteMessage(request -> request.queueUrl(url).receiptHandle("garbage")));
        assertThatExceptionOfType(QueueNameExistsException.class)
                .isThrownBy(() -> sqs.createQueue(request ->
                        request.queueName("orders").attributes(Map.of(QueueAttributeName.VISIBILITY_TIMEOUT, "7"))));
    }

    @Test
    void wrongKeysAndMissingRightsAreForbidden() {
        String url = gateway.create("orders");
        assertForbidden("AKID", "wrong", "SignatureDoesNotMatch", url);
        assertForbidden("NOBODY", "a-secret-of-some-length", "InvalidClientTokenId", url);
        assertForbidden("READER", "another-secret", "AccessDenied", url);
        assertThat(gateway.client().stats("orders").totals().accepted()).isZero();
    }

    private static void assertForbidden(String keyId, String secret, String code, String url) {
        try (SqsClient other = SqsGateway.client(gateway.gateway(), keyId, secret)) {
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
        HttpRequest request = HttpRequest.newBuilder(URI.create(gateway.endpoint() + "/"))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString("Action=ListQueues&Version=2012-11-05"))
                .build();
        HttpResponse<String> response = gateway.gateway().http().send(request, HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).isEqualTo(403);
        assertThat(response.body()).contains("<Code>MissingAuthenticationToken</Code>");
    }

    @Test
    void queueHasAttributesTagsAndARedrivePolicy() {
        String url = gateway.create("orders");
        gateway.create("orders-dead");
        String policy =
                "{\"deadLetterTargetArn\":\"arn:aws:sqs:us-east-1:000000000000:orders-dead\",\"maxReceiveCount\":\"1\"}";
        sqs.setQueueAttributes(request -> request.queueUrl(url)
                .attributes(Map.of(
                        QueueAttributeName.REDRIVE_POLICY, policy, QueueAttributeName.VISIBILITY_TIMEOUT, "60")));
        sqs.tagQueue(request -> request.queueUrl(url).tags(Map.of("team", "a")));
        assertThat(sqs.listQueueTags(request -> request.queueUrl(url)).tags()).containsEntry("team", "a");
        assertThat(sqs.listQueues().queueUrls()).contains(url);
        sqs.sendMessage(request -> request.queueUrl(url).messageBody("x"));
        Message message = gateway.receiveOne(url);
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
    void tagsAreRemovedByTheirKeys() {
        String url = gateway.create("tagged");
        sqs.tagQueue(request -> request.queueUrl(url).tags(Map.of("team", "a", "stage", "test", "cost", "7")));
        sqs.untagQueue(request -> request.queueUrl(url).tagKeys("team", "unknown", "cost"));
        assertThat(sqs.listQueueTags(request -> request.queueUrl(url)).tags()).isEqualTo(Map.of("stage", "test"));
        sqs.untagQueue(request -> request.queueUrl(url).tagKeys("stage"));
        assertThat(sqs.listQueueTags(request -> request.queueUrl(url)).tags()).isEmpty();
    }

    @Test
    void foreignDeadLetterQueueIsRefused() {
        String policy = "{\"deadLetterTargetArn\":\"arn:aws:sqs:us-east-1:000000000000:other\",\"maxReceiveCount\":3}";
        assertThatExceptionOfType(SqsException.class)
                .isThrownBy(() -> sqs.createQueue(request ->
                        request.queueName("orders").attributes(Map.of(QueueAttributeName.REDRIVE_POLICY, policy))))
                .satisfies(e -> assertThat(e.awsErrorDetails().errorCode()).isEqualTo("InvalidParameterValue"));
    }

    @Test
    void deduplicationIsForFifoQueues() {
        String url = gateway.create("orders");
        assertThatExceptionOfType(SqsException.class)
                .isThrownBy(() -> sqs.sendMessage(
                        request -> request.queueUrl(url).messageBody("x").messageDeduplicationId("a")))
                .satisfies(e -> assertThat(e.awsErrorDetails().errorCode()).isEqualTo("InvalidParameterValue"));
        sqs.sendMessage(request -> request.queueUrl(url).messageBody("x").messageGroupId("g"));
        assertThat(gateway.receiveOne(url).attributes())
                .containsEntry(MessageSystemAttributeName.MESSAGE_GROUP_ID, "g");
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> sqs.createQueue(request -> request.queueName("orders.fifo")));
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> sqs.setQueueAttributes(
                        request -> request.queueUrl(url).attributes(Map.of(QueueAttributeName.POLICY, "{}"))));
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> sqs.setQueueAttributes(request ->
                        request.queueUrl(url).attributes(Map.of(QueueAttributeName.REDRIVE_ALLOW_POLICY, "{}"))));
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> sqs.addPermission(request -> request.queueUrl(url)
                        .label("l")
                        .awsAccountIds("000000000000")
                        .actions("SendMessage")));
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() ->
                        sqs.removePermission(request -> request.queueUrl(url).label("l")));
    }

    @Test
    void emptyReceiveWaitsAndHasNoList() {
        String url = gateway.create("orders");
        long begin = System.nanoTime();
        ReceiveMessageResponse none =
                sqs.receiveMessage(request -> request.queueUrl(url).waitTimeSeconds(1));
        assertThat(none.hasMessages()).isFalse();
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThan(Duration.ofMillis(900));
    }
}
