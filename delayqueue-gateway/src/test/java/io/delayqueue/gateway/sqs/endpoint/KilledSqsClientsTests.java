package io.delayqueue.gateway.sqs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.PullConsumer;
import io.delayqueue.PullOptions;
import io.delayqueue.TopicStats;
import io.delayqueue.gateway.claim.PullConsumers;
import io.delayqueue.gateway.sqs.action.SqsConsumers;
import io.delayqueue.gateway.testsupport.OpenSqs;
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
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Clients that die while they wait keep no message: it comes to another one, as the first attempt. */
@ExtendWith(EmbeddedRedisExtension.class)
@Tag("slow")
class KilledSqsClientsTests {

    private static final int CLIENTS = 20;
    /** Seconds for which a client keeps a message that vanished unseen. */
    private static final int SHORT_VISIBILITY = 5;

    private static final Duration WAIT = Duration.ofSeconds(30);

    private static OpenSqs sqs;

    @BeforeAll
    static void start(EmbeddedRedis redis) {
        sqs = OpenSqs.start(redis);
    }

    @AfterAll
    static void stop() {
        sqs.close();
    }

    private static void schedule(String topic) {
        List<OutgoingMessage> all = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            all.add(OutgoingMessage.to(topic)
                    .id("m" + i)
                    .payload(new byte[] {'x'})
                    .build());
        }
        assertThat(sqs.client().scheduleAll(all)).hasSize(CLIENTS);
    }

    private static void awaitWaiting(String topic) {
        PullConsumers consumers =
                sqs.gateway().context().getBean(SqsConsumers.class).of(topic);
        await().atMost(WAIT).until(() -> consumers.callsUnderWay(topic) == CLIENTS);
    }

    /** Receives of all messages by their id, as a client gets them that lives. */
    private static Map<String, String> receiveAll(String queue) throws Exception {
        Map<String, String> receives = new TreeMap<>();
        long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (receives.size() < CLIENTS && System.nanoTime() < end) {
            for (JsonNode message : sqs.receive(queue, 5).json().path("Messages")) {
                JsonNode attributes = message.path("Attributes");
                receives.put(
                        attributes.path("DelayQueueMessageId").stringValue(),
                        attributes.path("ApproximateReceiveCount").stringValue());
                assertThat(sqs.json(
                                        "DeleteMessage",
                                        "{'QueueUrl':'" + OpenSqs.url(queue) + "','ReceiptHandle':'"
                                                + message.path("ReceiptHandle").stringValue() + "'}")
                                .status())
                        .isEqualTo(200);
            }
        }
        return receives;
    }

    private List<RawConnection> waiting(String queue, int visibility) throws IOException {
        List<RawConnection> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            RawConnection client = new RawConnection(sqs.gateway().port());
            String body = OpenSqs.receiveBody(queue, 20, visibility).replace("Messages':10", "Messages':1");
            client.send(OpenSqs.raw("ReceiveMessage", body));
            clients.add(client);
        }
        return clients;
    }

    /** The queue's visibility timeout, with which messages are claimed, and another one. */
    @ParameterizedTest
    @ValueSource(ints = {30, 600})
    void resetWhileTheyWait(int visibility) throws Exception {
        String queue = "reset" + visibility;
        sqs.create(queue);
        List<RawConnection> clients = waiting(queue, visibility);
        awaitWaiting(queue);
        for (RawConnection client : clients) {
            client.reset();
        }
        schedule(queue);

        Map<String, String> receives = receiveAll(queue);
        assertThat(receives).hasSize(CLIENTS);
        assertThat(receives.values()).containsOnly("1");
        TopicStats stats = sqs.client().stats(queue);
        assertThat(stats.totals().acked()).isEqualTo(CLIENTS);
        assertThat(stats.unaccounted()).isZero();
    }

    /** By a signal, so that their system ends their connections: the first bytes of an answer are still taken then. */
    @Test
    void killedProcessesKeepMessagesForTheirVisibilityTimeoutAtMost() throws Exception {
        Programs.require("curl", "--version");
        sqs.create("killed");
        List<Process> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            String body = OpenSqs.receiveBody("killed", 20, SHORT_VISIBILITY).replace("Messages':10", "Messages':1");
            clients.add(Programs.curl(
                    "http://127.0.0.1:" + sqs.gateway().port() + "/",
                    body.replace('\'', '"'),
                    "Content-Type: application/x-amz-json-1.0",
                    "X-Amz-Target: AmazonSQS.ReceiveMessage"));
        }
        awaitWaiting("killed");
        for (Process client : clients) {
            client.destroyForcibly();
            assertThat(client.waitFor(1, TimeUnit.MINUTES)).isTrue();
        }
        schedule("killed");

        Map<String, String> receives = receiveAll("killed");
        assertThat(receives).hasSize(CLIENTS);
        // a refusal that comes late finds the answer written: such a message comes when its visibility timeout is over
        assertThat(receives.values()).containsAnyOf("1").isSubsetOf("1", "2");
        assertThat(receives.values().stream().filter("1"::equals)).hasSizeGreaterThan(CLIENTS / 2);
        TopicStats stats = sqs.client().stats("killed");
        assertThat(stats.totals().acked()).isEqualTo(CLIENTS);
        assertThat(stats.inFlight()).isZero();
        assertThat(stats.dead()).isZero();
        assertThat(stats.unaccounted()).isZero();
    }

    @Test
    void deadLettersGoToAClientThatLives() throws Exception {
        sqs.create("orders");
        sqs.create("orders-dead");
        schedule("orders");
        List<RawConnection> clients = waiting("orders-dead", SHORT_VISIBILITY);
        for (RawConnection client : clients) {
            client.close();
        }
        PullConsumer consumer = sqs.client().pullConsumer("orders", PullOptions.defaults());
        for (int left = CLIENTS; left > 0; ) {
            var messages = consumer.receive(CLIENTS, WAIT);
            messages.forEach(message -> consumer.deadLetter(message.receipt(), "test"));
            left -= messages.size();
        }

        Map<String, String> receives = receiveAll("orders-dead");
        assertThat(receives).hasSize(CLIENTS);
        TopicStats stats = sqs.client().stats("orders");
        assertThat(stats.dead()).as("they were deleted").isZero();
        assertThat(stats.unaccounted()).isZero();
    }
}
