package io.delayqueue.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.TopicStats;
import io.delayqueue.gateway.claim.PullConsumers;
import io.delayqueue.gateway.testsupport.Gateway;
import io.delayqueue.gateway.testsupport.Programs;
import io.delayqueue.gateway.testsupport.RawConnection;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.JsonNode;

/** Clients that are killed while they wait, or before they read their answer. */
@ExtendWith(EmbeddedRedisExtension.class)
class KilledClientsTests {

    private static final int CLIENTS = 20;

    private static Gateway gateway;

    @BeforeAll
    static void start(EmbeddedRedis redis) {
        gateway = Gateway.start(redis, "delayqueue.gateway.claims.max-attempts=1000");
    }

    @AfterAll
    static void close() {
        gateway.close();
    }

    private static void schedule(String topic, int messages) {
        List<OutgoingMessage> all = new ArrayList<>();
        for (int i = 0; i < messages; i++) {
            all.add(OutgoingMessage.to(topic).id("m" + i).payload(new byte[10]).build());
        }
        assertThat(gateway.client().scheduleAll(all)).hasSize(messages);
    }

    /** Attempts of all messages by their id, as a client gets them that lives. */
    private static Map<String, Integer> claimAll(String topic, int messages) throws Exception {
        Map<String, Integer> attempts = new TreeMap<>();
        while (attempts.size() < messages) {
            JsonNode claimed = gateway.send("POST", "/topics/" + topic + "/claims", "{\"max\": 100, \"wait\": 30}")
                    .json()
                    .get("messages");
            assertThat(claimed.size())
                    .as("after %s of %s", attempts.size(), messages)
                    .isPositive();
            for (JsonNode message : claimed) {
                attempts.put(
                        message.get("id").stringValue(), message.get("attempt").intValue());
                assertThat(gateway.send(
                                        "DELETE",
                                        "/claims/" + message.get("receipt").stringValue())
                                .status())
                        .isEqualTo(204);
            }
        }
        return attempts;
    }

    private static List<RawConnection> waiting(String topic, String lease) throws IOException {
        List<RawConnection> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            RawConnection client = new RawConnection(gateway.port());
            client.post("/topics/" + topic + "/claims", "{\"wait\": 60, \"lease\": \"" + lease + "\"}");
            clients.add(client);
        }
        awaitWaiting(topic);
        return clients;
    }

    private static void awaitWaiting(String topic) {
        PullConsumers consumers = gateway.context().getBean(PullConsumers.class);
        await().atMost(Duration.ofSeconds(30)).until(() -> consumers.callsUnderWay(topic) == CLIENTS);
    }

    private static void assertAllAcked(String topic, int messages) {
        TopicStats stats = gateway.client().stats(topic);
        assertThat(stats.totals().acked()).isEqualTo(messages);
        assertThat(stats.unaccounted()).isZero();
        assertThat(stats.inFlight()).isZero();
        assertThat(stats.dead()).isZero();
        assertThat(stats.totals().retried()).as("attempts that a client ended").isZero();
    }

    @Test
    void resetWhileTheyWait() throws Exception {
        for (RawConnection client : waiting("reset", "PT10M")) {
            client.reset();
        }
        schedule("reset", CLIENTS);

        // far within the lease of ten minutes
        assertThat(claimAll("reset", CLIENTS).values()).containsOnly(1);
        assertAllAcked("reset", CLIENTS);
    }

    @Test
    void killedWhileTheyWait() throws Exception {
        for (RawConnection client : waiting("killed", "PT5S")) {
            client.close();
        }
        schedule("killed", CLIENTS);

        Map<String, Integer> attempts = claimAll("killed", CLIENTS);
        assertAllAcked("killed", CLIENTS);
        // each of them had one answer, with one message
        assertThat(attempts.values().stream().mapToInt(attempt -> attempt - 1).sum())
                .isBetween(0, CLIENTS);
        // a refusal that comes late finds the answer written: then the lease has to end
        assertThat(attempts.values().stream().filter(attempt -> attempt == 1)).hasSizeGreaterThan(CLIENTS / 2);
    }

    /** By a signal, so that their system ends their connections. */
    @Test
    void killedProcesses() throws Exception {
        Programs.require("curl", "--version");
        List<Process> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(Programs.curl(
                    "http://127.0.0.1:" + gateway.port() + "/delayqueue/v1/topics/processes/claims",
                    "{\"wait\": 60, \"lease\": 2}",
                    "Content-Type: application/json"));
        }
        awaitWaiting("processes");
        for (Process client : clients) {
            client.destroyForcibly().waitFor();
        }
        schedule("processes", CLIENTS);

        Map<String, Integer> attempts = claimAll("processes", CLIENTS);
        assertAllAcked("processes", CLIENTS);
        // each process had one answer, with one message, and most are seen to be gone
        assertThat(attempts.values().stream().mapToInt(attempt -> attempt - 1).sum())
                .isBetween(0, CLIENTS);
        assertThat(attempts.values().stream().filter(attempt -> attempt == 1)).hasSizeGreaterThan(CLIENTS / 2);
    }

    @Test
    void killedBeforeTheyReadTheirAnswer() throws Exception {
        schedule("early", 5);
        for (int i = 0; i < CLIENTS; i++) {
            RawConnection client = new RawConnection(gateway.port());
            client.post("/topics/early/claims", "{\"max\": 5, \"lease\": \"PT1S\"}");
            client.reset();
        }

        Map<String, Integer> attempts = claimAll("early", 5);
        assertAllAcked("early", 5);
        // each of them had each message once at most
        assertThat(attempts.values()).allSatisfy(attempt -> assertThat(attempt).isBetween(1, CLIENTS + 1));
    }
}
