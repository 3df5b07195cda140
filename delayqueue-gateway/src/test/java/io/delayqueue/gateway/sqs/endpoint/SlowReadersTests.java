package io.delayqueue.gateway.sqs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.gateway.testsupport.Gateway;
import io.delayqueue.gateway.testsupport.OpenSqs;
import io.delayqueue.gateway.testsupport.OpenSqs.Reply;
import io.delayqueue.gateway.testsupport.SmallSendBuffers;
import io.delayqueue.gateway.testsupport.TricklingReaders;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.JsonNode;

/** Clients that ask for large answers and don't read them: their memory is bounded, and their messages go to others. */
@Tag("slow")
@ExtendWith(EmbeddedRedisExtension.class)
class SlowReadersTests {

    private static final int MESSAGES = 60;
    private static final Duration WAIT = Duration.ofSeconds(60);

    @Test
    void answersAreBoundedAndMessagesGoToOthers(EmbeddedRedis redis) throws Exception {
        List<Socket> readers = new ArrayList<>();
        try (OpenSqs sqs = OpenSqs.start(
                redis,
                "delayqueue.gateway.sqs.max-answer-memory=64MB",
                "delayqueue.gateway.sqs.answer-timeout=2s",
                "server.tomcat.connection-timeout=3s")) {
            sqs.create("large");
            byte[] payload = "x".repeat(1_000_000).getBytes(StandardCharsets.UTF_8);
            for (int i = 0; i < MESSAGES; i++) {
                sqs.client()
                        .scheduleAsync(OutgoingMessage.to("large")
                                .id("m" + i)
                                .payload(payload)
                                .build())
                        .join();
            }
            for (int i = 0; i < 20; i++) {
                Socket reader = new Socket();
                reader.setReceiveBufferSize(4_096);
                reader.connect(new InetSocketAddress("127.0.0.1", sqs.gateway().port()));
                reader.getOutputStream()
                        .write(OpenSqs.raw("ReceiveMessage", OpenSqs.receiveBody("large", 20, 5))
                                .getBytes(StandardCharsets.ISO_8859_1));
                readers.add(reader);
            }
            // 20 readers ask for 200 MB, of which 64 may be in memory; what their systems took returns after 5 s
            await().atMost(Duration.ofSeconds(30))
                    .ignoreExceptionsInstanceOf(IOException.class)
                    .until(() -> sqs.receive("large", 0).status() == 503
                            || sqs.client().stats("large").inFlight() > 0);

            Set<String> received = new HashSet<>();
            // an answer of 10 MB that takes too long is cut off, and its messages come again
            await().atMost(Duration.ofSeconds(120))
                    .ignoreExceptionsInstanceOf(IOException.class)
                    .until(() -> {
                        Reply reply = sqs.receive("large", 1);
                        if (reply.status() == 200) {
                            for (JsonNode message : reply.json().path("Messages")) {
                                received.add(message.at("/Attributes/DelayQueueMessageId")
                                        .stringValue());
                                sqs.json(
                                        "DeleteMessage",
                                        "{'QueueUrl':'" + OpenSqs.url("large") + "','ReceiptHandle':'"
                                                + message.path("ReceiptHandle").stringValue() + "'}");
                            }
                        }
                        return received.size() == MESSAGES;
                    });
            assertThat(sqs.client().stats("large").totals().acked()).isEqualTo(MESSAGES);
        } finally {
            for (Socket reader : readers) {
                reader.close();
            }
        }
    }

    /** More of them than the container has threads. */
    @Test
    void trickleReadersHoldNoThreadAndLoseTheirMessagesInTime(EmbeddedRedis redis) throws Exception {
        int threads = 4;
        int readers = 3 * threads;
        try (OpenSqs sqs = new OpenSqs(Gateway.start(
                        SmallSendBuffers.class,
                        redis,
                        "delayqueue.gateway.sqs.enabled=true",
                        "server.tomcat.threads.max=" + threads,
                        "server.tomcat.threads.min-spare=" + threads,
                        "delayqueue.gateway.sqs.max-answer-memory=200MB",
                        // less than an answer may take, and renewed long before a process that pauses for seconds would
                        // lose it
                        "delayqueue.gateway.sqs.delivery-lease=6s",
                        "delayqueue.gateway.sqs.answer-timeout=15s"));
                TricklingReaders clients = new TricklingReaders()) {
            sqs.create("trickle");
            byte[] payload = "x".repeat(1_000_000).getBytes(StandardCharsets.UTF_8);
            for (int i = 0; i < readers; i++) {
                sqs.client()
                        .scheduleAsync(OutgoingMessage.to("trickle")
                                .id("m" + i)
                                .payload(payload)
                                .build())
                        .join();
            }
            String receive = OpenSqs.receiveBody("trickle", 20, 600)
                    .replace("'MaxNumberOfMessages':10", "'MaxNumberOfMessages':1");
            for (int i = 0; i < readers; i++) {
                clients.add(sqs.gateway().port(), OpenSqs.raw("ReceiveMessage", receive));
            }
            await().atMost(WAIT).until(() -> sqs.client().stats("trickle").inFlight() == readers);

            Reply ordinary = sqs.jsonAsync("ListQueues", "{}").get(WAIT.toSeconds(), TimeUnit.SECONDS);
            assertThat(ordinary.status()).isEqualTo(200);
            assertThat(sqs.client().stats("trickle").inFlight())
                    .as("messages of clients that are still reading")
                    .isEqualTo(readers);

            await().atMost(WAIT)
                    .until(() -> sqs.client().stats("trickle").pending().ready() == readers);
            assertThat(clients.readToTheEnd())
                    .as("answers that were cut off")
                    .hasSize(readers)
                    .allSatisfy(bytes -> assertThat(bytes).isLessThan(payload.length / 2L));
            Reply next = sqs.receive("trickle", 20);
            assertThat(next.json().path("Messages"))
                    .isNotEmpty()
                    .allSatisfy(message -> assertThat(message.at("/Attributes/ApproximateReceiveCount")
                                    .stringValue())
                            .isEqualTo("1"));
        }
    }
}
