package io.delayqueue.gateway.http;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.MessageInfo;
import io.delayqueue.MessageState;
import io.delayqueue.gateway.claim.PullConsumers;
import io.delayqueue.gateway.testsupport.Gateway;
import io.delayqueue.gateway.testsupport.Gateway.Reply;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.JsonNode;

@ExtendWith(EmbeddedRedisExtension.class)
class ClaimsApiTests {

    private static final String CLAIMS = "/topics/orders/claims";

    private static Gateway gateway;

    @BeforeAll
    static void start(EmbeddedRedis redis) {
        gateway = Gateway.start(redis);
    }

    @AfterAll
    static void close() {
        gateway.close();
    }

    private void schedule(String id) throws Exception {
        Reply reply =
                gateway.send("POST", "/topics/orders/messages", "{\"id\": \"" + id + "\", \"payload\": {\"a\": 1}}");
        assertThat(reply.status()).as("%s", reply).isEqualTo(201);
    }

    private JsonNode claimOne() throws Exception {
        Reply reply = gateway.send("POST", CLAIMS, "{\"wait\": 20}");
        assertThat(reply.status()).as("%s", reply).isEqualTo(200);
        assertThat(reply.json().get("messages").size()).isEqualTo(1);
        return reply.json().at("/messages/0");
    }

    @Test
    void messageIsClaimedAndAcked() throws Exception {
        schedule("o1");

        JsonNode message = claimOne();
        assertThat(message.get("id").stringValue()).isEqualTo("o1");
        assertThat(message.get("payload").toString()).isEqualTo("{\"a\":1}");
        assertThat(message.get("attempt").intValue()).isEqualTo(1);
        String claim = "/claims/" + message.get("receipt").stringValue();
        assertThat(gateway.send("DELETE", claim).status()).isEqualTo(204);
        Reply again = gateway.send("DELETE", claim);
        assertThat(again.status()).isEqualTo(409);
        assertThat(again.json().get("type").stringValue()).isEqualTo("urn:delayqueue:problem:lease-lost");
        assertThat(gateway.client().stats("orders").totals().acked()).isEqualTo(1);
    }

    @Test
    void claimReturnsAtMostTheMessagesAskedFor() throws Exception {
        for (int i = 0; i < 5; i++) {
            schedule("o" + i);
        }

        Reply reply = gateway.send("POST", CLAIMS, "{\"max\": 2, \"wait\": 20}");
        assertThat(reply.json().get("messages").size()).isEqualTo(2);
        assertThat(gateway.send("POST", CLAIMS, "{\"max\": 100, \"wait\": 20}")
                        .json()
                        .get("messages")
                        .size())
                .isEqualTo(3);
    }

    @Test
    void messageIsNotClaimedBeforeItIsDue() throws Exception {
        assertThat(gateway.send("POST", "/topics/orders/messages", "{\"delay\": 1.5, \"payloadBase64\": \"AAH/\"}")
                        .status())
                .isEqualTo(201);
        JsonNode early = gateway.send("POST", CLAIMS, "{}").json().get("messages");

        // on a slow machine, it is due already
        JsonNode message = early.isEmpty() ? claimOne() : early.get(0);
        // the answer passed the due time by Redis' clock, and clocks of one machine are the same
        assertThat(Instant.now())
                .isAfterOrEqualTo(Instant.parse(message.get("due").stringValue()));
        assertThat(message.get("payloadBase64").stringValue()).isEqualTo("AAH/");
    }

    @Test
    void lostLeaseIsAConflictAndNothingIsChanged() throws Exception {
        schedule("o1");
        Reply claimed = gateway.send("POST", CLAIMS, "{\"wait\": 20, \"lease\": 0.2}");
        String lost = "/claims/" + claimed.json().at("/messages/0/receipt").stringValue();
        String held = "/claims/" + claimOne().get("receipt").stringValue();

        for (Reply reply : List.of(
                gateway.send("DELETE", lost),
                gateway.send("POST", lost + "/retry", "{\"delay\": 60}"),
                gateway.send("POST", lost + "/extend", "{\"lease\": 60}"),
                gateway.send("POST", lost + "/release"),
                gateway.send("POST", lost + "/dead-letter"))) {
            assertThat(reply.status()).as("%s", reply).isEqualTo(409);
            assertThat(reply.json().get("type").stringValue()).isEqualTo("urn:delayqueue:problem:lease-lost");
        }
        assertThat(gateway.client().find("orders", "o1").orElseThrow().state()).isEqualTo(MessageState.IN_FLIGHT);
        assertThat(gateway.send("DELETE", held).status()).isEqualTo(204);
    }

    @Test
    void claimWithoutABodyReturnsAnEmptyListAtOnce() throws Exception {
        Reply reply = gateway.send("POST", CLAIMS);

        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply).hasToString("200 {\"messages\":[]}");
    }

    @Test
    void waitingClaimGetsTheMessageThatComes() throws Exception {
        CompletableFuture<Reply> claim = gateway.sendAsync("POST", CLAIMS, "{\"wait\": 60}");
        schedule("o1");

        assertThat(claim.get(30, SECONDS).json().at("/messages/0/id").stringValue())
                .isEqualTo("o1");
    }

    @Test
    void deliveredMessageHasTheLeaseThatTheClientAskedFor() throws Exception {
        schedule("o1");

        Reply reply = gateway.send("POST", CLAIMS, "{\"wait\": 20, \"lease\": \"PT10M\"}");
        assertThat(reply.json().get("messages").size()).isEqualTo(1);
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(gateway.client()
                                .find("orders", "o1")
                                .orElseThrow()
                                .leaseDeadline())
                        .isAfter(Instant.now().plus(Duration.ofMinutes(9))));
    }

    @Test
    void retryReleaseExtendAndDeadLetterDoWhatTheySay() throws Exception {
        schedule("o1");

        String first = "/claims/" + claimOne().get("receipt").stringValue();
        assertThat(gateway.send("POST", first + "/extend", "{\"lease\": 6000}").status())
                .isEqualTo(204);
        MessageInfo extended = gateway.client().find("orders", "o1").orElseThrow();
        assertThat(Duration.between(extended.time(), extended.leaseDeadline()))
                .isBetween(Duration.ofMinutes(90), Duration.ofMinutes(100));
        assertThat(gateway.send("POST", first + "/release").status()).isEqualTo(204);
        JsonNode second = claimOne();
        assertThat(second.get("attempt").intValue()).isEqualTo(1);
        Reply retried =
                gateway.send("POST", "/claims/" + second.get("receipt").stringValue() + "/retry", "{\"delay\": 0}");
        assertThat(retried.json().get("outcome").stringValue()).isEqualTo("retried");
        JsonNode third = claimOne();
        assertThat(third.get("attempt").intValue()).isEqualTo(2);
        String claim = "/claims/" + third.get("receipt").stringValue();
        assertThat(gateway.send("POST", claim + "/dead-letter", "{\"reason\": \"no such order\"}")
                        .status())
                .isEqualTo(204);
        MessageInfo dead = gateway.client().find("orders", "o1").orElseThrow();
        assertThat(dead.state()).isEqualTo(MessageState.DEAD);
        assertThat(dead.error()).contains("no such order");
    }

    @Test
    void retryWaitsAsLongAsItWasAskedTo() throws Exception {
        schedule("o1");

        Reply retried = retry(claimOne(), "{\"delay\": 600, \"reason\": \"busy\"}");
        assertThat(retried.json().get("outcome").stringValue()).isEqualTo("retried");
        MessageInfo scheduled = gateway.client().find("orders", "o1").orElseThrow();
        assertThat(scheduled.state()).isEqualTo(MessageState.SCHEDULED);
        assertThat(scheduled.attempt()).isEqualTo(1);
        assertThat(Duration.between(scheduled.time(), scheduled.due()))
                .isBetween(Duration.ofMinutes(9), Duration.ofMinutes(10));
    }

    @Test
    void reasonOfTheLastRetryIsKeptWithTheDeadLetter() throws Exception {
        String body = "{\"id\": \"o1\", \"payload\": 1, \"maxAttempts\": 1}";
        assertThat(gateway.send("POST", "/topics/orders/messages", body).status())
                .isEqualTo(201);

        Reply retried = retry(claimOne(), "{\"delay\": 600, \"reason\": \"busy\"}");
        assertThat(retried.json().get("outcome").stringValue()).isEqualTo("dead_lettered");
        MessageInfo dead = gateway.client().find("orders", "o1").orElseThrow();
        assertThat(dead.state()).isEqualTo(MessageState.DEAD);
        assertThat(dead.error()).contains("busy");
    }

    private static Reply retry(JsonNode message, String body) throws Exception {
        return gateway.send("POST", "/claims/" + message.get("receipt").stringValue() + "/retry", body);
    }

    @Test
    void garbageIsNoReceipt() throws Exception {
        Reply reply = gateway.send("DELETE", "/claims/abc");

        assertThat(reply.status()).isEqualTo(400);
        assertThat(reply.json().get("field").stringValue()).isEqualTo("receipt");
    }

    @Test
    void limitsOfAClaimAreChecked() throws Exception {
        for (String body : new String[] {"{\"max\": 101}", "{\"max\": 0}", "{\"wait\": 61}", "{\"lease\": 0}", "[]"}) {
            assertThat(gateway.send("POST", CLAIMS, body).status()).as(body).isEqualTo(400);
        }
    }

    @Test
    void stopAnswersWaitingClaims(EmbeddedRedis redis) throws Exception {
        Gateway stopping = Gateway.start(redis);
        CompletableFuture<Reply> waiting = stopping.sendAsync("POST", CLAIMS, "{\"wait\": 60}");
        PullConsumers consumers = stopping.context().getBean(PullConsumers.class);
        await().atMost(Duration.ofSeconds(30)).until(() -> consumers.callsUnderWay("orders") == 1);
        long begun = System.nanoTime();
        stopping.context().close();

        assertThat(waiting.get(30, SECONDS)).hasToString("200 {\"messages\":[]}");
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(25));
    }

    @Test
    void fullGatewayRefusesFurtherClaims(EmbeddedRedis redis) throws Exception {
        try (Gateway full = Gateway.start(redis, "delayqueue.gateway.claims.max-waiting=2")) {
            full.sendAsync("POST", CLAIMS, "{\"wait\": 30}");
            full.sendAsync("POST", CLAIMS, "{\"wait\": 30}");
            PullConsumers consumers = full.context().getBean(PullConsumers.class);
            await().atMost(Duration.ofSeconds(30)).until(() -> consumers.callsUnderWay("orders") == 2);

            Reply third = full.send("POST", CLAIMS, "{\"wait\": 30}");
            assertThat(third.status()).isEqualTo(429);
            assertThat(third.header("Retry-After")).isNotEmpty();
        }
    }

    @Test
    void receiptIsGoodInAnotherInstance(EmbeddedRedis redis) throws Exception {
        schedule("o1");
        String receipt = claimOne().get("receipt").stringValue();
        try (Gateway other = Gateway.start(redis)) {
            assertThat(other.send("POST", "/claims/" + receipt + "/extend", "{\"lease\": 60}")
                            .status())
                    .isEqualTo(204);
            assertThat(other.send("DELETE", "/claims/" + receipt).status()).isEqualTo(204);
        }
        assertThat(gateway.send("POST", "/claims/" + receipt + "/release").status())
                .isEqualTo(409);
    }
}
