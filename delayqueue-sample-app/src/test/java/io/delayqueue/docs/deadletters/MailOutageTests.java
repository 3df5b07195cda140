package io.delayqueue.docs.deadletters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.docs.deadletters.MailOutageTests.Application.MailServer;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;

@ExtendWith(EmbeddedRedisExtension.class)
class MailOutageTests {

    @Test
    void deadLettersOfAnOutageAreDeliveredAfterIt(EmbeddedRedis redis) {
        try (ConfigurableApplicationContext application = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .run("--spring.data.redis.url=" + redis.uri(), "--delayqueue.command-timeout=20s")) {
            DelayQueueClient client = application.getBean(DelayQueueClient.class);
            MailServer mailServer = application.getBean(MailServer.class);
            MailOutage outage = application.getBean(MailOutage.class);

            application.getBean(DelayQueueOperations.class).schedule("reminder", "Call Ann", Duration.ZERO);
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> client.stats("reminder").dead() == 1);

            outage.begin();
            assertThat(client.stats("reminder").paused()).isTrue();
            mailServer.down = false;

            assertThat(outage.end()).isEqualTo(1);
            await().atMost(Duration.ofSeconds(20)).until(() -> mailServer.sent.contains("Call Ann"));
        }
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import({MailOutage.class, MailServer.class})
    static class Application {

        static class MailServer {

            private final List<String> sent = new CopyOnWriteArrayList<>();
            private volatile boolean down = true;

            @DelayQueueListener(topic = "reminder", maxAttempts = "1")
            void remind(String text) {
                if (down) {
                    throw new IllegalStateException("the mail server is down");
                }
                sent.add(text);
            }
        }
    }
}
