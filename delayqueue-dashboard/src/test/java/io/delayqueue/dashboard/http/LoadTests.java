package io.delayqueue.dashboard.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.Delay;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.dashboard.testsupport.Dashboard;
import io.delayqueue.dashboard.testsupport.Dashboard.Reply;
import io.delayqueue.dashboard.testsupport.Messages;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;
import tools.jackson.databind.JsonNode;

/** Many viewers, topics and messages, and a Redis that is away. */
@Tag("slow")
@ExtendWith(EmbeddedRedisExtension.class)
class LoadTests {

    private static final String API = "/delayqueue/api";

    /** Commands whose cost grows with all that Redis or one key has, but for SMEMBERS: it reads the names of topics. */
    private static final String[] SCANS = Stream.of(
                    "keys", "scan", "hscan", "zscan", "sscan", "hgetall", "hkeys", "hvals", "lrem", "lpos", "lrange",
                    "sort")
            .map(command -> "cmdstat_" + command)
            .toArray(String[]::new);

    private static Dashboard dashboard;

    @BeforeAll
    static void start(EmbeddedRedis redis) {
        dashboard = Dashboard.start(redis, "delayqueue.dashboard.read-timeout=30s", "delayqueue.command-timeout=20s");
    }

    @AfterAll
    static void close() {
        dashboard.close();
    }

    private static void schedule(List<OutgoingMessage> messages) {
        for (int i = 0; i < messages.size(); i += 500) {
            dashboard.client().scheduleAll(messages.subList(i, Math.min(i + 500, messages.size())));
        }
    }

    private static OutgoingMessage message(String topic, int i) {
        return OutgoingMessage.to(topic)
                .id("m" + i)
                .payload(new byte[] {'1'})
                .delay(Delay.of(Duration.ofHours(1).plusMillis(i)))
                .build();
    }

    private static long scripts() {
        String evalsha = info("commandstats").getProperty("cmdstat_evalsha", "calls=0,");
        return Long.parseLong(evalsha.substring("calls=".length(), evalsha.indexOf(',')));
    }

    private static void resetStatistics() {
        dashboard.context().getBean(StringRedisTemplate.class).execute((RedisCallback<Void>) connection -> {
            connection.serverCommands().resetConfigStats();
            return null;
        });
    }

    private static Properties info(String section) {
        return dashboard.context().getBean(StringRedisTemplate.class).execute((RedisCallback<Properties>)
                connection -> connection.serverCommands().info(section));
    }

    @Test
    void fiftyViewersCostNoMoreThanOne() throws Exception {
        String topic = Messages.uniqueTopic();
        schedule(List.of(message(topic, 1), message(topic, 2)));
        String view = API + "/topic?parts=stats,load,pending,dead&topic=" + topic;
        dashboard.get(API + "/topic?topic=" + topic);
        long before = scripts();
        long begin = System.nanoTime();

        for (int round = 0; round < 4; round++) {
            List<CompletableFuture<Integer>> answers = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                answers.add(dashboard
                        .http()
                        .sendAsync(dashboard.request(view).build(), BodyHandlers.discarding())
                        .thenApply(response -> response.statusCode()));
            }
            answers.forEach(answer -> assertThat(answer.join()).isEqualTo(200));
        }

        // each part once a second, by a few scripts; 200 viewers of their own would take 1,000
        long seconds = Duration.ofNanos(System.nanoTime() - begin).toSeconds() + 1;
        assertThat(scripts() - before).isLessThan(20 * (seconds + 1)).isLessThan(600);
    }

    @Test
    void thousandTopicsAreShownByPages() throws Exception {
        String prefix = Messages.uniqueTopic();
        List<OutgoingMessage> messages = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            messages.add(message(prefix + i, i));
        }
        schedule(messages);
        // other tests share the server
        resetStatistics();
        await().atMost(Duration.ofSeconds(60))
                .until(() -> overview(prefix, 0).path("matching").asInt() == 1_000);

        Reply page = dashboard.get(API + "/overview?limit=50&offset=950&sort=name&q=" + prefix);

        assertThat(page.json().path("topics").size()).isEqualTo(50);
        assertThat(page.json().path("sum").path("scheduled").asLong()).isGreaterThanOrEqualTo(1_000);
        assertThat(page.response().body().length).isLessThan(200_000);
        // some milliseconds on a quiet machine
        long begin = System.nanoTime();
        overview(prefix, 100);
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(5));
        begin = System.nanoTime();
        JsonNode search = dashboard.get(API + "/search?id=m500").json();
        assertThat(search.path("found").findValuesAsString("topic")).contains(prefix + 500);
        assertThat(search.path("missingTotal").asInt()).isZero();
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(20));
        assertThat(dashboard.get(API + "/topic?topic=" + prefix + 1).status()).isEqualTo(200);
        assertThat(info("commandstats").stringPropertyNames())
                .contains("cmdstat_evalsha")
                .doesNotContain(SCANS);
    }

    private static JsonNode overview(String prefix, int offset) throws Exception {
        return dashboard
                .get(API + "/overview?q=" + prefix + "&offset=" + offset)
                .json();
    }

    @Test
    void viewOfHundredThousandMessagesCostsNoMoreThanOfThousand() throws Exception {
        String small = topicOf(1_000);
        String large = topicOf(100_000);
        List<Cost> smallCosts = new ArrayList<>();
        List<Cost> largeCosts = new ArrayList<>();

        for (int i = 0; i < 20; i++) {
            // in turn, so that other load on the machine slows both; another page each time, which nobody shares
            smallCosts.add(view(small, 1_000, i));
            largeCosts.add(view(large, 100_000, i));
        }

        assertThat(median(largeCosts, Cost::commands))
                .as("commands of %s and %s", largeCosts, smallCosts)
                .isLessThan(median(smallCosts, Cost::commands) * 6 / 5);
        assertThat(median(largeCosts, Cost::bytes))
                .as("bytes of %s and %s", largeCosts, smallCosts)
                .isLessThan(median(smallCosts, Cost::bytes) * 6 / 5);
        assertThat(median(largeCosts, Cost::millis))
                .as("milliseconds of %s and %s", largeCosts, smallCosts)
                .isLessThan(2 * median(smallCosts, Cost::millis) + 100);
        // a noisy machine is quiet for one of them
        assertThat(largeCosts.stream().mapToLong(Cost::millis).min().orElseThrow())
                .as("milliseconds of %s", largeCosts)
                .isLessThan(300);
    }

    private record Cost(long commands, long bytes, long millis) {}

    private static String topicOf(int size) throws Exception {
        String topic = Messages.uniqueTopic();
        List<OutgoingMessage> messages = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            messages.add(message(topic, i));
        }
        schedule(messages);
        dashboard.get(API + "/topic?topic=" + topic);
        return topic;
    }

    private static Cost view(String topic, int size, int i) throws Exception {
        long commands = commands();
        long bytes = bytesSent();
        long begin = System.nanoTime();
        JsonNode view = dashboard
                .get(API + "/topic?topic=" + topic + "&pendingLimit=" + (100 + i) + "&buckets=" + (60 + i))
                .json();
        long millis = Duration.ofNanos(System.nanoTime() - begin).toMillis();
        Cost cost = new Cost(commands() - commands, bytesSent() - bytes, millis);
        assertThat(view.path("failed").size())
                .as(view.path("failed").toString())
                .isZero();
        assertThat(view.path("stats").path("scheduled").asInt()).isEqualTo(size);
        assertThat(view.path("pending").path("messages").size()).isEqualTo(100 + i);
        return cost;
    }

    private static long median(List<Cost> costs, ToLongFunction<Cost> part) {
        return costs.stream()
                .mapToLong(part)
                .sorted()
                .skip(costs.size() / 2)
                .findFirst()
                .orElseThrow();
    }

    /** Commands that Redis carried out, those of scripts among them. */
    private static long commands() {
        return info("commandstats").values().stream()
                .map(String::valueOf)
                .mapToLong(stats -> Long.parseLong(stats.substring("calls=".length(), stats.indexOf(','))))
                .sum();
    }

    private static long bytesSent() {
        return Long.parseLong(info("stats").getProperty("total_net_output_bytes"));
    }

    @Test
    void readThatOutlastsTheContainersPatienceIsAProblem() throws Exception {
        try (EmbeddedRedis redis = EmbeddedRedis.start();
                Dashboard impatient = Dashboard.start(
                        redis, "spring.mvc.async.request-timeout=200ms", "delayqueue.command-timeout=5s")) {
            redis.pause();

            Reply away = impatient.get(API + "/overview");

            assertThat(away.problem()).isEqualTo("redis-unavailable");
            assertThat(away.status()).isEqualTo(503);
        }
    }

    @Test
    void redisThatIsDownIsAProblemAndComesBack() throws Exception {
        try (EmbeddedRedis redis = EmbeddedRedis.start();
                Dashboard alone = Dashboard.start(redis, "delayqueue.command-timeout=2s")) {
            // to connect may take longer than a command
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> alone.get(API + "/overview").status() == 200);
            redis.pause();

            List<CompletableFuture<Integer>> viewers = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                viewers.add(alone.http()
                        .sendAsync(alone.request(API + "/topic?topic=t" + i).build(), BodyHandlers.discarding())
                        .thenApply(response -> response.statusCode()));
            }
            await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
                Reply away = alone.get(API + "/overview");
                assertThat(away.status()).isEqualTo(503);
                assertThat(away.problem()).isEqualTo("redis-unavailable");
                assertThat(away.header("Content-Security-Policy")).isNotEmpty();
                assertThat(away.header("Retry-After")).isEqualTo("2");
            });
            assertThat(alone.get("/delayqueue").status()).isEqualTo(200);
            viewers.forEach(viewer -> assertThat(viewer.join()).isEqualTo(503));

            redis.resume();
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> alone.get(API + "/overview").status() == 200);
        }
    }
}
