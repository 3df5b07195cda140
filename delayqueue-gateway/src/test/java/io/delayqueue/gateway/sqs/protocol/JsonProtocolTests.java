package io.delayqueue.gateway.sqs.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

class JsonProtocolTests {

    private static final JsonMapper MAPPER = new JsonMapper();

    private final JsonProtocol protocol = new JsonProtocol(MAPPER);

    @Test
    void actionAndParameters() {
        SqsRequest request = read("AmazonSQS.SendMessage", "{\"MessageBody\":\"ü\",\"DelaySeconds\":5,\"x\":null}");
        assertThat(request.action()).isEqualTo("SendMessage");
        assertThat(request.parameters().required("MessageBody")).isEqualTo("ü");
        assertThat(request.parameters().number("DelaySeconds", 0, 900)).isEqualTo(5);
        assertThat(request.parameters().text("x")).isNull();
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", "AmazonSQS.", "AmazonSNS.Publish", "SendMessage"})
    void targetThatNamesNoAction(@Nullable String target) {
        assertFails(SqsError.INVALID_ACTION, () -> read(target, "{}"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"[]", "1", "null", "{", "{} {}", "{\"a\":}", "\u0000"})
    void bodyThatIsNoObject(String body) {
        assertFails(SqsError.MALFORMED_INPUT, () -> read("AmazonSQS.ListQueues", body));
    }

    @Test
    void deeplyNestedBody() {
        assertFails(SqsError.MALFORMED_INPUT, () -> read("AmazonSQS.ListQueues", "{\"a\":" + "[".repeat(100_000)));
    }

    @Test
    void parametersOfAnotherType() {
        Parameters parameters = read(
                        "AmazonSQS.A", "{\"t\":1,\"n\":\"x\",\"d\":1.5,\"big\":1e30,\"l\":{},\"i\":[1],\"m\":[]}")
                .parameters();
        assertFails(SqsError.INVALID_PARAMETER_VALUE, () -> parameters.text("t"));
        assertFails(SqsError.INVALID_PARAMETER_VALUE, () -> parameters.number("n", 0, 9));
        assertFails(SqsError.INVALID_PARAMETER_VALUE, () -> parameters.number("d", 0, 9));
        assertFails(SqsError.INVALID_PARAMETER_VALUE, () -> parameters.number("big", 0, 9));
        assertFails(SqsError.INVALID_PARAMETER_VALUE, () -> parameters.number("t", 2, 9));
        assertFails(SqsError.INVALID_PARAMETER_VALUE, () -> parameters.texts("l"));
        assertFails(SqsError.INVALID_PARAMETER_VALUE, () -> parameters.texts("i"));
        assertFails(SqsError.INVALID_PARAMETER_VALUE, () -> parameters.structures("i"));
        assertFails(SqsError.INVALID_PARAMETER_VALUE, () -> parameters.textMap("m"));
        assertFails(SqsError.MISSING_PARAMETER, () -> parameters.required("none"));
    }

    @Test
    void resultLeavesOutEmptyLists() {
        ObjectNode result = MAPPER.createObjectNode().put("MessageId", "i");
        result.putArray("Messages");
        result.putObject("Attributes");
        SqsAnswer answer = protocol.result("ReceiveMessage", result, "q");
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.contentType()).isEqualTo("application/x-amz-json-1.0");
        assertThat(answer.headers()).containsEntry("x-amzn-RequestId", "q");
        assertThat(answer.body()).asString(StandardCharsets.UTF_8).isEqualTo("{\"MessageId\":\"i\"}");
    }

    @Test
    void errorHasItsShapeAndItsLegacyCode() {
        SqsAnswer answer = protocol.error(new SqsException(SqsError.QUEUE_DOES_NOT_EXIST, "No such queue."), "q");
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.headers())
                .containsEntry("x-amzn-query-error", "AWS.SimpleQueueService.NonExistentQueue;Sender")
                .containsEntry("x-amzn-RequestId", "q");
        assertThat(answer.body())
                .asString(StandardCharsets.UTF_8)
                .isEqualTo("{\"__type\":\"com.amazonaws.sqs#QueueDoesNotExist\",\"message\":\"No such queue.\"}");
    }

    @Test
    void failureOfTheServerIsNotTheSenders() {
        SqsAnswer answer = protocol.error(new SqsException(SqsError.SERVICE_UNAVAILABLE, "Redis is away."), "q");
        assertThat(answer.status()).isEqualTo(503);
        assertThat(answer.headers()).containsEntry("x-amzn-query-error", "ServiceUnavailable;Receiver");
    }

    private static void assertFails(SqsError error, Runnable call) {
        assertThatExceptionOfType(SqsException.class)
                .isThrownBy(call::run)
                .satisfies(e -> assertThat(e.error()).isEqualTo(error));
    }

    private SqsRequest read(@Nullable String target, String body) {
        return protocol.read(target, body.getBytes(StandardCharsets.UTF_8));
    }
}
