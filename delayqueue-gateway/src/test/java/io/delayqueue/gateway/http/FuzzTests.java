package io.delayqueue.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.gateway.testsupport.Gateway;
import io.delayqueue.gateway.testsupport.OpenApiConformity;
import io.delayqueue.gateway.testsupport.RawConnection;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.io.IOException;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Requests that are wrong in many ways: each is the client's fault, and none is seen in a log. */
@ExtendWith({EmbeddedRedisExtension.class, OutputCaptureExtension.class})
class FuzzTests {

    private static final String SECRET = "s3cr3t";
    private static final String PROBLEM = "application/problem+json";
    private static final long SEED = 20_261_122;

    private static final String[] METHODS = {"GET", "POST", "DELETE", "PATCH", "PUT", "HEAD", "OPTIONS", "BREW"};
    private static final String[] REQUESTS = {
        "GET /topics",
        "GET /topics/orders",
        "POST /topics/orders/messages",
        "POST /topics/orders/messages",
        "POST /topics/orders/messages",
        "PATCH /topics/orders/messages/a",
        "GET /topics/orders/messages?id=o1",
        "DELETE /topics/orders/messages/o1",
        "POST /topics/orders/claims",
        "GET /topics/orders/story?id=a",
        "POST /topics/orders/restore?overdue=true",
        "DELETE /claims/AAAA",
        "POST /claims/AAAA/retry",
        "POST /claims/AAAA/extend",
        "POST /claims/AAAA/dead-letter",
        "POST /claims/AAAA/release",
        "GET /openapi.json"
    };
    private static final String[] BODIES = {
        "{\"payload\": \"" + SECRET + "\", \"delay\": 60, \"id\": \"a\", \"priority\": 3}",
        "[{\"payload\": {\"" + SECRET + "\": [1, 2.50, null]}}, {\"payloadBase64\": \"AAAA\", \"headers\": {\"a\": \""
                + SECRET + "\"}}]",
        "{\"max\": 3, \"wait\": 0, \"lease\": \"PT30S\"}",
        "{\"delay\": \"PT1M\", \"reason\": \"" + SECRET + "\"}",
        "{\"dueAt\": \"2040-01-01T00:00:00Z\"}",
        "{\"lease\": 3}",
        "{}"
    };
    private static final String[] PIECES = {
        "null",
        "-1",
        "1e999999999",
        "1e-999999999",
        "\"\"",
        "{}",
        "[]",
        "\\u0000",
        "\\ud800",
        "99999999999999999999",
        "true",
        "\u00e4",
        "\"PT999999999999H\"",
        "\"+999999999-12-31T23:59:59Z\"",
        "[[[[[[",
        "\u0000",
        "\"\"\"",
        "PT",
        "%00",
        "..",
        "/"
    };
    private static final String[] HEADERS = {
        "Idempotency-Key: \"k\"",
        "Idempotency-Key: k",
        "Idempotency-Key: \"" + "k".repeat(300) + "\"",
        "Content-Type: text/xml",
        "Content-Type: application/json; charset=nonsense",
        "Content-Type: multipart/form-data",
        "Content-Encoding: gzip",
        "Accept: application/xml;q=x",
        "Accept-Language: \u00e4\u00e4",
        "Accept-Charset: none",
        "Authorization: Bearer " + SECRET,
        "Range: bytes=0-1",
        "If-None-Match: *",
        "Origin: http://evil.example",
        "Expect: 100-continue",
        "Expect: magic",
        "X-HTTP-Method-Override: DELETE",
        "Cookie: " + SECRET,
        "Forwarded: for=;;;"
    };

    @Test
    void fiveHundredRequests(EmbeddedRedis redis, CapturedOutput output) throws Exception {
        fuzz(redis, 500, output, "delayqueue.gateway.open=true");
    }

    @Test
    @Tag("slow")
    @Timeout(600)
    void tenThousandRequests(EmbeddedRedis redis, CapturedOutput output) throws Exception {
        fuzz(redis, 10_000, output, "delayqueue.gateway.open=true");
    }

    /** Stories and restores are looked for, and some requests have a token. */
    @Test
    @Tag("slow")
    @Timeout(600)
    void twoThousandRequestsToAGatewayWithAJournalAndTokens(EmbeddedRedis redis, CapturedOutput output)
            throws Exception {
        fuzz(
                redis,
                2_000,
                output,
                "spring.autoconfigure.exclude=" + String.join(",", Gateway.SECURITY),
                "spring.datasource.url=jdbc:h2:mem:fuzz",
                "delayqueue.journal.restore.mode=report",
                "delayqueue.gateway.tokens.fuzz.sha256="
                        + HexFormat.of()
                                .formatHex(MessageDigest.getInstance("SHA-256")
                                        .digest(SECRET.getBytes(StandardCharsets.UTF_8))),
                "delayqueue.gateway.tokens.fuzz.rights=produce, consume, operate",
                "delayqueue.gateway.tokens.fuzz.topics=*");
    }

    private static void fuzz(EmbeddedRedis redis, int requests, CapturedOutput output, String... more)
            throws Exception {
        Random random = new Random(SEED);
        Map<Integer, Integer> statuses = new TreeMap<>();
        List<String> failed = new ArrayList<>();
        List<String> properties = new ArrayList<>(List.of(
                "delayqueue.gateway.claims.max-wait=100ms",
                "delayqueue.gateway.max-body=64KB",
                "logging.level.io.delayqueue=debug",
                "server.tomcat.connection-timeout=2s"));
        properties.addAll(List.of(more));
        boolean hasTokens = more.length > 1;
        int cuts = 0;
        int problems = 0;
        try (Gateway gateway = Gateway.start(redis, properties.toArray(String[]::new))) {
            for (int i = 0; i < requests; i++) {
                byte[] request = request(random, hasTokens && i % 4 != 0);
                boolean cut = random.nextInt(20) == 0;
                cuts += cut ? 1 : 0;
                Answer answer = answer(gateway.port(), request, cut);
                int status = answer.status();
                statuses.merge(status, 1, Integer::sum);
                String exchange = answer.head + "\n" + new String(request, StandardCharsets.ISO_8859_1);
                if (status >= 500 || !isExplained(answer)) {
                    failed.add(exchange);
                } else if (answer.isProblem() && !isHead(request)) {
                    problems++;
                    OpenApiConformity.checkProblem(answer.body, exchange);
                }
            }
            // it still works
            assertThat(gateway.send(
                                    "POST",
                                    "/topics/after/messages",
                                    "{\"payload\": 1}",
                                    "Authorization",
                                    "Bearer " + SECRET)
                            .status())
                    .isEqualTo(201);
            assertThat(gateway.client().stats("orders").unaccounted()).isZero();
        }
        assertThat(failed).as("requests with the seed %s", SEED).isEmpty();
        assertThat(statuses).as("statuses").containsKeys(200, 201, 400, 404, 405, 415);
        assertThat(problems).as("bodies of problem details").isGreaterThan(requests / 10);
        assertThat(statuses.getOrDefault(0, 0))
                .as("requests without an answer, %s of which were cut", cuts)
                .isLessThanOrEqualTo(cuts + requests / 100);
        assertThat(output.getAll()).doesNotContain(SECRET);
    }

    /** Errors have problem details. The container refuses requests that are no HTTP, and what it is asked to expect, in its own way. */
    private static boolean isExplained(Answer answer) {
        int status = answer.status();
        return status < 400 || status == 400 || status == 417 || answer.isProblem();
    }

    /**
     * An answer.
     *
     * @param head status line and headers; empty if there was none
     * @param body of problem details, unless the request was for a head; else not read
     */
    private record Answer(String head, byte[] body) {

        private int status() {
            return head.isEmpty() ? 0 : Integer.parseInt(head.substring(9, 12));
        }

        private boolean isProblem() {
            return head.contains(PROBLEM);
        }
    }

    private static boolean isHead(byte[] request) {
        return new String(request, StandardCharsets.ISO_8859_1).startsWith("HEAD ");
    }

    private static Answer answer(int port, byte[] request, boolean cut) throws IOException {
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
            boolean hasProblem = head.contains(PROBLEM) && !isHead(request);
            return new Answer(head, hasProblem ? connection.readBody(head) : new byte[0]);
        } catch (SocketException e) {
            // the container may end the connection of a request that it refused while it is sent
            return new Answer("", new byte[0]);
        }
    }

    private static byte[] request(Random random, boolean withToken) {
        byte[] body = mutate(pick(random, BODIES), random).getBytes(StandardCharsets.UTF_8);
        if (random.nextInt(50) == 0) {
            body = "[".repeat(70_000).getBytes(StandardCharsets.UTF_8);
        }
        String[] request = pick(random, REQUESTS).split(" ");
        String path = request[1];
        if (random.nextInt(4) == 0) {
            // behind the first slash: other paths are not the gateway's
            int at = 1 + random.nextInt(path.length() - 1);
            String[] insertions = {
                "%", "%2F", "%zz", "..", "//", "?", "&id=%", ";x=1", "%00", "a".repeat(600), "{", "\u00ff"
            };
            path = path.substring(0, at) + pick(random, insertions) + path.substring(at);
        }
        String method = random.nextInt(5) == 0 ? pick(random, METHODS) : request[0];
        StringBuilder head = new StringBuilder(method + " /delayqueue/v1" + path + " HTTP/1.1\r\nHost: localhost\r\n");
        if (withToken) {
            head.append("Authorization: Bearer " + SECRET + "\r\n");
        }
        boolean typed = false;
        for (int i = random.nextInt(3); i > 0; i--) {
            String header = pick(random, HEADERS);
            typed |= header.startsWith("Content-Type");
            head.append(header).append("\r\n");
        }
        if (!typed) {
            head.append("Content-Type: application/json\r\n");
        }
        head.append("Connection: close\r\nContent-Length: ").append(body.length).append("\r\n\r\n");
        byte[] start = head.toString().getBytes(StandardCharsets.ISO_8859_1);
        byte[] all = Arrays.copyOf(start, start.length + body.length);
        System.arraycopy(body, 0, all, start.length, body.length);
        return all;
    }

    private static String mutate(String body, Random random) {
        String mutated = body;
        for (int i = random.nextBoolean() ? 0 : random.nextInt(4); i > 0 && !mutated.isEmpty(); i--) {
            int at = random.nextInt(mutated.length());
            mutated = switch (random.nextInt(3)) {
                case 0 -> mutated.substring(0, at) + pick(random, PIECES) + mutated.substring(at);
                case 1 -> mutated.substring(0, at);
                default ->
                    mutated.substring(0, at)
                            + pick(random, PIECES)
                            + mutated.substring(Math.min(mutated.length(), at + 3));
            };
        }
        return mutated;
    }

    private static String pick(Random random, String[] values) {
        return values[random.nextInt(values.length)];
    }

    @Test
    void slowClientsHoldUpNobody(EmbeddedRedis redis) throws Exception {
        List<RawConnection> slow = new ArrayList<>();
        // a thread for each of them would be too many
        try (Gateway gateway = Gateway.start(
                redis,
                "server.tomcat.threads.max=5",
                "server.tomcat.threads.min-spare=5",
                "server.tomcat.connection-timeout=4s",
                "delayqueue.gateway.body-timeout=1s")) {
            for (int i = 0; i < 100; i++) {
                RawConnection connection = new RawConnection(gateway.port());
                connection.send("POST /delayqueue/v1/topics/orders/messages HTTP/1.1\r\nHost: loc");
                slow.add(connection);
            }
            RawConnection slowBody = new RawConnection(gateway.port());
            slow.add(slowBody);
            slowBody.send("POST /delayqueue/v1/topics/orders/messages HTTP/1.1\r\nHost: localhost\r\n"
                    + "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n");
            // a byte now and then keeps the container's timeout from ending it
            Thread drip = new Thread(() -> drip(slowBody));
            drip.start();

            long begun = System.nanoTime();
            assertThat(gateway.send("POST", "/topics/orders/messages", "{\"payload\": 1}")
                            .status())
                    .isEqualTo(201);
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(10));
            String tooSlow = slowBody.readHead();
            assertThat(tooSlow).startsWith("HTTP/1.1 408").contains(PROBLEM);
            OpenApiConformity.checkProblem(slowBody.readBody(tooSlow), tooSlow);
            drip.interrupt();
            assertThat(slow.get(0).readHead()).isEmpty();
        } finally {
            for (RawConnection connection : slow) {
                connection.close();
            }
        }
    }

    private static void drip(RawConnection connection) {
        try {
            while (!Thread.interrupted()) {
                connection.send(" ");
                LockSupport.parkNanos(100_000_000);
            }
        } catch (IOException e) {
            // it was answered and closed
        }
    }
}
