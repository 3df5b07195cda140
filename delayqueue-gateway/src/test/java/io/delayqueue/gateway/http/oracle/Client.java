package io.delayqueue.gateway.http.oracle;

import io.delayqueue.gateway.testsupport.OpenApiConformity;
import io.delayqueue.gateway.testsupport.RawConnection;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A client of several gateways, one of which may be dead: it repeats requests that had no answer, as the page says. */
final class Client {

    static final String TOPIC = "load";

    /** Of each claim that is told. */
    static final int LEASE_SECONDS = 3;

    /** More are not scheduled: consumers may be slower than producers, and all messages have to be acked at the end. */
    private static final int MOST_UNACKED = 2_000;

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
    private final Ledger ledger;
    private final RedisClock clock;
    private final int[] ports;
    private final Random random;
    private final AtomicBoolean over;

    /** Time that was not over when the last answer came. */
    private Instant answeredAt = Instant.EPOCH;

    Client(Ledger ledger, RedisClock clock, int[] ports, long seed, AtomicBoolean over) {
        this.ledger = ledger;
        this.clock = clock;
        this.ports = ports.clone();
        this.random = new Random(seed);
        this.over = over;
    }

    private int port() {
        return ports[random.nextInt(ports.length)];
    }

    /** An answer, which is as the OpenAPI document says; null if there was none, or one that asks for a repeat. */
    private @Nullable HttpResponse<byte[]> ask(String method, String path, String body) throws InterruptedException {
        int port = port();
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/delayqueue/v1" + path))
                .timeout(Duration.ofSeconds(30))
                .header("Content-Type", "application/json")
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .build();
        try {
            HttpResponse<byte[]> response = http.send(request, HttpResponse.BodyHandlers.ofByteArray());
            answeredAt = clock.notAfter();
            check(method, path, response);
            if (response.statusCode() < 500 && response.statusCode() != 429) {
                return response;
            }
            if (response.statusCode() == 500) {
                ledger.violation(method + " " + path + " was answered with 500");
            } else if (new String(response.body(), StandardCharsets.UTF_8).contains(":redis-unavailable")) {
                ledger.redisWasUnavailable();
            }
        } catch (IOException e) {
            ledger.gatewayWasAway(port);
        }
        LockSupport.parkNanos(20_000_000);
        return null;
    }

    private void check(String method, String path, HttpResponse<byte[]> response) {
        try {
            OpenApiConformity.check(method, path, response);
        } catch (AssertionError | RuntimeException e) {
            ledger.violation(method + " " + path + " was answered otherwise than documented: " + e);
        }
    }

    /**
     * Schedules messages with ids of its own.
     *
     * @param goesOn whether it schedules one more, by the number of those before
     */
    void produce(String prefix, IntPredicate goesOn) throws InterruptedException {
        for (int i = 0; goesOn.test(i); i++) {
            while (ledger.unacked() > MOST_UNACKED && !over.get()) {
                LockSupport.parkNanos(20_000_000);
            }
            String id = prefix + i;
            int delayMillis = random.nextInt(3_000);
            String body = "{\"id\": \"" + id + "\", \"delay\": " + delayMillis / 1_000.0 + ", \"payload\": " + i + "}";
            ledger.scheduling(id, clock.notBefore().plusMillis(delayMillis));
            boolean repeated = false;
            HttpResponse<byte[]> answer = ask("POST", "/topics/" + TOPIC + "/messages", body);
            while (answer == null) {
                if (!repeated) {
                    repeated = true;
                    ledger.scheduleIsRepeated(id);
                }
                answer = ask("POST", "/topics/" + TOPIC + "/messages", body);
            }
            if (answer.statusCode() != 201 && !(repeated && answer.statusCode() == 409)) {
                ledger.violation("the schedule of " + id + " was answered with " + answer.statusCode());
            }
            LockSupport.parkNanos(random.nextInt(40_000_000));
        }
    }

    /** Claims messages, and settles most of them in one way or another. */
    void consume() throws InterruptedException {
        while (!over.get()) {
            long begunAt = System.nanoTime();
            String body = "{\"max\": " + (1 + random.nextInt(5)) + ", \"wait\": 1, \"lease\": " + LEASE_SECONDS + "}";
            HttpResponse<byte[]> answer = ask("POST", "/topics/" + TOPIC + "/claims", body);
            long answered = System.nanoTime();
            Instant now = answeredAt;
            if (answer == null) {
                continue;
            }
            if (answer.statusCode() != 200) {
                ledger.violation("a claim was answered with " + answer.statusCode());
                continue;
            }
            for (JsonNode message : JSON.readTree(answer.body()).get("messages")) {
                String id = message.get("id").stringValue();
                ledger.claimed(
                        id,
                        Instant.parse(message.get("due").stringValue()),
                        message.get("attempt").intValue(),
                        begunAt,
                        answered,
                        now);
                settle(id, "/claims/" + message.get("receipt").stringValue());
            }
        }
    }

    private void settle(String id, String claim) throws InterruptedException {
        int dice = random.nextInt(100);
        if (dice >= 70 && dice < 80) {
            ask("POST", claim + "/extend", "{\"lease\": 5}");
        }
        if (dice < 95) {
            ledger.settling(id);
        }
        if (dice < 80) {
            ack(id, claim);
        } else if (dice < 88) {
            ask("POST", claim + "/retry", "{\"delay\": 0.1}");
        } else if (dice < 95) {
            ask("POST", claim + "/release", "{}");
        }
        // else it forgets the message, which comes again when its lease is over
    }

    private void ack(String id, String claim) throws InterruptedException {
        boolean repeated = false;
        HttpResponse<byte[]> answer = ask("DELETE", claim, "");
        while (answer == null) {
            repeated = true;
            answer = ask("DELETE", claim, "");
        }
        if (answer.statusCode() == 204) {
            ledger.acked(id);
        } else if (answer.statusCode() != 409) {
            ledger.violation("the ack of " + id + " was answered with " + answer.statusCode());
        } else if (repeated) {
            ledger.perhapsAcked(id);
        }
    }

    /** Claims again and again, and dies each time: while it waits, or before it reads its answer. */
    void die(AtomicInteger deaths) {
        while (!over.get()) {
            try (RawConnection connection = new RawConnection(port())) {
                connection.post("/topics/" + TOPIC + "/claims", "{\"max\": 3, \"wait\": 5, \"lease\": 1}");
                LockSupport.parkNanos(random.nextInt(300_000_000));
                if (random.nextBoolean()) {
                    connection.reset();
                }
                deaths.incrementAndGet();
            } catch (IOException e) {
                LockSupport.parkNanos(50_000_000);
            }
        }
    }
}
