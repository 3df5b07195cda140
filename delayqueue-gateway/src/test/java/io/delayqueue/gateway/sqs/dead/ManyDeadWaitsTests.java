package io.delayqueue.gateway.sqs.dead;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.gateway.testsupport.OpenSqs;
import io.delayqueue.gateway.testsupport.OpenSqs.Reply;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Many clients that wait for dead letters are bounded, and keep nobody from the other queues. */
@ExtendWith(EmbeddedRedisExtension.class)
@Tag("slow")
class ManyDeadWaitsTests {

    @Test
    void waitsBeyondTheLimitAreRefused(EmbeddedRedis redis) throws Exception {
        try (OpenSqs sqs = OpenSqs.start(redis)) {
            sqs.create("orders");
            sqs.create("orders-dead");
            List<CompletableFuture<Reply>> waiting = new ArrayList<>();
            for (int i = 0; i < 250; i++) {
                waiting.add(receive(sqs));
            }
            assertThat(sqs.send("orders", "x").status()).isEqualTo(200);
            assertThat(sqs.receive("orders", 20).json().path("Messages").size()).isEqualTo(1);

            List<Reply> replies = waiting.stream().map(CompletableFuture::join).toList();
            assertThat(replies.stream().filter(reply -> reply.status() == 200)).hasSizeGreaterThanOrEqualTo(200);
            assertThat(replies.stream().filter(reply -> reply.error().equals("RequestThrottled")))
                    .isNotEmpty();
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> sqs.receive("orders-dead", 0).status() == 200);
        }
    }

    /** Again while too many read the queue's settings at once: so all wait at the same time. */
    private static CompletableFuture<Reply> receive(OpenSqs sqs) {
        return sqs.jsonAsync("ReceiveMessage", OpenSqs.receiveBody("orders-dead", 15, 30))
                .thenCompose(reply -> reply.error().equals("ServiceUnavailable")
                        ? receive(sqs)
                        : CompletableFuture.completedFuture(reply));
    }
}
