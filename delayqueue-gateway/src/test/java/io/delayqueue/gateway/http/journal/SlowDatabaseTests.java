package io.delayqueue.gateway.http.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.gateway.testsupport.Gateway;
import io.delayqueue.gateway.testsupport.Gateway.Reply;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A database that gives no connection, while many ask for stories. */
@ExtendWith(EmbeddedRedisExtension.class)
@Tag("slow")
class SlowDatabaseTests {

    private static final int STORIES = 400;

    @Test
    void storiesThatWaitHoldUpNoClaim(EmbeddedRedis redis) throws Exception {
        try (Gateway gateway = Gateway.start(
                redis,
                "spring.autoconfigure.exclude=" + String.join(",", Gateway.SECURITY),
                "spring.datasource.url=jdbc:h2:mem:slow",
                "server.tomcat.threads.max=20",
                "spring.datasource.hikari.maximum-pool-size=3",
                "spring.datasource.hikari.connection-timeout=60000")) {
            DataSource database = gateway.context().getBean(DataSource.class);
            List<CompletableFuture<Reply>> stories = new ArrayList<>();
            List<CompletableFuture<Reply>> changes = new ArrayList<>();
            List<Connection> taken = new ArrayList<>();
            try {
                for (int i = 0; i < 3; i++) {
                    taken.add(database.getConnection());
                }
                for (int i = 0; i < STORIES; i++) {
                    stories.add(gateway.sendAsync("GET", "/topics/orders/messages/o" + i + "/story", ""));
                }
                for (int i = 0; i < 100; i++) {
                    // they wait for the database, too
                    changes.add(gateway.sendAsync(
                            "POST",
                            "/topics/others/messages",
                            "{\"payload\": 1}",
                            "Idempotency-Key",
                            "\"k" + i + "\""));
                    changes.add(gateway.sendAsync("POST", "/topics/others/messages", "{\"payload\": 1}"));
                }
                int refused = 0;
                for (CompletableFuture<Reply> story : stories) {
                    // those that wait for the database are not yet answered
                    if (story.completeOnTimeout(null, 50, TimeUnit.MILLISECONDS).join() != null) {
                        refused++;
                    }
                }
                for (int i = 0; i < 20; i++) {
                    long begun = System.nanoTime();
                    gateway.client()
                            .schedule(OutgoingMessage.to("orders")
                                    .payload(new byte[] {'1'})
                                    .build());
                    Reply claimed = gateway.send("POST", "/topics/orders/claims", "{\"wait\": 30}");
                    assertThat(claimed.json().get("messages").size()).isEqualTo(1);
                    assertThat(gateway.send("GET", "/topics/orders").status()).isEqualTo(200);
                    assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(25));
                }
                assertThat(refused).as("stories beyond those that may wait").isGreaterThan(STORIES / 2);
            } finally {
                for (Connection connection : taken) {
                    connection.close();
                }
            }
            for (CompletableFuture<Reply> change : changes) {
                assertThat(change.get(60, TimeUnit.SECONDS).status()).isIn(201, 503);
            }
        }
    }

    @Test
    void eachStoryIsAnsweredInTime(EmbeddedRedis redis) throws Exception {
        try (Gateway gateway = Gateway.start(
                redis,
                "spring.autoconfigure.exclude=" + String.join(",", Gateway.SECURITY),
                "spring.datasource.url=jdbc:h2:mem:silent",
                "spring.datasource.hikari.maximum-pool-size=3",
                "spring.datasource.hikari.connection-timeout=120000")) {
            DataSource database = gateway.context().getBean(DataSource.class);
            List<Connection> taken = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                taken.add(database.getConnection());
            }
            List<CompletableFuture<Reply>> stories = new ArrayList<>();
            for (int i = 0; i < STORIES; i++) {
                stories.add(gateway.sendAsync("GET", "/topics/orders/messages/o" + i + "/story", ""));
            }
            for (CompletableFuture<Reply> story : stories) {
                Reply reply = story.get(60, TimeUnit.SECONDS);
                assertThat(reply.status()).as("%s", reply).isEqualTo(503);
                assertThat(reply.header("Retry-After")).isNotEmpty();
                assertThat(reply.json().get("type").stringValue())
                        .isIn("urn:delayqueue:problem:overloaded", "urn:delayqueue:problem:journal-unavailable");
            }
            for (Connection connection : taken) {
                connection.close();
            }
            // and the next one works
            assertThat(gateway.send("GET", "/topics/orders/messages/none/story").status())
                    .isEqualTo(404);
        }
    }
}
