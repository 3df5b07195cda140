package io.delayqueue.gateway.sqs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.gateway.testsupport.OpenSqs;
import io.delayqueue.gateway.testsupport.RawConnection;
import io.delayqueue.gateway.testsupport.SqsGateway;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Clients that send their bodies slowly, and many at once: they hold no thread, and nobody up. */
@ExtendWith(EmbeddedRedisExtension.class)
class SlowBodiesTests {

    private static final Duration WAIT = Duration.ofSeconds(60);

    private final List<RawConnection> connections = new ArrayList<>();

    @AfterEach
    void close() throws IOException {
        for (RawConnection connection : connections) {
            connection.close();
        }
    }

    private RawConnection connection(OpenSqs sqs, String bytes) throws IOException {
        RawConnection connection = new RawConnection(sqs.gateway().port());
        connections.add(connection);
        connection.send(bytes);
        return connection;
    }

    /** Sends a byte now and then until the server has ended the connection. */
    private static void awaitEnd(RawConnection connection) {
        await().atMost(WAIT).pollInterval(Duration.ofMillis(200)).until(() -> {
            try {
                connection.send(" ");
                return false;
            } catch (IOException e) {
                return true;
            }
        });
    }

    @Test
    @Tag("slow")
    void moreSlowBodiesThanThreadsAreEndedInTime(EmbeddedRedis redis) throws Exception {
        // all are open before the first one's time is over
        Duration timeout = Duration.ofSeconds(20);
        try (OpenSqs sqs = OpenSqs.start(
                redis,
                "delayqueue.gateway.sqs.body-timeout=" + timeout.toSeconds() + "s",
                "server.tomcat.threads.max=10")) {
            sqs.create("orders");
            for (int i = 0; i < SqsFilter.MAX_SLOW_BODIES - 1; i++) {
                connections.add(new RawConnection(sqs.gateway().port()));
            }
            for (RawConnection connection : connections) {
                connection.send(OpenSqs.head("SendMessage", 1_000) + "{");
            }
            // this client's body comes after its head, too
            assertThat(sqs.send("orders", "x").status()).as("a thread is left").isEqualTo(200);
            connection(sqs, OpenSqs.head("SendMessage", 1_000) + "{");
            // as soon as the server has seen them all: this one may come before the one that was sent before it
            await().atMost(timeout)
                    .until(() -> connection(sqs, OpenSqs.head("SendMessage", 1_000) + "{")
                            .readHeadOrNothing()
                            .startsWith("HTTP/1.1 503"));

            List<String> others = new ArrayList<>();
            for (RawConnection other : connections.subList(0, connections.size() - 1)) {
                others.add(other.readHead());
            }
            assertThat(others)
                    .filteredOn(head -> !head.startsWith("HTTP/1.1 503"))
                    .hasSize(SqsFilter.MAX_SLOW_BODIES)
                    .allSatisfy(
                            head -> assertThat(head).startsWith("HTTP/1.1 408").contains("RequestTimeout"));
            RawConnection next = connection(sqs, OpenSqs.head("ListQueues", 2) + "{");
            next.send("}");
            assertThat(next.readHead()).startsWith("HTTP/1.1 200");
        }
    }

    /** The head of a request that names a key; its signature is looked at behind the body. */
    private static String headOf(String key) {
        String time = DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'")
                .withZone(ZoneOffset.UTC)
                .format(Instant.now());
        return OpenSqs.head("SendMessage", 1_000)
                .replace(
                        "\r\n\r\n",
                        "\r\nX-Amz-Date: " + time + "\r\nAuthorization: AWS4-HMAC-SHA256 Credential=" + key + "/"
                                + time.substring(0, 8) + "/us-east-1/sqs/aws4_request, SignedHeaders=host;x-amz-date;"
                                + "x-amz-target, Signature=" + "0".repeat(64) + "\r\n\r\n");
    }

    @Test
    @Tag("slow")
    void slowBodiesOfOneKeyLeaveSlotsToOthers(EmbeddedRedis redis) throws Exception {
        try (SqsGateway gateway = SqsGateway.start(
                redis,
                "delayqueue.gateway.sqs.body-timeout=60s",
                "delayqueue.gateway.sqs.keys.GREEDY.secret=another-secret",
                "delayqueue.gateway.sqs.keys.GREEDY.rights=produce",
                "delayqueue.gateway.sqs.keys.GREEDY.topics=*")) {
            OpenSqs sqs = new OpenSqs(gateway.gateway());
            for (int i = 0; i < SqsFilter.MAX_SLOW_BODIES / 2; i++) {
                connection(sqs, headOf("GREEDY") + "{");
            }
            // as soon as the server has seen them all
            await().atMost(Duration.ofSeconds(50))
                    .until(() -> connection(sqs, headOf("GREEDY") + "{")
                            .readHeadOrNothing()
                            .startsWith("HTTP/1.1 503"));
            RawConnection other = connection(sqs, headOf(SqsGateway.KEY) + "{");
            assertThat(other.readHeadOrNothing()).as("it is waited for").isEmpty();
            other.send(" ".repeat(999));
            assertThat(other.readHead()).startsWith("HTTP/1.1 403");
            // or the gateway's end would wait for their bodies, for 30 s
            close();
        }
    }

    @Test
    void byteNowAndThenHoldsNoThread(EmbeddedRedis redis) throws Exception {
        try (OpenSqs sqs =
                OpenSqs.start(redis, "delayqueue.gateway.sqs.body-timeout=1s", "server.tomcat.threads.max=5")) {
            for (int i = 0; i < 10; i++) {
                connection(sqs, OpenSqs.head("SendMessage", 100_000) + "{");
            }
            for (RawConnection slow : List.copyOf(connections)) {
                awaitEnd(slow);
            }
            assertThat(sqs.json("ListQueues", "{}").status()).isEqualTo(200);
        }
    }

    /** The container would wait for the bodies of requests that were answered before. */
    @Test
    void refusedRequestsHoldNoThread(EmbeddedRedis redis) throws Exception {
        try (OpenSqs sqs = OpenSqs.start(
                redis,
                "delayqueue.gateway.sqs.keys.AKID.secret=secret",
                "delayqueue.gateway.sqs.keys.AKID.rights=consume",
                "delayqueue.gateway.sqs.keys.AKID.topics=*",
                "server.tomcat.threads.max=5")) {
            for (int i = 0; i < 10; i++) {
                connection(sqs, OpenSqs.head("SendMessage", 100_000) + "{");
            }
            for (RawConnection unsigned : List.copyOf(connections)) {
                awaitEnd(unsigned);
            }
            assertThat(sqs.json("ListQueues", "{}").status()).isEqualTo(403);
        }
    }

    @Test
    void bodyInPiecesIsWhole(EmbeddedRedis redis) throws Exception {
        try (OpenSqs sqs = OpenSqs.start(redis)) {
            sqs.create("orders");
            String body =
                    "{\"QueueUrl\":\"" + OpenSqs.url("orders") + "\",\"MessageBody\":\"" + "x".repeat(300_000) + "\"}";
            RawConnection connection = connection(sqs, OpenSqs.head("SendMessage", body.length()));
            for (int i = 0; i < body.length(); i += 50_000) {
                connection.send(body.substring(i, Math.min(body.length(), i + 50_000)));
            }
            assertThat(connection.readHead()).startsWith("HTTP/1.1 200");
            String chunked = OpenSqs.head("ListQueues", 2).replace("Content-Length: 2", "Transfer-Encoding: chunked");
            RawConnection chunks = connection(sqs, chunked + "1\r\n{\r\n");
            chunks.send("1\r\n}\r\n0\r\n\r\n");
            assertThat(chunks.readHead()).startsWith("HTTP/1.1 200");
            assertThat(sqs.client().stats("orders").totals().accepted()).isEqualTo(1);
        }
    }

    @Test
    void largeBodiesBeyondTheirMemoryAreRefusedAndSmallOnesGoOn(EmbeddedRedis redis) throws Exception {
        try (OpenSqs sqs = OpenSqs.start(
                redis, "delayqueue.gateway.sqs.max-request-memory=4MB", "delayqueue.gateway.sqs.body-timeout=60s")) {
            sqs.create("orders");
            String most = "x".repeat(1_000_000);
            int refused = 0;
            for (int i = 0; i < 20; i++) {
                connection(sqs, OpenSqs.head("SendMessage", 1_048_000));
            }
            for (RawConnection connection : connections) {
                Thread sender = new Thread(() -> sendQuietly(connection, most));
                sender.start();
                sender.join();
            }
            // those that were taken wait for the rest
            for (RawConnection connection : connections.subList(3, connections.size())) {
                refused += connection.readHeadOrNothing().startsWith("HTTP/1.1 503") ? 1 : 0;
            }
            assertThat(refused).isGreaterThan(10);
            for (int i = 0; i < 50; i++) {
                assertThat(sqs.send("orders", "small").status()).isEqualTo(200);
            }
            for (RawConnection connection : connections) {
                connection.close();
            }
            await().atMost(WAIT)
                    .until(() -> sqs.send("orders", "y".repeat(900_000)).status() == 200);
        }
    }

    private static void sendQuietly(RawConnection connection, String text) {
        try {
            connection.send(text);
        } catch (IOException e) {
            // it was refused and closed
        }
    }
}
