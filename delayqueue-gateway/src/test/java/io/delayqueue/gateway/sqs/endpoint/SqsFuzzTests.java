package io.delayqueue.gateway.sqs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.gateway.testsupport.Gateway;
import io.delayqueue.gateway.testsupport.OpenSqs;
import io.delayqueue.gateway.testsupport.RawConnection;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.io.IOException;
import java.net.SocketException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Malformed requests in both protocols: none fails the gateway, and none hangs. */
@ExtendWith({EmbeddedRedisExtension.class, OutputCaptureExtension.class})
class SqsFuzzTests {

    private static final long SEED = 20_260_101;

    private static final String ANY_RATE = "delayqueue.gateway.max-requests-per-second=0";

    /** In no log. */
    private static final String PAYLOAD = "payload-of-a-message";

    private static final String[] ACTIONS = {
        "CreateQueue",
        "DeleteQueue",
        "GetQueueUrl",
        "ListQueues",
        "GetQueueAttributes",
        "SetQueueAttributes",
        "TagQueue",
        "UntagQueue",
        "ListQueueTags",
        "SendMessage",
        "SendMessageBatch",
        "ReceiveMessage",
        "DeleteMessage",
        "DeleteMessageBatch",
        "ChangeMessageVisibility",
        "ChangeMessageVisibilityBatch",
        "PurgeQueue",
        "ListDeadLetterSourceQueues",
        "StartMessageMoveTask",
        "ListMessageMoveTasks",
        "CancelMessageMoveTask",
        "AddPermission",
        "",
        "Nonsense",
        "sendmessage",
        "SendMessage\u00e4"
    };
    private static final String[] NAMES = {
        "QueueUrl",
        "QueueName",
        "Attributes",
        "AttributeNames",
        "Tags",
        "tags",
        "TagKeys",
        "MessageBody",
        "DelaySeconds",
        "MessageAttributes",
        "MessageSystemAttributes",
        "MessageGroupId",
        "MessageDeduplicationId",
        "Entries",
        "Id",
        "ReceiptHandle",
        "VisibilityTimeout",
        "MaxNumberOfMessages",
        "WaitTimeSeconds",
        "MessageAttributeNames",
        "MessageSystemAttributeNames",
        "SourceArn",
        "DestinationArn",
        "TaskHandle",
        "MaxResults",
        "NextToken",
        "QueueNamePrefix",
        "MaxNumberOfMessagesPerSecond",
        "QueueOwnerAWSAccountId",
        "\u0000",
        ""
    };
    private static final String[] TEXTS = {
        "orders",
        "orders-dead",
        "http://localhost/000000000000/orders",
        "http://localhost/000000000000/orders-dead",
        "/",
        "//",
        "",
        " ",
        "x".repeat(81),
        "a/b",
        "orders.fifo",
        "arn:aws:sqs:us-east-1:000000000000:orders-dead",
        "arn:::",
        "All",
        ".*",
        "VisibilityTimeout",
        "RedrivePolicy",
        "{}",
        "{\"deadLetterTargetArn\":1,\"maxReceiveCount\":{}}",
        "[[[",
        "-1",
        "0",
        "1",
        "99999999999999999999",
        "1e9",
        "NaN",
        "String",
        "Binary",
        "Number.x",
        "%%%",
        "QUJD",
        "\u0001",
        "\uffff",
        "\ud800",
        "\ud83d\ude00",
        "null",
        "dead.",
        "dead.QUJD00000000",
        "DataType",
        "StringValue",
        "BinaryValue",
        "AWSTraceHeader",
        "aws.x",
        "a..b",
        "k".repeat(300),
        "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1"
    };
    private static final String[] QUERY_NAMES = {
        "AttributeName",
        "AttributeName.1",
        "Attribute.1.Name",
        "Attribute.1.Value",
        "Attribute",
        "Tag.1.Key",
        "Tag.1.Value",
        "Tag",
        "TagKey.1",
        "MessageAttribute.1.Name",
        "MessageAttribute.1.Value.DataType",
        "MessageAttribute.1.Value.StringValue",
        "MessageAttribute.1.Value.BinaryValue",
        "MessageAttribute.1.Value",
        "MessageSystemAttribute.1.Name",
        "MessageSystemAttribute.1.Value.DataType",
        "MessageSystemAttribute.1.Value.StringValue",
        "SendMessageBatchRequestEntry.1.Id",
        "SendMessageBatchRequestEntry.1.MessageBody",
        "SendMessageBatchRequestEntry.2.Id",
        "SendMessageBatchRequestEntry",
        "SendMessageBatchRequestEntry.1",
        "DeleteMessageBatchRequestEntry.1.Id",
        "DeleteMessageBatchRequestEntry.1.ReceiptHandle",
        "ChangeMessageVisibilityBatchRequestEntry.1.Id",
        ".",
        "..",
        ".1",
        "a.b.c.d.e.f.g.h.i",
        "Attribute..Name",
        "Version",
        "Action"
    };
    private static final String[] HEADERS = {
        "Authorization: AWS4-HMAC-SHA256 Credential=x/20260101/r/sqs/aws4_request, SignedHeaders=host, Signature=0",
        "Authorization: x",
        "X-Amz-Date: never",
        "Content-Encoding: gzip",
        "Expect: 100-continue",
        "Host: other:99",
        "X-Amz-Security-Token: x",
        "Accept: text/html",
        "X-Amz-Target: AmazonSQS.",
        "Cookie: a=b"
    };

    private final Random random = new Random(SEED);

    @Test
    void fiveHundredRequests(EmbeddedRedis redis, CapturedOutput output) throws Exception {
        fuzz(redis, output, 500, true, ANY_RATE);
    }

    @Test
    @Tag("slow")
    void requestsToAnEndpointWithAJournal(EmbeddedRedis redis, CapturedOutput output) throws Exception {
        fuzz(
                redis,
                output,
                250,
                true,
                ANY_RATE,
                "spring.autoconfigure.exclude=" + String.join(",", Gateway.SECURITY),
                "spring.datasource.url=jdbc:h2:mem:sqs-fuzz",
                "delayqueue.journal.restore.mode=report");
    }

    @Test
    @Tag("slow")
    @Timeout(600)
    void tenThousandRequests(EmbeddedRedis redis, CapturedOutput output) throws Exception {
        fuzz(redis, output, 10_000, true, ANY_RATE);
    }

    @Test
    void unsignedRequestsToClosedEndpoint(EmbeddedRedis redis, CapturedOutput output) throws Exception {
        fuzz(
                redis,
                output,
                500,
                false,
                "delayqueue.gateway.sqs.keys.AKID.secret=secret",
                "delayqueue.gateway.sqs.keys.AKID.rights=consume",
                "delayqueue.gateway.sqs.keys.AKID.topics=*");
    }

    private void fuzz(EmbeddedRedis redis, CapturedOutput output, int requests, boolean open, String... properties)
            throws Exception {
        int cutRequests = 0;
        Map<Integer, Integer> statuses = new TreeMap<>();
        List<String> failed = new ArrayList<>();
        List<String> all = new ArrayList<>(List.of(properties));
        all.add("server.tomcat.connection-timeout=2s");
        all.add("delayqueue.gateway.sqs.body-timeout=1s");
        all.add("logging.level.io.delayqueue=debug");
        try (OpenSqs sqs = OpenSqs.start(redis, all.toArray(String[]::new))) {
            for (int i = 0; i < requests; i++) {
                if (open && i % 100 == 0) {
                    // malformed requests delete it, too
                    sqs.create("orders");
                    sqs.create("orders-dead");
                }
                byte[] request = random.nextBoolean() ? jsonRequest() : queryRequest();
                boolean cut = random.nextInt(100) == 0;
                cutRequests += cut ? 1 : 0;
                int status = answer(sqs.gateway().port(), request, cut);
                statuses.merge(status, 1, Integer::sum);
                if (status >= 500) {
                    failed.add(status + " " + new String(request, StandardCharsets.UTF_8));
                }
            }
            if (open) {
                sqs.create("after");
                assertThat(sqs.send("after", "x").status()).isEqualTo(200);
                assertThat(sqs.receive("after", 20).json().path("Messages").size())
                        .isEqualTo(1);
                assertThat(sqs.client().stats("orders").unaccounted()).isZero();
                assertThat(statuses).as("statuses").containsKeys(200, 400);
            } else {
                assertThat(statuses).as("statuses").containsKey(403).doesNotContainKey(200);
            }
        }
        // the connection of a request that was refused may end while it is sent
        assertThat(statuses.getOrDefault(0, 0))
                .as("without an answer")
                .isLessThanOrEqualTo(cutRequests + requests / 100);
        assertThat(output.getAll()).as("the log").contains("DEBUG").doesNotContain(PAYLOAD);
        assertThat(failed)
                .as("requests with the seed %s, of %s", SEED, statuses)
                .isEmpty();
    }

    private static int answer(int port, byte[] request, boolean cut) throws IOException {
        try (RawConnection connection = new RawConnection(port)) {
            if (cut) {
                connection.send(Arrays.copyOf(request, request.length * 2 / 3));
                connection.endOutput();
            } else {
                connection.send(request);
            }
            String head = connection.readHead();
            if (head.startsWith("HTTP/1.1 100")) {
                head = connection.readHead();
            }
            return head.isEmpty() ? 0 : Integer.parseInt(head.substring(9, 12));
        } catch (SocketException e) {
            // the connection of a request that was refused may end while it is sent
            return 0;
        }
    }

    private byte[] jsonRequest() {
        String body = object(0);
        if (random.nextInt(4) == 0) {
            int at = random.nextInt(body.length());
            body = body.substring(0, at) + pick(TEXTS) + body.substring(random.nextBoolean() ? at : body.length());
        }
        if (random.nextInt(100) == 0) {
            body = "[".repeat(50_000);
        }
        return request(
                "X-Amz-Target: AmazonSQS." + pick(ACTIONS) + "\r\nContent-Type: application/x-amz-json-1.0\r\n",
                "/",
                body);
    }

    private String object(int depth) {
        StringBuilder object = new StringBuilder("{");
        if (depth == 0 && random.nextInt(3) > 0) {
            object.append("\"QueueUrl\":\"")
                    .append(OpenSqs.url("orders"))
                    .append(random.nextBoolean() ? "-dead\"," : "\",");
        }
        for (int i = random.nextInt(6); i > 0; i--) {
            object.append(quoted(pick(random.nextInt(4) == 0 ? TEXTS : NAMES)))
                    .append(':')
                    .append(value(depth + 1))
                    .append(',');
        }
        if (random.nextBoolean()) {
            object.append("\"MessageBody\":\"" + PAYLOAD + "\",");
        }
        return object.append("\"WaitTimeSeconds\":0}").toString();
    }

    private String value(int depth) {
        return switch (random.nextInt(depth > 4 ? 4 : 7)) {
            case 0, 1 -> quoted(pick(TEXTS));
            case 2 -> pick(new String[] {"0", "1", "-1", "10", "43200", "1e400", "99999999999999999999", "0.5"});
            case 3 -> pick(new String[] {"null", "true", "[]", "{}"});
            case 4 -> object(depth);
            case 5 -> "[" + value(depth + 1) + "," + value(depth + 1) + "]";
            default -> "[" + object(depth) + "]";
        };
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (char c : text.toCharArray()) {
            if (c < 0x20 || c == '"' || c == '\\' || c > 0x7e) {
                quoted.append(String.format("\\u%04x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }

    private byte[] queryRequest() {
        StringBuilder form = new StringBuilder("Action=" + encode(pick(ACTIONS)));
        if (random.nextInt(3) > 0) {
            form.append("&QueueUrl=").append(encode(OpenSqs.url("orders"))).append(random.nextBoolean() ? "-dead" : "");
        }
        for (int i = random.nextInt(8); i > 0; i--) {
            String name = pick(random.nextInt(3) == 0 ? NAMES : QUERY_NAMES);
            form.append('&').append(encode(name)).append('=').append(encode(pick(TEXTS)));
        }
        if (random.nextBoolean()) {
            form.append("&MessageBody=" + PAYLOAD);
        }
        form.append("&WaitTimeSeconds=0");
        String text = form.toString();
        if (random.nextInt(4) == 0) {
            int at = random.nextInt(text.length());
            text = text.substring(0, at)
                    + pick(new String[] {"%", "%zz", "&&", "=", "+", "\u00e4", "%ff%fe", ";"})
                    + text.substring(at);
        }
        if (random.nextInt(100) == 0) {
            text = "a=b&".repeat(5_000) + text;
        }
        String path =
                pick(new String[] {"/", "/", "/000000000000/orders", "/000000000000/%2e%2e", "/000000000000/orders/"});
        return request("Content-Type: application/x-www-form-urlencoded\r\n", path, text);
    }

    private byte[] request(String headers, String path, String body) {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        String more = random.nextInt(5) == 0 ? pick(HEADERS) + "\r\n" : "";
        byte[] head = ("POST " + path + " HTTP/1.1\r\nHost: localhost\r\n" + headers + more
                        + "Connection: close\r\nContent-Length: " + bytes.length + "\r\n\r\n")
                .getBytes(StandardCharsets.ISO_8859_1);
        byte[] all = Arrays.copyOf(head, head.length + bytes.length);
        System.arraycopy(bytes, 0, all, head.length, bytes.length);
        return all;
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private String pick(String[] values) {
        return values[random.nextInt(values.length)];
    }
}
