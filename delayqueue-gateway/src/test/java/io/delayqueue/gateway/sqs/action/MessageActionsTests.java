package io.delayqueue.gateway.sqs.action;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.MessageInfo;
import io.delayqueue.PullConsumer;
import io.delayqueue.PullOptions;
import io.delayqueue.PulledMessage;
import io.delayqueue.ReceivedMessage;
import io.delayqueue.gateway.claim.AnswerThreads;
import io.delayqueue.gateway.claim.PullConsumers;
import io.delayqueue.gateway.security.Caller;
import io.delayqueue.gateway.security.CallerShares;
import io.delayqueue.gateway.security.ForbiddenException;
import io.delayqueue.gateway.security.Right;
import io.delayqueue.gateway.security.Rights;
import io.delayqueue.gateway.sqs.MessageAttributes;
import io.delayqueue.gateway.sqs.MessageId;
import io.delayqueue.gateway.sqs.limit.TopicsInUse;
import io.delayqueue.gateway.sqs.protocol.Parameters;
import io.delayqueue.gateway.sqs.protocol.SqsError;
import io.delayqueue.gateway.sqs.protocol.SqsException;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import io.lettuce.core.RedisClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Messages are sent, deleted and made visible as SQS says, in a real Redis. */
@ExtendWith(EmbeddedRedisExtension.class)
class MessageActionsTests {

    private static final String TOPIC = "orders";
    private static final Duration WAIT = Duration.ofSeconds(30);
    private static final JsonMapper MAPPER = new JsonMapper();

    private RedisClient redis;
    private DelayQueueClient client;
    private final AnswerThreads answers = new AnswerThreads(1_000);
    private PullConsumer consumer;
    private SqsAction send;
    private DeleteMessage delete;
    private SqsAction change;

    @BeforeEach
    void connect(EmbeddedRedis server) {
        redis = RedisClient.create("redis://127.0.0.1:" + server.port());
        client = DelayQueueClient.create(
                redis,
                DelayQueueOptions.builder()
                        .commandTimeout(Duration.ofSeconds(20))
                        .build());
        consumer = client.pullConsumer(
                TOPIC,
                PullOptions.builder()
                        .lease(Duration.ofMinutes(5))
                        .maxAttempts(2)
                        .build());
        SqsConsumers consumers = new SqsConsumers(
                client,
                Duration.ofMinutes(5),
                new TopicsInUse(10),
                new CallerShares(1_000),
                topic -> new SqsConsumers.Terms(2, Duration.ofSeconds(30)),
                answers);
        send = new SendMessage((caller, message) -> client.scheduleAsync(message), topic -> Duration.ZERO);
        delete = new DeleteMessage(consumers);
        change = new ChangeMessageVisibility(consumers);
    }

    @AfterEach
    void close() {
        client.close();
        answers.close();
        redis.shutdown();
    }

    @Test
    void sentMessageIsReceivedWithItsAttributes() {
        ObjectNode sent = perform(
                send,
                "{'MessageBody':'grüße','MessageAttributes':"
                        + "{'timestamp':{'StringValue':'1493147359900','DataType':'Number'}}}");

        ReceivedMessage received = receive().message();

        assertThat(received.payload()).asString(StandardCharsets.UTF_8).isEqualTo("grüße");
        MessageAttributes attributes =
                MessageAttributes.ofTree(MAPPER.readTree(received.headers().get("sqs-attributes")));
        assertThat(attributes.md5())
                .isEqualTo("235c5c510d26fb653d073faed50ae77c")
                .isEqualTo(sent.path("MD5OfMessageAttributes").asString());
        assertThat(sent.path("MD5OfMessageBody").asString()).isEqualTo(MessageAttributes.md5(received.payload()));
        assertThat(sent.path("MessageId").asString())
                .isEqualTo(MessageId.of(TOPIC, received.id(), received.generation())
                        .toString());
    }

    @Test
    void batchDeletesAllButWhatIsNoReceipt() {
        perform(send, "{'MessageBody':'one'}");
        perform(send, "{'MessageBody':'two'}");
        String deleted = receive().receipt().toString();
        perform(delete, "{'ReceiptHandle':'" + deleted + "'}");
        String last = receive().receipt().toString();

        ObjectNode result = perform(
                Batch.ofAll(delete::performAll),
                "{'Entries':[{'Id':'again','ReceiptHandle':'" + deleted + "'},{'Id':'garbage','ReceiptHandle':'x'},"
                        + "{'Id':'none'},{'Id':'last','ReceiptHandle':'" + last + "'}]}");

        assertThat(result.path("Successful"))
                .extracting(entry -> entry.path("Id").asString())
                .containsExactly("again", "last");
        assertThat(result.path("Failed"))
                .extracting(entry ->
                        entry.path("Id").asString() + " " + entry.path("Code").asString())
                .containsExactly("garbage ReceiptHandleIsInvalid", "none MissingParameter");
        assertThat(client.stats(TOPIC).totals().acked()).isEqualTo(2);
        assertThat(client.stats(TOPIC).inFlight()).isZero();
    }

    @Test
    void delayMayBeLongerThan15Minutes() {
        perform(send, "{'MessageBody':'x','DelaySeconds':90000}");
        assertThat(client.pending(TOPIC).list(1).get(0).due())
                .isAfter(client.stats(TOPIC).time().plusSeconds(90_000 - 600));
        assertThat(consumer.receive(1, Duration.ZERO)).isEmpty();
    }

    @Test
    void queueHasADelayOfItsOwn() {
        SqsAction delayed =
                new SendMessage((caller, message) -> client.scheduleAsync(message), topic -> Duration.ofHours(1));
        perform(delayed, "{'MessageBody':'later'}");
        perform(delayed, "{'MessageBody':'now','DelaySeconds':0}");
        assertThat(receive().message().payload()).asString().isEqualTo("now");
        assertThat(client.stats(TOPIC).pending().scheduled()).isEqualTo(1);
    }

    @Test
    void messagesThatSqsRefusesAreNotScheduled() {
        assertFails(SqsError.MISSING_PARAMETER, send, "{}");
        assertFails(SqsError.MISSING_PARAMETER, send, "{'MessageBody':''}");
        assertFails(SqsError.INVALID_PARAMETER_VALUE, send, "{'MessageBody':'x','DelaySeconds':-1}");
        assertFails(SqsError.INVALID_MESSAGE_CONTENTS, send, "{'MessageBody':'\\u0000'}");
        assertFails(SqsError.INVALID_PARAMETER_VALUE, send, "{'MessageBody':'" + "x".repeat(1024 * 1024 + 1) + "'}");
        assertFails(
                SqsError.INVALID_PARAMETER_VALUE,
                send,
                "{'MessageBody':'x','MessageAttributes':{'a':{'DataType':'String','StringValue':'" + "x".repeat(70_000)
                        + "'}}}");
        assertThat(client.stats(TOPIC).totals().accepted()).isZero();
    }

    @Test
    void largestMessageIsSent() {
        perform(send, "{'MessageBody':'" + "x".repeat(1024 * 1024) + "'}");
        assertThat(receive().message().payload()).hasSize(1024 * 1024);
    }

    @Test
    void deletingTwiceSucceedsAndCountsOnce() {
        perform(send, "{'MessageBody':'x'}");
        String handle = receive().receipt().toString();
        perform(delete, "{'ReceiptHandle':'" + handle + "'}");
        perform(delete, "{'ReceiptHandle':'" + handle + "'}");
        assertThat(client.stats(TOPIC).totals().acked()).isEqualTo(1);
    }

    @Test
    void onlyAReceiptOfTheQueueIsAHandle() {
        perform(send, "{'MessageBody':'x'}");
        String handle = receive().receipt().toString();
        assertFails(SqsError.RECEIPT_HANDLE_IS_INVALID, delete, "{'ReceiptHandle':'garbage'}");
        assertFails(SqsError.MISSING_PARAMETER, delete, "{}");
        assertThatExceptionOfType(SqsException.class)
                .isThrownBy(() -> delete.perform(call("other", Rights.ALL, "{'ReceiptHandle':'" + handle + "'}")))
                .satisfies(e -> assertThat(e.error()).isEqualTo(SqsError.RECEIPT_HANDLE_IS_INVALID));
        assertThat(client.stats(TOPIC).inFlight()).isEqualTo(1);
    }

    @Test
    void visibilityOfZeroMakesTheMessageReadyAndCountsTheAttempt() {
        perform(send, "{'MessageBody':'x'}");
        perform(change, visibility(receive(), 0));
        PulledMessage again = receive();
        assertThat(again.message().attempt()).isEqualTo(2);
        perform(change, visibility(again, 0));
        assertThat(client.stats(TOPIC).dead()).isEqualTo(1);
    }

    @Test
    void handleStaysGoodWhenTheVisibilityChanges() {
        perform(send, "{'MessageBody':'x'}");
        PulledMessage received = receive();
        perform(change, visibility(received, 6_000));
        assertThat(leaseLeft(received)).isBetween(Duration.ofMinutes(90), Duration.ofMinutes(100));
        perform(change, visibility(received, 60));
        assertThat(leaseLeft(received)).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(60));
        perform(delete, "{'ReceiptHandle':'" + received.receipt() + "'}");
        assertThat(client.stats(TOPIC).totals().acked()).isEqualTo(1);
    }

    private Duration leaseLeft(PulledMessage message) {
        MessageInfo info = client.find(TOPIC, message.message().id()).orElseThrow();
        return Duration.between(info.time(), info.leaseDeadline());
    }

    @Test
    void visibilityOfADeletedMessageCannotChange() {
        perform(send, "{'MessageBody':'x'}");
        PulledMessage received = receive();
        perform(delete, "{'ReceiptHandle':'" + received.receipt() + "'}");
        for (int seconds : new int[] {0, 60}) {
            assertThat(change.perform(call(TOPIC, Rights.ALL, visibility(received, seconds))))
                    .failsWithin(30, TimeUnit.SECONDS)
                    .withThrowableThat()
                    .havingRootCause()
                    .isInstanceOfSatisfying(
                            SqsException.class, e -> assertThat(e.error()).isEqualTo(SqsError.MESSAGE_NOT_IN_FLIGHT));
        }
        assertFails(SqsError.INVALID_PARAMETER_VALUE, change, visibility(received, 43_201));
        assertFails(SqsError.MISSING_PARAMETER, change, "{'ReceiptHandle':'" + received.receipt() + "'}");
    }

    @Test
    void changedReceiveCountsLeaveNoConsumersBehind() {
        AtomicInteger attempts = new AtomicInteger(1);
        SqsConsumers consumers = new SqsConsumers(
                client,
                Duration.ofMinutes(5),
                new TopicsInUse(10),
                new CallerShares(1_000),
                topic -> new SqsConsumers.Terms(attempts.get(), Duration.ofSeconds(30)),
                answers,
                Duration.ZERO);
        consumers.start();
        PullConsumers first = consumers.of(TOPIC);
        for (int i = 1; i < 50; i++) {
            attempts.set(i + 1);
            perform(new DeleteMessage(consumers), "{'ReceiptHandle':'" + receipt() + "'}");
        }
        assertThat(consumers.groups()).isEqualTo(1);
        assertThat(consumers.of(TOPIC)).isNotSameAs(first);
        assertThat(client.stats(TOPIC).totals().acked()).isEqualTo(49);
        consumers.stop();
        consumers.destroy();
    }

    private String receipt() {
        perform(send, "{'MessageBody':'x'}");
        return receive().receipt().toString();
    }

    @Test
    void callerNeedsTheRight() {
        Rights produce = (right, topic) -> right == Right.PRODUCE;
        Rights consume = (right, topic) -> right == Right.CONSUME;
        assertForbidden(send, consume);
        assertForbidden(delete, produce);
        assertForbidden(change, produce);
    }

    private static void assertForbidden(SqsAction action, Rights rights) {
        assertThatExceptionOfType(ForbiddenException.class).isThrownBy(() -> action.perform(call(TOPIC, rights, "{}")));
    }

    private PulledMessage receive() {
        return consumer.receive(1, WAIT).get(0);
    }

    private static String visibility(PulledMessage message, int seconds) {
        return "{'ReceiptHandle':'" + message.receipt() + "','VisibilityTimeout':" + seconds + "}";
    }

    private static ObjectNode perform(SqsAction action, String json) {
        return action.perform(call(TOPIC, Rights.ALL, json))
                .orTimeout(30, TimeUnit.SECONDS)
                .join();
    }

    private static void assertFails(SqsError error, SqsAction action, String json) {
        assertThatExceptionOfType(SqsException.class)
                .isThrownBy(() -> action.perform(call(TOPIC, Rights.ALL, json)))
                .satisfies(e -> assertThat(e.error()).isEqualTo(error));
    }

    private static SqsCall call(String topic, Rights rights, String json) {
        ObjectNode tree = (ObjectNode) MAPPER.readTree(json.replace('\'', '"'));
        return new SqsCall(new Caller("test", rights), topic, new Parameters(tree));
    }
}
