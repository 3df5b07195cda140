package io.delayqueue.gateway.http.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.gateway.testsupport.Gateway;
import io.delayqueue.gateway.testsupport.Gateway.Reply;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.test.EmbeddedRedis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Changes that the journal has recorded, while Redis or a row of its database is not to be had. */
@Tag("slow")
class RecordedChangesTests {

    private static Gateway gateway(EmbeddedRedis redis, String... more) {
        List<String> properties = new ArrayList<>(List.of(
                "spring.autoconfigure.exclude=" + String.join(",", Gateway.SECURITY),
                "delayqueue.journal.restore.mode=report"));
        properties.addAll(List.of(more));
        return Gateway.start(redis, properties.toArray(String[]::new));
    }

    private static void schedule(Gateway gateway, String id) throws Exception {
        assertThat(gateway.send(
                                "POST",
                                "/topics/orders/messages",
                                "{\"id\": \"" + id + "\", \"delay\": 600, \"payload\": 1}")
                        .status())
                .isEqualTo(201);
        await().atMost(Duration.ofSeconds(30))
                .until(() -> gateway.client().find("orders", id).isPresent());
    }

    @Test
    void changesAreAnsweredOnceTheDatabaseHasThemThoughRedisIsSilent() throws Exception {
        try (EmbeddedRedis redis = EmbeddedRedis.start();
                Gateway gateway = gateway(
                        redis, "spring.datasource.url=jdbc:h2:mem:recorded", "delayqueue.command-timeout=60s")) {
            for (String id : List.of("a", "b", "c", "d")) {
                schedule(gateway, id);
            }
            redis.pause();
            List<CompletableFuture<Reply>> later = new ArrayList<>();
            CompletableFuture<Reply> scheduled;
            try {
                // these wait for Redis, and are answered after 20 s
                later.add(gateway.sendAsync("POST", "/topics/orders/restore", ""));
                later.add(gateway.sendAsync("POST", "/topics/orders/messages/a/restore", ""));
                for (String one : List.of("/a", "?id=b")) {
                    later.add(gateway.sendAsync("DELETE", "/topics/orders/messages" + one, ""));
                }
                for (String one : List.of("/c", "?id=d")) {
                    later.add(gateway.sendAsync("PATCH", "/topics/orders/messages" + one, "{\"delay\": 900}"));
                }
                scheduled = gateway.sendAsync("POST", "/topics/orders/messages", "{\"id\": \"e\", \"payload\": 1}");
                for (CompletableFuture<Reply> change : later) {
                    Reply reply = change.get(60, TimeUnit.SECONDS);
                    assertThat(reply.status()).as("%s", reply).isEqualTo(202);
                }
                Reply reply = scheduled.get(60, TimeUnit.SECONDS);
                assertThat(reply.status()).as("%s", reply).isEqualTo(201);
            } finally {
                redis.resume();
            }
            await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
                assertThat(gateway.client().find("orders", "a")).isEmpty();
                assertThat(gateway.client().find("orders", "e")).isPresent();
            });
        }
    }

    /** An application's transaction holds a row for long, and a client repeats its request. */
    @Test
    void changesOfOneMessageThatWaitLeaveThreadsToOthers() throws Exception {
        try (EmbeddedRedis redis = EmbeddedRedis.start();
                Gateway gateway = gateway(
                        redis,
                        "spring.datasource.url=jdbc:h2:mem:held;LOCK_TIMEOUT=60000",
                        "spring.datasource.hikari.maximum-pool-size=30")) {
            schedule(gateway, "held");
            List<CompletableFuture<Reply>> repeated = new ArrayList<>();
            CountDownLatch held = new CountDownLatch(1);
            CountDownLatch end = new CountDownLatch(1);
            CompletableFuture<Void> application = CompletableFuture.runAsync(() -> hold(gateway, held, end));
            try {
                assertThat(held.await(40, TimeUnit.SECONDS)).isTrue();
                for (int i = 0; i < 20; i++) {
                    repeated.add(gateway.sendAsync("DELETE", "/topics/orders/messages/held", ""));
                }
                await().atMost(Duration.ofSeconds(40))
                        .until(() -> repeated.stream()
                                        .filter(CompletableFuture::isDone)
                                        .count()
                                >= 15);
                for (CompletableFuture<Reply> request : repeated) {
                    if (request.isDone()) {
                        assertThat(request.join().status())
                                .as("%s", request.join())
                                .isEqualTo(503);
                    }
                }
                Reply other = gateway.send("POST", "/topics/orders/messages", "{\"delay\": 60, \"payload\": 1}");
                assertThat(other.status()).as("%s", other).isEqualTo(201);
            } finally {
                end.countDown();
            }
            application.get(60, TimeUnit.SECONDS);
            for (CompletableFuture<Reply> request : repeated) {
                assertThat(request.get(60, TimeUnit.SECONDS).status()).isIn(204, 404, 503, 202);
            }
        }
    }

    private static void hold(Gateway gateway, CountDownLatch held, CountDownLatch end) {
        DelayQueueOperations queue = gateway.context().getBean(DelayQueueOperations.class);
        new TransactionTemplate(gateway.context().getBean(PlatformTransactionManager.class))
                .executeWithoutResult(transaction -> {
                    queue.cancel("orders", "held");
                    held.countDown();
                    try {
                        end.await();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                    transaction.setRollbackOnly();
                });
    }
}
