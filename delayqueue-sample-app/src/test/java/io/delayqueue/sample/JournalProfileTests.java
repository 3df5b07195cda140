package io.delayqueue.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.jayway.jsonpath.JsonPath;
import io.delayqueue.spring.DelayQueueOperations;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

/** The sample with the profile {@code journal}. */
@Tag("slow")
class JournalProfileTests {

    private static final Duration WAIT = Duration.ofSeconds(60);

    private static final Pattern RESTORED = Pattern.compile("\"restored\":[1-9]");
    private static final Pattern RUN_IS_DONE = Pattern.compile("\"requested\":\\{[^{}]*\"state\":\"DONE\"");
    private static final Pattern BODY = Pattern.compile("-d '([^']*)'");
    private static final Pattern HEADER = Pattern.compile("-H '([^:']+): ([^']+)'");
    private static final Pattern PATH = Pattern.compile("http://localhost:8080([^\\s']*)");
    private static final Pattern ID = Pattern.compile("\"id\":\"([^\"]+)\"");

    @TempDir
    Path directory;

    /** With its four orders, as a reader of the README starts it. */
    @Test
    void theSampleMayBeStartedAgainAndBringsOpenOrdersBack() throws Exception {
        String url = "--spring.datasource.url=jdbc:h2:file:" + directory.resolve("shop");
        String open;
        try (Shop shop = Shop.open(url, "--sample.demo=true")) {
            shop.assertOrdersAndTimeoutsShareATransaction();
            open = shop.place();
            shop.awaitTimeout(open);
        }
        // the file is there at the next start, and Redis is empty; operators may be kept from changes
        try (Shop shop =
                Shop.open(url, "--sample.demo=true", "--management.endpoint.delayqueuejournal.access=read-only")) {
            shop.awaitTimeout(open);
            assertThat(shop.get("/orders").body()).contains(open, "dave@gone.example");
            assertThat(shop.get("/actuator/delayqueuejournal").statusCode()).isEqualTo(200);
            assertThat(shop.unblock("order-timeout", "none").statusCode()).isIn(404, 405);
        }
    }

    @Test
    void ordersComeBackWhenRedisIsWipedAndEachHasAStory() throws Exception {
        try (Shop shop = Shop.open("--spring.datasource.url=jdbc:h2:mem:wiped", "--sample.demo=false")) {
            String open = shop.place();
            String paid = shop.place();
            shop.awaitTimeout(open);
            assertThat(shop.post("/orders/" + paid + "/pay", "").body()).contains("AFTER_COMMIT");
            await().atMost(WAIT).until(() -> shop.story(paid).contains("\"CANCELLED\""));
            // Redis has a message before the journal has recorded that
            await().atMost(WAIT).until(() -> shop.story(open).contains("\"status\":\"SCHEDULED\""));

            assertThat(shop.post("/journal/wipe-redis", "").statusCode()).isEqualTo(204);

            await().atMost(WAIT).until(() -> RESTORED.matcher(shop.status()).find());
            shop.awaitTimeout(open);
            assertThat(shop.queue().find("order-timeout", paid)).isEmpty();
            await().atMost(WAIT)
                    .untilAsserted(() ->
                            assertThat(shop.story(open)).contains("\"status\":\"SCHEDULED\"", "\"to\":\"OUTBOX\""));
            String restore = "/actuator/delayqueuejournal/restore";
            // a restore of all topics is not what was meant
            assertThat(shop.post(restore, "{\"topci\": \"order-timeout\"}")).satisfies(answer -> {
                assertThat(answer.statusCode()).isEqualTo(400);
                assertThat(answer.body()).contains("topci");
            });
            assertThat(shop.post(restore, "{\"topic\": \"order-timeuot\"}").statusCode())
                    .isEqualTo(400);
            assertThat(shop.get("/actuator/delayqueuejournal?topci=order-timeout")
                            .statusCode())
                    .isEqualTo(400);
            assertThat(shop.post(restore, "{}").body()).contains("\"accepted\":true", "\"dryRun\":true");
        }
    }

    /** The requests as the README prints them, in their order. */
    @Test
    void theOrderOfTheReadmeThatRollsBackLeavesNothing() throws Exception {
        try (Shop shop = Shop.open("--spring.datasource.url=jdbc:h2:mem:rolledBack", "--sample.demo=false")) {
            List<String> lines = linesOfReadme("rollBack=true");
            assertThat(lines).hasSize(4);
            String rolledBack = Shop.id(shop.send(lines.get(0)));
            String committed = Shop.id(shop.send(lines.get(1)));
            assertThat(shop.send(lines.get(2)).body()).contains(committed).doesNotContain(rolledBack);
            await().atMost(WAIT)
                    .untilAsserted(() ->
                            assertThat(shop.send(lines.get(3)).body()).contains("\"scheduled\":1", "\"accepted\":1"));
        }
    }

    /** The requests as the README prints them, with its 30 seconds to pay. Where it says to sleep, the timeout comes back. */
    @Test
    @Tag("slow")
    void theWipedOrderOfTheReadmeIsClosed() throws Exception {
        try (Shop shop = Shop.open(
                "--spring.datasource.url=jdbc:h2:mem:closed", "--sample.demo=false", "--sample.payment-timeout=30s")) {
            List<String> lines = linesOfReadme("/journal/wipe-redis");
            assertThat(lines).hasSize(6);
            String order = Shop.id(shop.send(lines.get(0)));
            shop.awaitTimeout(order);
            // Redis has a message before the journal has recorded that
            await().atMost(WAIT).until(() -> shop.story(order).contains("\"status\":\"SCHEDULED\""));
            assertThat(shop.send(lines.get(1)).statusCode()).isEqualTo(204);
            assertThat(shop.send(lines.get(2)).body()).contains("\"scheduled\":0");

            assertThat(lines.get(3)).isEqualTo("sleep 10");
            shop.awaitTimeout(order);
            assertThat(shop.send(lines.get(4)).statusCode()).isEqualTo(200);
            await().atMost(WAIT)
                    .untilAsserted(
                            () -> assertThat(shop.send(lines.get(5)).body()).containsPattern(RESTORED));
            await().atMost(WAIT).until(() -> shop.get("/orders/" + order).body().contains("\"state\":\"CLOSED\""));
            await().atMost(WAIT)
                    .untilAsserted(
                            () -> assertThat(shop.send(lines.get(4)).body()).contains("\"acked\":1"));
        }
    }

    /** The requests as the README prints them, in their order. Where it says to sleep, the run that was asked for ends. */
    @Test
    @Tag("slow")
    void theRequestsOfTheReadmeRestoreByHand() throws Exception {
        try (Shop shop = Shop.open(
                "--spring.datasource.url=jdbc:h2:mem:byHand",
                "--sample.demo=false",
                "--delayqueue.journal.restore.mode=report")) {
            String open = shop.place();
            shop.awaitTimeout(open);
            await().atMost(WAIT).until(() -> shop.story(open).contains("\"status\":\"SCHEDULED\""));
            assertThat(shop.post("/journal/wipe-redis", "").statusCode()).isEqualTo(204);
            await().atMost(WAIT).until(() -> shop.get("/actuator/health").body().contains("\"losses\":1"));
            assertThat(shop.queue().find("order-timeout", open)).isEmpty();

            List<String> answers = new ArrayList<>();
            for (String line : linesOfReadme("/delayqueuejournal/restore")) {
                if (line.startsWith("sleep ")) {
                    await().atMost(WAIT)
                            .until(() -> RUN_IS_DONE.matcher(shop.status()).find());
                } else {
                    HttpResponse<String> answer = shop.send(line);
                    assertThat(answer.statusCode()).as(line).isEqualTo(200);
                    answers.add(answer.body());
                }
            }

            assertThat(answers).hasSize(4);
            assertThat(answers.get(0)).contains("\"accepted\":true", "\"dryRun\":true");
            assertThat(answers.get(1)).contains("\"ONLY_IN_JOURNAL\":1").contains("\"losses\":[{");
            assertThat(answers.get(2)).contains("\"accepted\":true", "\"dryRun\":false");
            assertThat(answers.get(3)).contains("\"restored\":1").contains("\"losses\":[]");
            shop.awaitTimeout(open);
        }
    }

    /** The requests as the README prints them, and what it says of Bob's and Cleo's orders and of dead letters. */
    @Test
    void theStoriesOfTheReadmeAreTold() throws Exception {
        try (Shop shop = Shop.open("--spring.datasource.url=jdbc:h2:mem:stories", "--sample.demo=true")) {
            List<String> lines = linesOfReadme("/delayqueuejournal/order-timeout/bob");
            assertThat(lines).hasSize(3);

            // unpaid, so closed by its timeout at the first attempt
            await().atMost(WAIT).untilAsserted(() -> {
                List<Map<String, Object>> events = events(shop.send(lines.get(0)));
                assertThat(events).extracting(event -> event.get("to")).endsWith("ACKED");
                assertThat(events).noneMatch(event -> event.containsKey("error"));
                assertThat(events.get(events.size() - 1))
                        .containsEntry("attempt", 1)
                        .containsKeys("time", "instance");
            });
            assertThat(shop.get("/orders/bob").body()).contains("\"state\":\"CLOSED\"");

            // the first two attempts failed
            await().atMost(WAIT).untilAsserted(() -> {
                List<Map<String, Object>> events = events(shop.send(lines.get(1)));
                assertThat(events).extracting(event -> event.get("to")).endsWith("ACKED");
                assertThat(events)
                        .filteredOn(event -> event.containsKey("error"))
                        .extracting(event -> event.get("attempt"))
                        .containsExactly(1, 2);
                assertThat(events.get(events.size() - 1)).containsEntry("attempt", 3);
                assertThat(events).allSatisfy(event -> assertThat(event).containsKey("time"));
            });

            await().atMost(WAIT).untilAsserted(() -> {
                HttpResponse<String> dead = shop.send(lines.get(2));
                assertThat(dead.statusCode()).isEqualTo(200);
                List<Map<String, Object>> messages = JsonPath.read(dead.body(), "$.messages");
                assertThat(messages)
                        .singleElement()
                        .satisfies(message -> assertThat(message)
                                .containsEntry("id", "dave")
                                .containsEntry("topic", "order-receipt")
                                .containsEntry("status", "DEAD")
                                .containsKey("reason"));
            });
        }
    }

    /** Events of the only message that has had an id. */
    private static List<Map<String, Object>> events(HttpResponse<String> story) {
        assertThat(story.statusCode()).isEqualTo(200);
        assertThat(JsonPath.<List<?>>read(story.body(), "$.messages")).hasSize(1);
        return JsonPath.read(story.body(), "$.messages[0].events");
    }

    /** Lines of the block of the README that has such a request. */
    private static List<String> linesOfReadme(String request) throws IOException {
        return Arrays.stream(Files.readString(Path.of("README.md")).split("```"))
                .filter(block -> block.startsWith("\ncurl ") && block.contains(request))
                .findFirst()
                .orElseThrow()
                .strip()
                .lines()
                .toList();
    }

    @Test
    @Tag("slow")
    void ordersAndTimeoutsShareATransactionInPostgreSql() throws Exception {
        try (EmbeddedPostgres postgres = postgres();
                Shop shop = Shop.open(
                        "--sample.demo=false",
                        "--spring.datasource.url=" + postgres.getJdbcUrl("postgres", "postgres"),
                        "--spring.datasource.username=postgres")) {
            shop.assertOrdersAndTimeoutsShareATransaction();
        }
    }

    /** Skips the test, and prints why, where no binary runs. */
    private static EmbeddedPostgres postgres() {
        try {
            return EmbeddedPostgres.builder()
                    .setOutputRedirector(ProcessBuilder.Redirect.DISCARD)
                    .setPGStartupWait(Duration.ofMinutes(1))
                    .start();
        } catch (IOException | RuntimeException e) {
            System.out.println("NOT TESTED: the sample on PostgreSQL, which does not start here: " + e);
            return Assumptions.abort("PostgreSQL does not start: " + e);
        }
    }

    /** The sample over HTTP. */
    private record Shop(ConfigurableApplicationContext context) implements AutoCloseable {

        static Shop open(String... arguments) {
            Stream<String> common = Stream.of(
                            "--spring.profiles.active=journal",
                            "--server.port=0",
                            "--sample.payment-timeout=1h",
                            "--delayqueue.command-timeout=20s")
                    .filter(property -> Arrays.stream(arguments)
                            .noneMatch(given -> given.startsWith(property.substring(0, property.indexOf('=') + 1))));
            return new Shop(SpringApplication.run(
                    SampleApplication.class,
                    Stream.concat(common, Arrays.stream(arguments)).toArray(String[]::new)));
        }

        void assertOrdersAndTimeoutsShareATransaction() throws Exception {
            String rolledBack = id(post("/journal/orders?customer=bob@example.com&amount=1&rollBack=true", ""));
            String committed = id(post("/journal/orders?customer=ann@example.com&amount=1", ""));

            awaitTimeout(committed);
            assertThat(queue().find("order-timeout", rolledBack)).isEmpty();
            assertThat(get("/orders").body()).contains(committed).doesNotContain(rolledBack);
            assertThat(get("/actuator/delayqueuejournal").body()).contains("\"outbox\":{", "\"blocked\":0");
            assertThat(get("/actuator/health").body()).contains("\"delayqueueJournal\":{");
            assertThat(unblock("order-timeout", committed).body()).contains("\"unblocked\":0");
        }

        DelayQueueOperations queue() {
            return context.getBean(DelayQueueOperations.class);
        }

        void awaitTimeout(String order) {
            await().atMost(WAIT)
                    .ignoreExceptions()
                    .until(() -> queue().find("order-timeout", order).isPresent());
        }

        String place() throws Exception {
            return id(post("/orders", "{\"customer\": \"fay@example.com\", \"amount\": 5}"));
        }

        String story(String order) throws Exception {
            return get("/actuator/delayqueuejournal/order-timeout/" + order).body();
        }

        String status() throws Exception {
            return get("/actuator/delayqueuejournal").body();
        }

        HttpResponse<String> unblock(String topic, String id) throws Exception {
            return post(
                    "/actuator/delayqueuejournal/unblock", "{\"topic\": \"" + topic + "\", \"id\": \"" + id + "\"}");
        }

        /** A line with curl. */
        HttpResponse<String> send(String curl) throws Exception {
            Matcher path = PATH.matcher(curl);
            assertThat(path.find()).as(curl).isTrue();
            Matcher body = BODY.matcher(curl);
            HttpRequest.Builder request = request(path.group(1));
            HEADER.matcher(curl).results().forEach(header -> request.header(header.group(1), header.group(2)));
            if (curl.contains("-X POST")) {
                request.POST(BodyPublishers.ofString(body.find() ? body.group(1) : ""));
            }
            return HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString());
        }

        HttpResponse<String> get(String path) throws Exception {
            return HttpClient.newHttpClient().send(request(path).build(), BodyHandlers.ofString());
        }

        HttpResponse<String> post(String path, String body) throws Exception {
            return HttpClient.newHttpClient()
                    .send(
                            request(path)
                                    .header("Content-Type", "application/json")
                                    .POST(BodyPublishers.ofString(body))
                                    .build(),
                            BodyHandlers.ofString());
        }

        private HttpRequest.Builder request(String path) {
            int port = ((WebServerApplicationContext) context).getWebServer().getPort();
            return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
        }

        private static String id(HttpResponse<String> order) {
            Matcher id = ID.matcher(order.body());
            assertThat(id.find()).as(order.body()).isTrue();
            return id.group(1);
        }

        @Override
        public void close() {
            context.close();
        }
    }
}
