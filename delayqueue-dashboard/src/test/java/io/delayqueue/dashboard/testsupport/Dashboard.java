package io.delayqueue.dashboard.testsupport;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.test.EmbeddedRedis;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A whole application with the dashboard, open and with writes unless its properties say otherwise.
 *
 * @param context its context
 * @param http asks it
 */
public record Dashboard(ConfigurableApplicationContext context, HttpClient http) implements AutoCloseable {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    /** The first connection of a JVM is a slow one, and a busy machine pauses. Tests in which Redis is away wait for it. */
    private static final String COMMAND_TIMEOUT = "10s";

    /** The auto-configurations of Spring Security, which are on the class path of tests. */
    private static final List<String> SECURITY = List.of(
            "org.springframework.boot.security.autoconfigure.SecurityAutoConfiguration",
            "org.springframework.boot.security.autoconfigure.UserDetailsServiceAutoConfiguration",
            "org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration",
            "org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration");

    /** Starts one on this Redis, without Spring Security. */
    public static Dashboard start(EmbeddedRedis redis, String... properties) {
        Map<String, String> all = new LinkedHashMap<>();
        all.put("spring.autoconfigure.exclude", String.join(",", SECURITY));
        all.put("delayqueue.dashboard.open", "true");
        all.put("delayqueue.dashboard.write-enabled", "true");
        return start(Application.class, redis, all, properties);
    }

    /** Starts one with these beans and Spring Security, read-only. */
    public static Dashboard secured(Class<?> configuration, EmbeddedRedis redis, String... properties) {
        return start(configuration, redis, new LinkedHashMap<>(), properties);
    }

    /** Starts one with these beans, and without Spring Security. */
    public static Dashboard withBeans(Class<?> configuration, EmbeddedRedis redis, String... properties) {
        Map<String, String> all = new LinkedHashMap<>();
        all.put("spring.autoconfigure.exclude", String.join(",", SECURITY));
        all.put("delayqueue.dashboard.open", "true");
        all.put("delayqueue.dashboard.write-enabled", "true");
        return start(configuration, redis, all, properties);
    }

    private static Dashboard start(
            Class<?> configuration, EmbeddedRedis redis, Map<String, String> all, String... properties) {
        SpringApplication application = new SpringApplication(configuration);
        application.setBannerMode(Banner.Mode.OFF);
        application.setRegisterShutdownHook(false);
        all.put("spring.data.redis.url", redis.uri());
        all.put("server.port", "0");
        all.put("delayqueue.dashboard.enabled", "true");
        all.put("delayqueue.command-timeout", COMMAND_TIMEOUT);
        for (String property : properties) {
            String[] parts = property.split("=", 2);
            all.put(parts[0], parts[1]);
        }
        return new Dashboard(
                application.run(all.entrySet().stream()
                        .map(property -> "--" + property.getKey() + "=" + property.getValue())
                        .toArray(String[]::new)),
                HttpClient.newHttpClient());
    }

    /** The queue behind it. */
    public DelayQueueClient client() {
        return context.getBean(DelayQueueClient.class);
    }

    /** Its port. */
    public int port() {
        return ((WebServerApplicationContext) context).getWebServer().getPort();
    }

    /** A GET of a path. Headers are names and values in turn. */
    public Reply get(String path, String... headers) throws IOException, InterruptedException {
        return send(request(path, headers).GET().build());
    }

    /** A GET of the API as a user of HTTP Basic, whose password is "secret". */
    public Reply getAs(String user, String path) throws IOException, InterruptedException {
        return get(path, "Authorization", basic(user));
    }

    /** A POST as the page makes it. */
    public Reply post(String path, String body, String... headers) throws IOException, InterruptedException {
        HttpRequest.Builder request = request(path);
        request.setHeader("Content-Type", "application/json");
        request.setHeader("Sec-Fetch-Site", "same-origin");
        for (int i = 0; i < headers.length; i += 2) {
            request.setHeader(headers[i], headers[i + 1]);
        }
        return send(request.POST(HttpRequest.BodyPublishers.ofString(body)).build());
    }

    /** Any request. */
    public Reply send(HttpRequest request) throws IOException, InterruptedException {
        return new Reply(http.send(request, HttpResponse.BodyHandlers.ofByteArray()));
    }

    /** A request of a path. */
    public HttpRequest.Builder request(String path, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path));
        for (int i = 0; i < headers.length; i += 2) {
            request.setHeader(headers[i], headers[i + 1]);
        }
        return request;
    }

    /** Credentials of a user whose password is "secret". */
    public static String basic(String user) {
        return "Basic " + Base64.getEncoder().encodeToString((user + ":secret").getBytes(StandardCharsets.UTF_8));
    }

    /** A text as a parameter's value. */
    public static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        context.close();
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

        /** Its body as text. */
        public String text() {
            return new String(response.body(), StandardCharsets.UTF_8);
        }

        /** Value of a header; empty if absent. */
        public String header(String name) {
            return response.headers().firstValue(name).orElse("");
        }

        /** Code of the problem that the body tells. */
        public String problem() {
            return json().path("type").asString().replace("urn:delayqueue:problem:", "");
        }

        @Override
        public String toString() {
            return status() + " " + text();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}
}
