package io.delayqueue.dashboard.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.Subscription;
import io.delayqueue.dashboard.testsupport.Dashboard;
import io.delayqueue.dashboard.testsupport.Messages;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import io.lettuce.core.RedisClient;
import java.io.BufferedReader;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.JsonNode;

/** The dashboard names a process that was killed while it handled a message, until another one takes over. */
@ExtendWith(EmbeddedRedisExtension.class)
@Tag("slow")
class KilledInstanceTests {

    private static final String API = "/delayqueue/api";
    private static final Duration LEASE = Duration.ofSeconds(2);

    /** The lease ends, ten seconds pass, and a sample each five seconds sees it: 17 s. The rest is for a busy machine. */
    private static final Duration TOLD_WITHIN = Duration.ofSeconds(60);

    private final String topic = Messages.uniqueTopic();

    @Test
    void killedProcessIsNamedUntilAnotherTakesOver(EmbeddedRedis redis) throws Exception {
        try (Dashboard dashboard = Dashboard.start(redis)) {
            dashboard
                    .client()
                    .schedule(OutgoingMessage.to(topic)
                            .id("held")
                            .payload(new byte[1])
                            .build());
            Process killed = consumer(redis);
            String instance = ":" + killed.pid();
            try (BufferedReader output = killed.inputReader()) {
                assertThat(output.readLine()).isEqualTo("handling held");
                assertThat(attention(dashboard)).isEmpty();
            } finally {
                killed.destroyForcibly();
            }
            assertThat(killed.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(killed.exitValue()).as("SIGKILL").isEqualTo(128 + 9);

            JsonNode stopped = await().atMost(TOLD_WITHIN)
                    .until(() -> attention(dashboard), found -> !found.isEmpty())
                    .get(0);
            assertThat(stopped.path("kind").asString()).isEqualTo("leasesExpired");
            assertThat(stopped.path("instance").asString()).endsWith(instance);
            assertThat(stopped.path("count").asInt()).isEqualTo(1);

            try (Subscription another = Messages.consuming(dashboard.client(), topic, (message, delivery) -> {})) {
                await().atMost(TOLD_WITHIN).until(() -> attention(dashboard).isEmpty());
                await().atMost(TOLD_WITHIN)
                        .until(() -> dashboard.client().stats(topic).totals().acked() == 1);
            }
        }
    }

    private List<JsonNode> attention(Dashboard dashboard) throws Exception {
        return dashboard
                .get(API + "/overview?q=" + topic)
                .json()
                .path("attention")
                .valueStream()
                .filter(item -> item.path("topic").asString().equals(topic))
                .toList();
    }

    private Process consumer(EmbeddedRedis redis) throws Exception {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-Xmx128m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Consumer.class.getName(),
                        redis.uri(),
                        topic)
                .redirectError(Redirect.INHERIT)
                .start();
    }

    /** A program whose handler never ends. */
    static final class Consumer {

        private Consumer() {}

        public static void main(String[] arguments) throws InterruptedException {
            CountDownLatch never = new CountDownLatch(1);
            DelayQueueClient.create(RedisClient.create(arguments[0]), DelayQueueOptions.defaults())
                    .subscribe(
                            arguments[1], ConsumerOptions.builder().lease(LEASE).build(), (message, delivery) -> {
                                System.out.println("handling " + message.id());
                                never.await();
                            })
                    .start();
            never.await();
        }
    }
}
