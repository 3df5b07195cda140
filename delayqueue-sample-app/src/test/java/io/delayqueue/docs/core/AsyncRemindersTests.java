package io.delayqueue.docs.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.Subscription;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import io.lettuce.core.RedisClient;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(EmbeddedRedisExtension.class)
class AsyncRemindersTests {

    private final List<String> posted = new CopyOnWriteArrayList<>();

    @Test
    void exampleWithStagesPostsAgainWhatTheServiceRefusedAtFirst(EmbeddedRedis redis) throws Exception {
        HttpServer service = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        service.createContext("/", exchange -> {
            posted.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            exchange.sendResponseHeaders(posted.size() == 1 ? 503 : 200, -1);
            exchange.close();
        });
        service.start();
        DelayQueueOptions patient = DelayQueueOptions.builder()
                .commandTimeout(Duration.ofSeconds(20))
                .build();
        RedisClient client = RedisClient.create(redis.uri());
        try (DelayQueueClient delayQueue = DelayQueueClient.create(client, patient);
                Subscription subscription = new AsyncReminders()
                        .start(
                                delayQueue,
                                URI.create("http://127.0.0.1:"
                                        + service.getAddress().getPort() + "/"))) {
            delayQueue.schedule(OutgoingMessage.to(subscription.topic())
                    .payload("Call Ann".getBytes(StandardCharsets.UTF_8))
                    .build());

            await().atMost(Duration.ofSeconds(30))
                    .until(() -> delayQueue.stats("reminder").totals().acked() == 1);
            assertThat(posted).containsExactly("Call Ann", "Call Ann");
        } finally {
            client.shutdown();
            service.stop(0);
        }
    }
}
