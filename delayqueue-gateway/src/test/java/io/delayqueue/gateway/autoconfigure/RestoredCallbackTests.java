package io.delayqueue.gateway.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.delayqueue.Delay;
import io.delayqueue.MessageState;
import io.delayqueue.gateway.testsupport.Gateway;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.data.redis.core.StringRedisTemplate;

/** Callbacks of an application with a journal. */
@Tag("slow")
@ExtendWith(EmbeddedRedisExtension.class)
class RestoredCallbackTests {

    private static final Duration LONG = Duration.ofSeconds(30);

    /** The first attempt fails; then Redis loses the message, and the journal restores it. */
    @Test
    void aRestoredMessageHasAnotherWebhookId(EmbeddedRedis redis) throws Exception {
        List<String> ids = new CopyOnWriteArrayList<>();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getByName("localhost"), 0), 0);
        server.createContext("/", exchange -> {
            ids.add(exchange.getRequestHeaders().getFirst("webhook-id"));
            exchange.sendResponseHeaders(500, -1);
            exchange.close();
        });
        server.start();
        int port = server.getAddress().getPort();
        try (Gateway gateway = Gateway.start(
                redis,
                "spring.autoconfigure.exclude=" + String.join(",", Gateway.SECURITY),
                "spring.datasource.url=jdbc:h2:mem:callbacks",
                "delayqueue.journal.restore.mode=report",
                "delayqueue.gateway.callbacks.allow-http=true",
                "delayqueue.gateway.callbacks.ports=" + port,
                "delayqueue.gateway.callbacks.allowed-ranges=127.0.0.1,::1",
                "delayqueue.callbacks.hooks.url=http://localhost:" + port + "/",
                "delayqueue.callbacks.hooks.backoff.delays=1h",
                "delayqueue.callbacks.hooks.secrets=whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")) {
            assertThat(gateway.send("POST", "/topics/hooks/messages", "{\"id\": \"o1\", \"payload\": 1}")
                            .status())
                    .isEqualTo(201);
            await().atMost(LONG)
                    .until(() -> ids.size() == 1
                            && gateway.client().stats("hooks").totals().retried() == 1);
            StringRedisTemplate template = gateway.data();
            Set<String> keys = template.keys("dq:{hooks*");
            assertThat(keys).isNotEmpty();
            template.delete(keys);
            assertThat(gateway.client().find("hooks", "o1")).isEmpty();

            assertThat(gateway.send("POST", "/topics/hooks/messages/o1/restore")
                            .json()
                            .get("restored")
                            .longValue())
                    .isEqualTo(1);
            await().atMost(LONG)
                    .until(() -> gateway.client()
                            .find("hooks", "o1")
                            .filter(found -> found.state() != MessageState.DEAD)
                            .isPresent());
            gateway.client().reschedule("hooks", "o1", Delay.of(Duration.ZERO));
            await().atMost(LONG).until(() -> ids.size() == 2);
            assertThat(ids).doesNotHaveDuplicates();
        } finally {
            server.stop(0);
        }
    }
}
