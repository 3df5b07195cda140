package io.delayqueue.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.gateway.claim.PullConsumers;
import io.delayqueue.gateway.testsupport.Gateway;
import io.delayqueue.gateway.testsupport.Gateway.Reply;
import io.delayqueue.gateway.testsupport.RawConnection;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.io.IOException;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Callers beside each other: what one uses up, no other misses. */
@ExtendWith(EmbeddedRedisExtension.class)
class ManyTokensTests {

    private static final int TOKENS = 20;

    private static Gateway gateway(EmbeddedRedis redis, String... more) throws Exception {
        List<String> properties = new ArrayList<>(List.of(more));
        for (int i = 0; i < TOKENS; i++) {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(("t" + i).getBytes(StandardCharsets.UTF_8));
            String token = "delayqueue.gateway.tokens.caller" + i;
            properties.add(token + ".sha256=" + HexFormat.of().formatHex(hash));
            properties.add(token + ".rights=produce, consume");
            properties.add(token + ".topics=t" + i + "-*");
        }
        return Gateway.start(redis, properties.toArray(String[]::new));
    }

    private static String[] token(int i) {
        return new String[] {"Authorization", "Bearer t" + i};
    }

    @Test
    void eachTokenHasARateOfItsOwn(EmbeddedRedis redis) throws Exception {
        // a slow machine, too, makes more requests in a second
        try (Gateway gateway = gateway(redis, "delayqueue.gateway.max-requests-per-second=1")) {
            Reply refused = await().atMost(Duration.ofSeconds(30))
                    .until(() -> gateway.send("GET", "/topics", "", token(0)), reply -> reply.status() == 429);
            assertThat(refused.header("Retry-After")).isEqualTo("1");
            assertThat(refused.json().get("type").stringValue()).isEqualTo("urn:delayqueue:problem:too-many-requests");

            for (int i = 1; i < TOKENS; i++) {
                assertThat(gateway.send("GET", "/topics", "", token(i)).status())
                        .as("token %s", i)
                        .isEqualTo(200);
            }
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> gateway.send("GET", "/topics", "", token(0)).status() == 200);
        }
    }

    /** As many of one token wait for the journal's database as of all. */
    @Test
    @Tag("slow")
    void aTokenWhoseSendsWaitForTheJournalLeavesSlotsToOthers(EmbeddedRedis redis) throws Exception {
        try (Gateway gateway = gateway(
                redis,
                "spring.autoconfigure.exclude=" + String.join(",", Gateway.SECURITY),
                "spring.datasource.url=jdbc:h2:mem:token-sends",
                "spring.datasource.hikari.maximum-pool-size=3",
                "spring.datasource.hikari.connection-timeout=120000",
                "delayqueue.journal.restore.mode=report")) {
            DataSource database = gateway.context().getBean(DataSource.class);
            List<Connection> taken = new ArrayList<>();
            List<CompletableFuture<Reply>> others = new ArrayList<>();
            try {
                for (int i = 0; i < 3; i++) {
                    taken.add(database.getConnection());
                }
                List<CompletableFuture<Reply>> sends = new ArrayList<>();
                for (int i = 0; i < OwnThreadSender.MOST_WAITING + 100; i++) {
                    sends.add(gateway.sendAsync("POST", "/topics/t0-a/messages", "{\"payload\": 1}", token(0)));
                }
                int refused = sends.size() - OwnThreadSender.MOST_WAITING / 2;
                await().atMost(Duration.ofSeconds(60))
                        .until(() ->
                                sends.stream().filter(CompletableFuture::isDone).count() >= refused);
                for (int i = 0; i < 100; i++) {
                    others.add(gateway.sendAsync("POST", "/topics/t1-a/messages", "{\"payload\": 1}", token(1)));
                }
                Reply reply = sends.stream()
                        .filter(CompletableFuture::isDone)
                        .map(CompletableFuture::join)
                        .filter(answer -> answer.status() == 429)
                        .findFirst()
                        .orElseThrow();
                assertThat(reply.json().get("type").stringValue())
                        .isEqualTo("urn:delayqueue:problem:too-many-requests");
                assertThat(reply.json().get("detail").stringValue()).contains("caller0", "nothing was done");
            } finally {
                for (Connection connection : taken) {
                    connection.close();
                }
            }
            for (CompletableFuture<Reply> other : others) {
                Reply reply = other.get(60, TimeUnit.SECONDS);
                // late only if all this took longer than a send may wait
                assertThat(reply.status() == 201 || reply.toString().contains("journal-unavailable"))
                        .as("%s", reply)
                        .isTrue();
            }
        }
    }

    @Test
    @Tag("slow")
    void aTokenThatUsesManyTopicsLeavesThoseOfOthers(EmbeddedRedis redis) throws Exception {
        try (Gateway gateway = gateway(redis)) {
            int most = PullConsumers.MAX_TOPICS_OF_A_CALLER;
            gateway.client()
                    .schedule(io.delayqueue.OutgoingMessage.to("t0-held")
                            .payload(new byte[] {'1'})
                            .build());
            String receipt = gateway.send("POST", "/topics/t0-held/claims", "{\"wait\": 30, \"lease\": 600}", token(0))
                    .json()
                    .at("/messages/0/receipt")
                    .stringValue();
            // another topic takes the room of this one, which is unused
            List<CompletableFuture<Reply>> waiting = new ArrayList<>();
            for (int i = 0; i < most; i++) {
                waiting.add(gateway.sendAsync("POST", "/topics/t0-" + i + "/claims", "{\"wait\": 50}", token(0)));
            }
            PullConsumers consumers = gateway.context().getBean(PullConsumers.class);
            await().atMost(Duration.ofSeconds(40))
                    .until(() -> IntStream.range(0, most).allMatch(i -> consumers.callsUnderWay("t0-" + i) == 1));

            Reply refused = gateway.send("POST", "/topics/t0-more/claims", "{}", token(0));
            assertThat(refused.status()).isEqualTo(429);
            assertThat(refused.header("Retry-After")).isNotEmpty();
            assertThat(refused.json().get("type").stringValue()).isEqualTo("urn:delayqueue:problem:too-many-topics");
            assertThat(refused.json().get("detail").stringValue()).contains("caller0", "500");
            assertThat(gateway.send("POST", "/topics/t0-1/claims", "{}", token(0))
                            .status())
                    .as("a topic that it uses already")
                    .isEqualTo(200);
            assertThat(gateway.send("DELETE", "/claims/" + receipt, "", token(0))
                            .status())
                    .as("an ack, while claims find no room")
                    .isEqualTo(204);
            for (int i = 1; i < TOKENS; i++) {
                assertThat(gateway.send("POST", "/topics/t" + i + "-1/claims", "{}", token(i))
                                .status())
                        .as("token %s", i)
                        .isEqualTo(200);
            }
            gateway.client()
                    .schedule(io.delayqueue.OutgoingMessage.to("t0-7")
                            .payload(new byte[] {'1'})
                            .build());
            assertThat(waiting.get(7)
                            .get(30, TimeUnit.SECONDS)
                            .json()
                            .get("messages")
                            .size())
                    .isEqualTo(1);
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> gateway.send("POST", "/topics/t0-more/claims", "{}", token(0))
                                    .status()
                            == 200);
        }
    }

    @Test
    void aTokenWhoseClaimsWaitLeavesSlotsToOthers(EmbeddedRedis redis) throws Exception {
        try (Gateway gateway = gateway(redis, "delayqueue.gateway.claims.max-waiting=20")) {
            List<CompletableFuture<Reply>> waiting = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
                waiting.add(gateway.sendAsync("POST", "/topics/t0-" + i % 3 + "/claims", "{\"wait\": 50}", token(0)));
            }
            await().atMost(Duration.ofSeconds(40))
                    .until(() ->
                            waiting.stream().filter(CompletableFuture::isDone).count() == 20);
            for (CompletableFuture<Reply> claim : waiting) {
                if (claim.isDone()) {
                    Reply refused = claim.join();
                    assertThat(refused.status()).isEqualTo(429);
                    assertThat(refused.header("Retry-After")).isNotEmpty();
                    assertThat(refused.json().get("type").stringValue())
                            .isEqualTo("urn:delayqueue:problem:too-many-requests");
                    assertThat(refused.json().get("detail").stringValue()).contains("caller0", "10");
                }
            }
            for (int i = 1; i < TOKENS; i++) {
                assertThat(gateway.send("POST", "/topics/t" + i + "-1/claims", "{}", token(i))
                                .status())
                        .as("token %s", i)
                        .isEqualTo(200);
            }
            // slots are free again
            for (int i = 0; i < 30; i++) {
                gateway.client()
                        .schedule(io.delayqueue.OutgoingMessage.to("t0-" + i % 3)
                                .payload(new byte[] {'1'})
                                .build());
            }
            CompletableFuture.allOf(waiting.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
            assertThat(gateway.send("POST", "/topics/t0-1/claims", "{}", token(0))
                            .status())
                    .isEqualTo(200);
        }
    }

    @Test
    void aTokenWhoseBodiesAreSlowLeavesSlotsToOthers(EmbeddedRedis redis) throws Exception {
        List<RawConnection> slow = new ArrayList<>();
        try (Gateway gateway =
                gateway(redis, "delayqueue.gateway.max-incoming-bodies=20", "delayqueue.gateway.body-timeout=60s")) {
            for (int i = 0; i < 10; i++) {
                slow.add(slowBody(gateway, 0));
            }
            String head = "";
            for (int i = 0; i < 10 && head.isEmpty(); i++) {
                RawConnection one = slowBody(gateway, 0);
                slow.add(one);
                head = one.readHeadOrNothing();
            }
            assertThat(head).startsWith("HTTP/1.1 429").contains("Retry-After");
            try (RawConnection other = slowBody(gateway, 1)) {
                other.send("}");
                assertThat(other.readHead()).as("another token").startsWith("HTTP/1.1 201");
            }
            int accepted = 0;
            for (RawConnection connection : slow.subList(0, slow.size() - 1)) {
                accepted += isAccepted(connection) ? 1 : 0;
            }
            assertThat(accepted).as("those that were not refused").isEqualTo(10);
            for (RawConnection connection : slow) {
                connection.close();
            }
        }
    }

    /** Sends the last byte; which of the requests were refused is up to the order in which the server read them. */
    private static boolean isAccepted(RawConnection connection) throws IOException {
        try {
            connection.send("}");
            return connection.readHead().startsWith("HTTP/1.1 201");
        } catch (SocketException wasRefused) {
            return false;
        }
    }

    /** A request without the last byte of its body. */
    private static RawConnection slowBody(Gateway gateway, int token) throws IOException {
        RawConnection connection = new RawConnection(gateway.port());
        String body = "{\"payload\": 1";
        connection.send("POST /delayqueue/v1/topics/t" + token + "-x/messages HTTP/1.1\r\nHost: localhost\r\n"
                + "Content-Type: application/json\r\nAuthorization: Bearer t" + token + "\r\nContent-Length: "
                + (body.length() + 1) + "\r\n\r\n" + body);
        return connection;
    }
}
