package io.delayqueue.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.TopicStats;
import io.delayqueue.gateway.claim.PullConsumers;
import io.delayqueue.gateway.testsupport.Gateway;
import io.delayqueue.gateway.testsupport.Gateway.Reply;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.JsonNode;

/** Answers that find no thread in time, since the application's own requests hold all. */
@ExtendWith(EmbeddedRedisExtension.class)
class LateAnswersTests {

    private static final int THREADS = 3;
    private static final Duration WAIT = Duration.ofSeconds(40);

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        SlowRequests slowRequests() {
            return new SlowRequests();
        }
    }

    @RestController
    static class SlowRequests {

        private final CountDownLatch begun = new CountDownLatch(THREADS);
        private final CountDownLatch end = new CountDownLatch(1);

        @GetMapping("/slow")
        String slow() throws InterruptedException {
            begun.countDown();
            end.await();
            return "done";
        }
    }

    @Test
    void messagesWhoseAnswerFindsNoThreadAreReleasedWithNoAttemptCounted(EmbeddedRedis redis) throws Exception {
        try (Gateway gateway = Gateway.start(
                Application.class,
                redis,
                // messages are released after half of it, and have the rest for pauses of the process
                "delayqueue.gateway.claims.delivery-lease=8s",
                "server.tomcat.threads.max=" + THREADS,
                "server.tomcat.threads.min-spare=" + THREADS)) {
            SlowRequests requests = gateway.context().getBean(SlowRequests.class);
            PullConsumers consumers = gateway.context().getBean(PullConsumers.class);
            CompletableFuture<Reply> claim =
                    gateway.sendAsync("POST", "/topics/orders/claims", "{\"wait\": 50, \"lease\": 600}");
            await().atMost(WAIT).until(() -> consumers.callsUnderWay("orders") == 1);
            try {
                for (int i = 0; i < THREADS; i++) {
                    slow(gateway);
                }
                assertThat(requests.begun.await(40, TimeUnit.SECONDS)).isTrue();
                gateway.client()
                        .schedule(OutgoingMessage.to("orders")
                                .payload(new byte[] {'1'})
                                .build());
                await().atMost(WAIT).until(() -> consumers.callsUnderWay("orders") == 0);
                await().atMost(WAIT)
                        .until(() -> gateway.client().stats("orders").pending().ready() == 1);
            } finally {
                requests.end.countDown();
            }

            Reply late = claim.get(40, TimeUnit.SECONDS);
            assertThat(late.status()).isEqualTo(200);
            assertThat(late.json().get("messages")).as("others may have them").isEmpty();
            JsonNode claimed = gateway.send("POST", "/topics/orders/claims", "{\"wait\": 30}")
                    .json()
                    .get("messages");
            assertThat(claimed).hasSize(1);
            assertThat(claimed.get(0).get("attempt").intValue()).isEqualTo(1);
            assertThat(gateway.send(
                                    "DELETE",
                                    "/claims/" + claimed.get(0).get("receipt").stringValue())
                            .status())
                    .isEqualTo(204);
            TopicStats stats = gateway.client().stats("orders");
            assertThat(stats.totals().acked()).isEqualTo(1);
            assertThat(stats.unaccounted()).isZero();
        }
    }

    private static void slow(Gateway gateway) {
        gateway.http()
                .sendAsync(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + gateway.port() + "/slow"))
                                .build(),
                        HttpResponse.BodyHandlers.discarding());
    }
}
