package io.delayqueue.gateway.sqs.dead;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.PullConsumer;
import io.delayqueue.PullOptions;
import io.delayqueue.PulledMessage;
import io.delayqueue.gateway.testsupport.SqsGateway;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.ListMessageMoveTasksResultEntry;
import software.amazon.awssdk.services.sqs.model.Message;
import software.amazon.awssdk.services.sqs.model.MessageNotInflightException;
import software.amazon.awssdk.services.sqs.model.PurgeQueueInProgressException;
import software.amazon.awssdk.services.sqs.model.QueueAttributeName;
import software.amazon.awssdk.services.sqs.model.ReceiptHandleIsInvalidException;
import software.amazon.awssdk.services.sqs.model.ResourceNotFoundException;
import software.amazon.awssdk.services.sqs.model.SqsException;
import software.amazon.awssdk.services.sqs.model.UnsupportedOperationException;

/** The dead letters of a queue are a queue themselves, seen by the AWS SDK for Java. */
@Tag("slow")
@ExtendWith(EmbeddedRedisExtension.class)
class DeadLetterQueueTests {

    private static final String ARN = "arn:aws:sqs:us-east-1:000000000000:";
    private static final Duration WAIT = Duration.ofSeconds(30);

    private static SqsGateway gateway;
    private static SqsClient sqs;

    private String url;
    private String dead;

    @BeforeAll
    static void start(EmbeddedRedis redis) {
        gateway = SqsGateway.start(redis);
        sqs = gateway.sqs();
    }

    @BeforeEach
    void createQueues() {
        dead = gateway.create("orders-dead");
        url = sqs.createQueue(request -> request.queueName("orders")
                        .attributes(Map.of(
                                QueueAttributeName.REDRIVE_POLICY,
                                "{\"deadLetterTargetArn\":\"" + ARN + "orders-dead\",\"maxReceiveCount\":1}")))
                .queueUrl();
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    /** Sends a message, receives it, and gives it up. */
    private String kill(String body) {
        String id = sqs.sendMessage(request -> request.queueUrl(url).messageBody(body))
                .messageId();
        Message message = gateway.receiveOne(url);
        assertThat(message.body()).isEqualTo(body);
        changeVisibility(url, message, 0);
        return id;
    }

    private static void changeVisibility(String queue, Message message, int seconds) {
        sqs.changeMessageVisibility(request ->
                request.queueUrl(queue).receiptHandle(message.receiptHandle()).visibilityTimeout(seconds));
    }

    private static void delete(String queue, Message message) {
        sqs.deleteMessage(request -> request.queueUrl(queue).receiptHandle(message.receiptHandle()));
    }

    private static void killMany(int count) {
        killMany(count, new byte[] {'x'});
    }

    private static void killMany(int count, byte[] payload) {
        PullConsumer consumer = gateway.client().pullConsumer("orders", PullOptions.defaults());
        List<OutgoingMessage> messages = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            messages.add(OutgoingMessage.to("orders").payload(payload).build());
        }
        assertThat(gateway.client().scheduleAll(messages)).hasSize(count);
        for (int left = count; left > 0; ) {
            List<PulledMessage> received = consumer.receive(Math.min(left, 500), WAIT);
            received.forEach(message -> consumer.deadLetter(message.receipt(), "test"));
            left -= received.size();
        }
        assertThat(gateway.client().stats("orders").dead()).isEqualTo(count);
    }

    @Test
    void deadLetterIsReceivedHiddenAndDeleted() {
        String id = kill("x");

        Message message = gateway.receiveOne(dead);

        assertThat(message.messageId()).isEqualTo(id);
        assertThat(message.body()).isEqualTo("x");
        assertThat(message.attributesAsStrings())
                .containsEntry("ApproximateReceiveCount", "1")
                .containsEntry("DeadLetterQueueSourceArn", ARN + "orders")
                .containsKey("DelayQueueError");
        assertThat(gateway.receive(dead, 0)).as("it is hidden").isEmpty();
        changeVisibility(dead, message, 600);
        for (int i = 0; i < 2; i++) {
            delete(dead, message);
        }
        assertThat(gateway.client().stats("orders").dead()).isZero();
    }

    @Test
    void visibilityOfZeroGivesADeadLetterBack() {
        kill("x");
        Message first = gateway.receiveOne(dead);
        changeVisibility(dead, first, 0);
        Message second = gateway.receiveOne(dead);
        delete(dead, first);
        assertThat(gateway.client().stats("orders").dead())
                .as("an old handle deletes nothing")
                .isEqualTo(1);
        assertThatExceptionOfType(MessageNotInflightException.class)
                .isThrownBy(() -> changeVisibility(dead, first, 60));
        delete(dead, second);
        assertThat(gateway.client().stats("orders").dead()).isZero();
    }

    @Test
    void handleDeletesNoLaterDeadLetterOfItsMessage() {
        kill("x");
        Message first = gateway.receiveOne(dead);
        changeVisibility(dead, first, 600);
        assertThat(gateway.client().deadLetters("orders").redriveAll()).isEqualTo(1);
        changeVisibility(url, gateway.receiveOne(url), 0);

        Message second = gateway.receiveOne(dead);
        delete(dead, first);
        assertThat(gateway.client().stats("orders").dead())
                .as("nobody handled the second dead letter")
                .isEqualTo(1);
        delete(dead, second);
        assertThat(gateway.client().stats("orders").dead()).isZero();
    }

    /** Redis returns pages of 4 MiB at most, so of fewer dead letters than asked for. */
    @Test
    void largeDeadLettersAreAllReceivedWhileTheFirstAreInFlight() {
        killMany(60, "x".repeat(100_000).getBytes(StandardCharsets.US_ASCII));
        Set<String> ids = new HashSet<>();
        List<Message> page;
        do {
            page = sqs.receiveMessage(request ->
                            request.queueUrl(dead).maxNumberOfMessages(10).visibilityTimeout(600))
                    .messages();
            page.forEach(message -> ids.add(message.messageId()));
        } while (!page.isEmpty());
        assertThat(ids).hasSize(60);
    }

    @Test
    void receiveThatHidesNothingFindsNoneInFlight() {
        kill("x");
        gateway.receiveOne(dead);
        assertThat(sqs.receiveMessage(request -> request.queueUrl(dead).visibilityTimeout(0))
                        .messages())
                .isEmpty();
    }

    @Test
    void hiddenDeadLetterIsDeliveredAgainWhileAClientWaits() {
        kill("x");
        sqs.receiveMessage(request -> request.queueUrl(dead).visibilityTimeout(1));
        assertThat(gateway.receiveOne(dead).body()).isEqualTo("x");
    }

    @Test
    void emptyQueueIsWaitedFor() {
        long begin = System.nanoTime();
        assertThat(gateway.receive(dead, 1)).isEmpty();
        assertThat(System.nanoTime() - begin).isGreaterThan(900_000_000);
    }

    @Test
    void allDeadLettersAreReceivedOnce() {
        killMany(120);
        Set<String> ids = new HashSet<>();
        for (List<Message> page = gateway.receive(dead, 0); !page.isEmpty(); page = gateway.receive(dead, 0)) {
            page.forEach(message -> assertThat(ids.add(message.messageId())).isTrue());
        }
        assertThat(ids).hasSize(120);
    }

    @Test
    void onlyHandlesOfTheQueueAreGood() {
        kill("x");
        Message message = gateway.receiveOne(dead);
        String cut = message.receiptHandle().substring(1);
        for (String handle : List.of("garbage", "dead.", cut, message.receiptHandle() + "0")) {
            assertThatExceptionOfType(ReceiptHandleIsInvalidException.class)
                    .as(handle)
                    .isThrownBy(() ->
                            sqs.deleteMessage(request -> request.queueUrl(dead).receiptHandle(handle)));
        }
        assertThatExceptionOfType(ReceiptHandleIsInvalidException.class).isThrownBy(() -> delete(url, message));
        assertThat(gateway.client().stats("orders").dead()).isEqualTo(1);
    }

    @Test
    void nothingIsSentToDeadLetters() {
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(
                        () -> sqs.sendMessage(request -> request.queueUrl(dead).messageBody("x")));
    }

    @Test
    void sourceOfDeadLettersIsListed() {
        assertThat(sqs.listDeadLetterSourceQueues(request -> request.queueUrl(dead))
                        .queueUrls())
                .containsExactly(url);
        assertThat(sqs.listDeadLetterSourceQueues(request -> request.queueUrl(url))
                        .queueUrls())
                .isEmpty();
    }

    @Test
    void moveBringsAllDeadLettersBack() {
        killMany(1_100);
        sqs.startMessageMoveTask(request -> request.sourceArn(ARN + "orders-dead"));
        await().atMost(WAIT).until(() -> "COMPLETED".equals(lastMove().status()));
        assertThat(lastMove().approximateNumberOfMessagesMoved()).isEqualTo(1_100);
        assertThat(lastMove().taskHandle()).isNull();
        assertThat(gateway.client().stats("orders").dead()).isZero();
        assertThat(gateway.client().stats("orders").pending().ready()).isEqualTo(1_100);
    }

    @Test
    void moveIsCancelled() {
        killMany(30);
        String task = sqs.startMessageMoveTask(
                        request -> request.sourceArn(ARN + "orders-dead").maxNumberOfMessagesPerSecond(1))
                .taskHandle();
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .as("one at a time")
                .isThrownBy(() -> sqs.startMessageMoveTask(request -> request.sourceArn(ARN + "orders-dead")));
        sqs.cancelMessageMoveTask(request -> request.taskHandle(task));
        await().atMost(WAIT).until(() -> "CANCELLED".equals(lastMove().status()));
        assertThat(gateway.client().stats("orders").dead()).isBetween(1L, 30L);
        assertThatExceptionOfType(ResourceNotFoundException.class)
                .isThrownBy(() -> sqs.cancelMessageMoveTask(request -> request.taskHandle(task)));
        assertThatExceptionOfType(ResourceNotFoundException.class)
                .isThrownBy(() -> sqs.cancelMessageMoveTask(request -> request.taskHandle("garbage")));
    }

    private static ListMessageMoveTasksResultEntry lastMove() {
        return sqs.listMessageMoveTasks(request -> request.sourceArn(ARN + "orders-dead"))
                .results()
                .get(0);
    }

    @Test
    void moveNeedsDeadLettersAndTheirOwnQueue() {
        assertThatExceptionOfType(ResourceNotFoundException.class)
                .isThrownBy(() -> sqs.startMessageMoveTask(request -> request.sourceArn(ARN + "nowhere")));
        assertThatExceptionOfType(SqsException.class)
                .isThrownBy(() -> sqs.startMessageMoveTask(request -> request.sourceArn(ARN + "orders")))
                .satisfies(e -> assertThat(e.awsErrorDetails().errorCode()).isEqualTo("InvalidParameterValue"));
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> sqs.startMessageMoveTask(
                        request -> request.sourceArn(ARN + "orders-dead").destinationArn(ARN + "other")));
    }

    @Test
    void purgeIsRefusedWithinAMinute() {
        sqs.sendMessage(request -> request.queueUrl(url).messageBody("x"));
        sqs.purgeQueue(request -> request.queueUrl(url));
        assertThat(gateway.client().stats("orders").totals().purged()).isEqualTo(1);
        assertThatExceptionOfType(PurgeQueueInProgressException.class)
                .isThrownBy(() -> sqs.purgeQueue(request -> request.queueUrl(url)));
        sqs.purgeQueue(request -> request.queueUrl(dead));
    }
}
