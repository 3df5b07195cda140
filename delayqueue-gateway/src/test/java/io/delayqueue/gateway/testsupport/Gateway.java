package io.delayqueue.gateway.testsupport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.test.EmbeddedRedis;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.jdbc.core.JdbcTemplate;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A whole application with the gateway, open unless its properties say otherwise.
 *
 * @param context its context
 * @param redis its Redis, where it is the {@link DocumentedUser}
 * @param admin connections to that Redis as the default user
 * @param http asks it
 */
public record Gateway(
        ConfigurableApplicationContext context, EmbeddedRedis redis, LettuceConnectionFactory admin, HttpClient http)
        implements AutoCloseable {

    private static final String BASE = "/delayqueue/v1";

    /** The auto-configuration of databases. */
    public static final String DATABASE = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration";

    /** The auto-configurations of Spring Security. */
    public static final List<String> SECURITY = List.of(
            "org.springframework.boot.security.autoconfigure.SecurityAutoConfiguration",
            "org.springframework.boot.security.autoconfigure.UserDetailsServiceAutoConfiguration",
            "org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration",
            "org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration",
            "org.springframework.boot.security.autoconfigure.actuate.web.servlet.ManagementWebSecurityAutoConfiguration");

    private static final JsonMapper JSON = JsonMapper.builder().build();

    /** Starts one on this Redis. */
    public static Gateway start(EmbeddedRedis redis, String... properties) {
        return start(Application.class, redis, properties);
    }

    /** Starts one with further beans. */
    public static Gateway start(Class<?> configuration, EmbeddedRedis redis, String... properties) {
        SpringApplication application = new SpringApplication(configuration);
        application.setBannerMode(Banner.Mode.OFF);
        application.setRegisterShutdownHook(false);
        Map<String, String> all = new LinkedHashMap<>();
        all.put("spring.data.redis.url", DocumentedUser.uri(redis));
        all.put("server.port", "0");
        all.put("delayqueue.gateway.enabled", "true");
        all.put("delayqueue.command-timeout", "20s");
        // on a busy machine, an answer may be written later than 5 s after its claim
        all.put("delayqueue.gateway.claims.delivery-lease", "15s");
        all.put("delayqueue.gateway.sqs.delivery-lease", "15s");
        // on the test's class path for tests that ask for them
        all.put("spring.autoconfigure.exclude", String.join(",", DATABASE, String.join(",", SECURITY)));
        for (String property : properties) {
            String[] parts = property.split("=", 2);
            all.put(parts[0], parts[1]);
        }
        boolean closed = all.keySet().stream().anyMatch(name -> name.startsWith("delayqueue.gateway.token"));
        all.putIfAbsent("delayqueue.gateway.open", String.valueOf(!closed));
        ConfigurableApplicationContext context = application.run(all.entrySet().stream()
                .map(property -> "--" + property.getKey() + "=" + property.getValue())
                .toArray(String[]::new));
        LettuceConnectionFactory admin = new LettuceConnectionFactory(redis.host(), redis.port());
        admin.afterPropertiesSet();
        admin.start();
        return new Gateway(context, redis, admin, HttpClient.newHttpClient());
    }

    /** The queue behind it. */
    public DelayQueueClient client() {
        return context.getBean(DelayQueueClient.class);
    }

    /** Its Redis, for what the {@link DocumentedUser} may not do. */
    public StringRedisTemplate data() {
        return new StringRedisTemplate(admin);
    }

    /** Its port. */
    public int port() {
        return ((WebServerApplicationContext) context).getWebServer().getPort();
    }

    /**
     * Waits until the journal has recorded what Redis answered to all changes of a topic. A change that comes before that may be sent
     * together with the one before, and is answered without Redis' outcome then.
     */
    public void awaitRecorded(String topic) {
        JdbcTemplate database = context.getBean(JdbcTemplate.class);
        await().atMost(Duration.ofSeconds(60))
                .until(
                        () -> database.queryForObject(
                                "select count(*) from delayqueue_outbox where topic = ?", Integer.class, topic),
                        rows -> rows == 0);
    }

    /** Makes a request below the base path. Headers are names and values in turn. */
    public Reply send(String method, String path, String body, String... headers)
            throws IOException, InterruptedException {
        return checked(
                method,
                path,
                http.send(request(BASE, method, path, body, headers), HttpResponse.BodyHandlers.ofByteArray()));
    }

    /** Makes a request below another base path. */
    public Reply sendTo(String base, String method, String path, String body) throws IOException, InterruptedException {
        return checked(
                method, path, http.send(request(base, method, path, body), HttpResponse.BodyHandlers.ofByteArray()));
    }

    /** A request without a body. */
    public Reply send(String method, String path) throws IOException, InterruptedException {
        return send(method, path, "");
    }

    /** Makes a request without waiting. */
    public CompletableFuture<Reply> sendAsync(String method, String path, String body, String... headers) {
        return http.sendAsync(request(BASE, method, path, body, headers), HttpResponse.BodyHandlers.ofByteArray())
                .thenApply(response -> checked(method, path, response));
    }

    private static Reply checked(String method, String path, HttpResponse<byte[]> response) {
        OpenApiConformity.check(method, path, response);
        return new Reply(response);
    }

    private HttpRequest request(String base, String method, String path, String body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + base + path))
                .method(
                        method,
                        body.isEmpty()
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofString(body));
        if (!body.isEmpty()) {
            request.setHeader("Content-Type", "application/json");
        }
        for (int i = 0; i < headers.length; i += 2) {
            request.setHeader(headers[i], headers[i + 1]);
        }
        return request.build();
    }

    @Override
    public void close() {
        context.close();
        admin.destroy();
        if (redis.isRunning()) {
            assertThat(DocumentedUser.denied(redis))
                    .as("denied to the documented user")
                    .isEmpty();
        }
    }

    /**
     * An answer.
     *
     * @param response as it came
     */
    public record Reply(HttpResponse<byte[]> response) {

        /** Its status. */
        public int status() {
            return response.statusCode();
        }

        /** Its body as JSON. */
        public JsonNode json() {
            return JSON.readTree(response.body());
        }

        /** Value of a header; empty if absent. */
        public String header(String name) {
            return response.headers().firstValue(name).orElse("");
        }

        @Override
        public String toString() {
            return status() + " " + new String(response.body(), StandardCharsets.UTF_8);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}
}
