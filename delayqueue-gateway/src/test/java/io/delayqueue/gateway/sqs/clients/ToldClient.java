package io.delayqueue.gateway.sqs.clients;

import io.delayqueue.gateway.testsupport.OpenSqs;
import io.delayqueue.gateway.testsupport.RawConnection;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** An SQS client of two gateways, each of which may be dead, that tells its steps as the programs do. */
final class ToldClient {

    private static final JsonMapper JSON = new JsonMapper();
    private static final long PAUSE_NANOS = Duration.ofMillis(20).toNanos();

    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
    private final ToldSteps steps;
    private final int[] ports;
    private final String queue;
    private final int visibilitySeconds;
    private final Random random;
    private final AtomicInteger unanswered;

    /** @param unanswered counts requests that had no answer, as a gateway was down or was killed */
    ToldClient(ToldSteps steps, int[] ports, String queue, int visibilitySeconds, long seed, AtomicInteger unanswered) {
        this.steps = steps;
        this.ports = ports.clone();
        this.queue = queue;
        this.visibilitySeconds = visibilitySeconds;
        this.random = new Random(seed);
        this.unanswered = unanswered;
    }

    private int port() {
        return ports[random.nextInt(ports.length)];
    }

    private static long micros() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    }

    /** An answer of success; null if there was none. */
    @Nullable
    JsonNode ask(String action, String body) throws InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + "/"))
                .timeout(Duration.ofSeconds(30))
                .header("Content-Type", "application/x-amz-json-1.0")
                .header("X-Amz-Target", "AmazonSQS." + action)
                .POST(HttpRequest.BodyPublishers.ofString(body.replace('\'', '"')))
                .build();
        try {
            HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
            if (response.statusCode() == 200) {
                return JSON.readTree(response.body().isEmpty() ? "{}" : response.body());
            }
            if (response.statusCode() != 503) {
                steps.violation(action + " was answered with " + response.statusCode() + " " + response.body());
            }
        } catch (IOException e) {
            unanswered.incrementAndGet();
        }
        LockSupport.parkNanos(PAUSE_NANOS);
        return null;
    }

    /** Sends messages with the numbers from the first one. A send without an answer is not repeated: SQS has no ids. */
    void send(int first, int count) throws InterruptedException {
        for (int number = first; number < first + count; number++) {
            int delay = random.nextInt(3);
            steps.told("sending " + number + " " + (micros() + delay * 1_000_000L));
            JsonNode answer = ask(
                    "SendMessage",
                    "{'QueueUrl':'" + OpenSqs.url(queue) + "','MessageBody':'" + number + "','DelaySeconds':" + delay
                            + "}");
            if (answer != null) {
                steps.told("sent " + number);
            }
            LockSupport.parkNanos(random.nextInt(40_000_000));
        }
    }

    /** Receives, and deletes most of what comes: the rest comes again when its visibility timeout is over. */
    void work(AtomicBoolean over) throws InterruptedException {
        while (!over.get()) {
            long asked = micros();
            JsonNode answer = ask("ReceiveMessage", receive(1));
            long got = micros();
            if (answer == null) {
                continue;
            }
            for (JsonNode message : answer.path("Messages")) {
                String number = message.path("Body").stringValue();
                String count = message.at("/Attributes/ApproximateReceiveCount").stringValue();
                steps.told("got " + number + " " + asked + " " + got + " " + count);
                // the others are forgotten, as by a client that was killed
                if (random.nextInt(100) < 85) {
                    delete(number, asked, message.path("ReceiptHandle").stringValue());
                }
            }
        }
    }

    private void delete(String number, long asked, String handle) throws InterruptedException {
        steps.told("deleting " + number);
        JsonNode answer =
                ask("DeleteMessage", "{'QueueUrl':'" + OpenSqs.url(queue) + "','ReceiptHandle':'" + handle + "'}");
        if (answer != null) {
            steps.told("deleted " + number + " " + asked + " " + micros());
        }
    }

    /** Receives again and again, and dies each time: while it waits, or before it reads its answer. */
    void die(AtomicBoolean over, AtomicInteger deaths) {
        while (!over.get()) {
            try (RawConnection connection = new RawConnection(port())) {
                connection.send(OpenSqs.raw("ReceiveMessage", receive(5)));
                LockSupport.parkNanos(random.nextInt(300_000_000));
                if (random.nextBoolean()) {
                    connection.reset();
                }
                deaths.incrementAndGet();
            } catch (IOException e) {
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    private String receive(int waitSeconds) {
        return OpenSqs.receiveBody(queue, waitSeconds, visibilitySeconds);
    }
}
