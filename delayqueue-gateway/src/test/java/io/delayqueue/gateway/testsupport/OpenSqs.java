package io.delayqueue.gateway.testsupport;

import static org.awaitility.Awaitility.await;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.test.EmbeddedRedis;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A whole application whose endpoint for SQS clients is open, and requests whose bytes a test writes itself.
 *
 * @param gateway the application
 */
public record OpenSqs(Gateway gateway) implements AutoCloseable {

    private static final JsonMapper MAPPER = new JsonMapper();

    /** Starts one on this Redis. */
    public static OpenSqs start(EmbeddedRedis redis, String... properties) {
        return new OpenSqs(Gateway.start(
                redis,
                Stream.concat(Stream.of("delayqueue.gateway.sqs.enabled=true"), Stream.of(properties))
                        .toArray(String[]::new)));
    }

    /** The queue behind it. */
    public DelayQueueClient client() {
        return gateway.client();
    }

    /** Path and query of the URL of a queue. */
    public static String url(String queue) {
        return "http://localhost/000000000000/" + queue;
    }

    /** Makes a request in the JSON protocol. Single quotes stand for double ones. */
    public Reply json(String action, String body) throws IOException, InterruptedException {
        return new Reply(gateway.http().send(request(action, body), HttpResponse.BodyHandlers.ofString()));
    }

    /** The same without waiting. */
    public CompletableFuture<Reply> jsonAsync(String action, String body) {
        return gateway.http()
                .sendAsync(request(action, body), HttpResponse.BodyHandlers.ofString())
                .thenApply(Reply::new);
    }

    private HttpRequest request(String action, String body) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + gateway.port() + "/"))
                .header("Content-Type", "application/x-amz-json-1.0")
                .header("X-Amz-Target", "AmazonSQS." + action)
                .POST(HttpRequest.BodyPublishers.ofString(body.replace('\'', '"')))
                .build();
    }

    /** Makes a request in the query protocol. */
    public Reply query(String form) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + gateway.port() + "/"))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString(form))
                .build();
        return new Reply(gateway.http().send(request, HttpResponse.BodyHandlers.ofString()));
    }

    /** Creates a queue. Again if Redis or the body came too late: some tests give them little time, in which the gateway also connects. */
    public void create(String queue) {
        createBy("{'QueueName':'" + queue + "'}");
    }

    /** Creates a queue with this visibility timeout, in seconds. */
    public void create(String queue, int visibility) {
        createBy(createBody(queue, visibility));
    }

    /** The body of a request to create a queue. */
    public static String createBody(String queue, int visibility) {
        return "{'QueueName':'" + queue + "','Attributes':{'VisibilityTimeout':'" + visibility + "'}}";
    }

    private void createBy(String body) {
        Reply reply = await().pollDelay(Duration.ZERO)
                .atMost(Duration.ofSeconds(60))
                .until(() -> json("CreateQueue", body), created -> created.status() != 503 && created.status() != 408);
        if (reply.status() != 200) {
            throw new IllegalStateException(reply.toString());
        }
    }

    /** Sends a message. */
    public Reply send(String queue, String text) throws IOException, InterruptedException {
        return json("SendMessage", "{'QueueUrl':'" + url(queue) + "','MessageBody':'" + text + "'}");
    }

    /** Receives up to ten messages. */
    public Reply receive(String queue, int waitSeconds) throws IOException, InterruptedException {
        return json("ReceiveMessage", receiveBody(queue, waitSeconds, 30));
    }

    /** The body of a request to receive. */
    public static String receiveBody(String queue, int waitSeconds, int visibility) {
        return "{'QueueUrl':'" + url(queue) + "','MaxNumberOfMessages':10,'WaitTimeSeconds':" + waitSeconds
                + ",'VisibilityTimeout':" + visibility
                + ",'MessageSystemAttributeNames':['All'],'MessageAttributeNames':['All']}";
    }

    /** Head and body of a request in the JSON protocol, for a raw connection. */
    public static String raw(String action, String body) {
        String json = body.replace('\'', '"');
        return head(action, json.length()) + json;
    }

    /** Head of a request in the JSON protocol. */
    public static String head(String action, int length) {
        return "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-amz-json-1.0\r\nX-Amz-Target: AmazonSQS."
                + action + "\r\nContent-Length: " + length + "\r\n\r\n";
    }

    @Override
    public void close() {
        gateway.close();
    }

    /**
     * An answer.
     *
     * @param response as it came
     */
    public record Reply(HttpResponse<String> response) {

        /** Its status. */
        public int status() {
            return response.statusCode();
        }

        /** Its body as JSON. */
        public JsonNode json() {
            return MAPPER.readTree(response.body());
        }

        /** Name of its error; empty without one. */
        public String error() {
            String type = json().path("__type").asString("");
            return type.substring(type.indexOf('#') + 1);
        }

        @Override
        public String toString() {
            return status() + " " + response.body();
        }
    }
}
