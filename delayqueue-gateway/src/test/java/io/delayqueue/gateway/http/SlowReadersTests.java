package io.delayqueue.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.TopicStats;
import io.delayqueue.gateway.testsupport.Gateway;
import io.delayqueue.gateway.testsupport.Gateway.Reply;
import io.delayqueue.gateway.testsupport.SmallSendBuffers;
import io.delayqueue.gateway.testsupport.TricklingReaders;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.JsonNode;

/** Clients that read large answers a byte at a time: they hold no thread, and their messages go to others with no attempt counted. */
@Tag("slow")
@ExtendWith(EmbeddedRedisExtension.class)
class SlowReadersTests {

    private static final int THREADS = 4;
    private static final int READERS = 3 * THREADS;
    private static final int PAYLOAD = 1_000_000;
    private static final Duration WAIT = Duration.ofSeconds(60);

    @Test
    void trickleReadersHoldNoThreadAndLoseTheirMessagesInTime(EmbeddedRedis redis) throws Exception {
        try (Gateway gateway = Gateway.start(
                        SmallSendBuffers.class,
                        redis,
                        "server.tomcat.threads.max=" + THREADS,
                        "server.tomcat.threads.min-spare=" + THREADS,
                        // less than an answer may take, and renewed long before a process that pauses for seconds would
                        // lose it
                        "delayqueue.gateway.claims.delivery-lease=6s",
                        "delayqueue.gateway.claims.answer-timeout=15s");
                TricklingReaders readers = new TricklingReaders()) {
            for (int i = 0; i < READERS; i++) {
                gateway.client()
                        .scheduleAsync(OutgoingMessage.to("large")
                                .id("m" + i)
                                .payload(new byte[PAYLOAD])
                                .build())
                        .join();
            }
            for (int i = 0; i < READERS; i++) {
                readers.add(gateway.port(), claim("{\"wait\": 20, \"lease\": \"PT10M\"}"));
            }
            await().atMost(WAIT).until(() -> gateway.client().stats("large").inFlight() == READERS);

            Reply ordinary = gateway.sendAsync("GET", "/topics/large", "").get(WAIT.toSeconds(), TimeUnit.SECONDS);
            assertThat(ordinary.status()).isEqualTo(200);
            assertThat(ordinary.json().get("inFlight").intValue())
                    .as("messages of clients that are still reading")
                    .isEqualTo(READERS);

            await().atMost(WAIT)
                    .until(() -> gateway.client().stats("large").pending().ready() == READERS);
            assertThat(readers.readToTheEnd())
                    .as("answers that were cut off")
                    .hasSize(READERS)
                    .allSatisfy(bytes -> assertThat(bytes).isLessThan((long) PAYLOAD));
            assertThat(claimAll(gateway, READERS).values()).hasSize(READERS).containsOnly(1);
            TopicStats stats = gateway.client().stats("large");
            assertThat(stats.totals().acked()).isEqualTo(READERS);
            assertThat(stats.unaccounted()).isZero();
        }
    }

    /** Three times a message: two answers have room. */
    @Test
    void answersBeyondTheirMemoryAreRefusedAndTheMessagesGoToOthers(EmbeddedRedis redis) throws Exception {
        int count = 6;
        try (Gateway gateway = Gateway.start(
                SmallSendBuffers.class,
                redis,
                "delayqueue.gateway.claims.max-answer-memory=8MB",
                "delayqueue.gateway.claims.answer-timeout=10m")) {
            for (int i = 0; i < count; i++) {
                gateway.client()
                        .schedule(OutgoingMessage.to("large")
                                .id("m" + i)
                                .payload(new byte[PAYLOAD])
                                .build());
            }
            try (TricklingReaders readers = new TricklingReaders()) {
                for (int i = 0; i < 2; i++) {
                    readers.add(gateway.port(), claim("{\"wait\": 20}"));
                }
                // not as soon as Redis has their leases: the memory is taken behind that
                await().atMost(WAIT).until(() -> readers.answered() == 2);

                Reply refused = gateway.send("POST", "/topics/large/claims", "{\"max\": 3, \"wait\": 30}");
                assertThat(refused.status()).isEqualTo(503);
                assertThat(refused.json().get("type").stringValue()).contains("overloaded");
                await().atMost(WAIT)
                        .until(() -> gateway.client().stats("large").pending().ready() == count - 2);
            }
            // those of the readers that went away, too; an answer has as many as there is room for
            assertThat(claimAll(gateway, count).values()).hasSize(count).containsOnly(1);
        }
    }

    private static String claim(String body) {
        return "POST /delayqueue/v1/topics/large/claims HTTP/1.1\r\nHost: localhost\r\n"
                + "Content-Type: application/json\r\nContent-Length: " + body.length() + "\r\n\r\n" + body;
    }

    /** Attempts of all messages by their id. */
    private static Map<String, Integer> claimAll(Gateway gateway, int count) throws Exception {
        Map<String, Integer> attempts = new HashMap<>();
        while (attempts.size() < count) {
            JsonNode claimed = gateway.send("POST", "/topics/large/claims", "{\"max\": 10, \"wait\": 30}")
                    .json()
                    .get("messages");
            assertThat(claimed).as("after %s", attempts.size()).isNotEmpty();
            for (JsonNode message : claimed) {
                attempts.put(
                        message.get("id").stringValue(), message.get("attempt").intValue());
                String receipt = message.get("receipt").stringValue();
                assertThat(gateway.send("DELETE", "/claims/" + receipt).status())
                        .isEqualTo(204);
            }
        }
        return attempts;
    }
}
