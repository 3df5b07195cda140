package io.delayqueue.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.spring.DelayQueueOperations;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

/** The sample with the profile {@code journal}. */
class JournalProfileTests {

    private static final Pattern ID = Pattern.compile("\"id\":\"([^\"]+)\"");

    @TempDir
    Path directory;

    @Test
    void ordersAndTimeoutsShareATransactionInAFileOfH2() throws Exception {
        String url = "--spring.datasource.url=jdbc:h2:file:" + directory.resolve("shop");
        try (Shop shop = Shop.open(url)) {
            shop.assertOrdersAndTimeoutsShareATransaction();
        }
        // the file is there at the next start; operators may be kept from changes
        try (Shop shop = Shop.open(url, "--management.endpoint.delayqueuejournal.access=read-only")) {
            assertThat(shop.get("/orders").body()).contains("ann@example.com");
            assertThat(shop.get("/actuator/delayqueuejournal").statusCode()).isEqualTo(200);
            assertThat(shop.unblock("order-timeout", "none").statusCode()).isIn(404, 405);
        }
    }

    @Test
    void ordersAndTimeoutsShareATransactionInPostgreSql() throws Exception {
        try (EmbeddedPostgres postgres = EmbeddedPostgres.builder()
                        .setOutputRedirector(ProcessBuilder.Redirect.DISCARD)
                        .start();
                Shop shop = Shop.open(
                        "--spring.datasource.url=" + postgres.getJdbcUrl("postgres", "postgres"),
                        "--spring.datasource.username=postgres")) {
            shop.assertOrdersAndTimeoutsShareATransaction();
        }
    }

    /** The sample over HTTP. */
    private record Shop(ConfigurableApplicationContext context) implements AutoCloseable {

        static Shop open(String... arguments) {
            Stream<String> common = Stream.of(
                    "--spring.profiles.active=journal",
                    "--server.port=0",
                    "--sample.demo=false",
                    "--sample.payment-timeout=1h",
                    "--delayqueue.command-timeout=20s");
            return new Shop(SpringApplication.run(
                    SampleApplication.class,
                    Stream.concat(common, Arrays.stream(arguments)).toArray(String[]::new)));
        }

        void assertOrdersAndTimeoutsShareATransaction() throws Exception {
            DelayQueueOperations queue = context.getBean(DelayQueueOperations.class);
            String rolledBack = id(post("/journal/orders?customer=bob@example.com&amount=1&rollBack=true", ""));
            String committed = id(post("/journal/orders?customer=ann@example.com&amount=1", ""));

            await().atMost(Duration.ofSeconds(30))
                    .until(() -> queue.find("order-timeout", committed).isPresent());
            assertThat(queue.find("order-timeout", rolledBack)).isEmpty();
            assertThat(get("/orders").body()).contains(committed).doesNotContain(rolledBack);
            assertThat(get("/actuator/delayqueuejournal").body()).contains("\"outbox\":{", "\"blocked\":0");
            assertThat(get("/actuator/health").body()).contains("\"delayqueueJournal\":{");
            assertThat(unblock("order-timeout", committed).body()).contains("\"unblocked\":false");
        }

        HttpResponse<String> unblock(String topic, String id) throws Exception {
            return post(
                    "/actuator/delayqueuejournal/unblock", "{\"topic\": \"" + topic + "\", \"id\": \"" + id + "\"}");
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
