package io.delayqueue.spring.testsupport;

import io.delayqueue.test.EmbeddedRedis;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Arrays;
import java.util.stream.Stream;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * A whole application with a web server.
 *
 * @param context its context
 */
public record WebApplication(ConfigurableApplicationContext context) implements AutoCloseable {

    /** Starts one on this Redis, as its default user. */
    public static WebApplication start(Class<?> configuration, EmbeddedRedis redis, String... properties) {
        SpringApplication application = new SpringApplication(configuration);
        application.setBannerMode(Banner.Mode.OFF);
        application.setRegisterShutdownHook(false);
        Stream<String> common =
                Stream.of("spring.data.redis.url=" + redis.uri(), "server.port=0", "delayqueue.command-timeout=20s");
        return new WebApplication(application.run(Stream.concat(common, Arrays.stream(properties))
                .map(property -> "--" + property)
                .toArray(String[]::new)));
    }

    /** The only bean of a type. */
    public <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    /** Sends JSON with POST. Headers are names and values in turn. */
    public HttpResponse<String> post(String path, String json, String... headers)
            throws IOException, InterruptedException {
        return send(
                HttpRequest.newBuilder(uri(path))
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(json)),
                headers);
    }

    /** Asks with GET. Headers are names and values in turn. */
    public HttpResponse<String> get(String path, String... headers) throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(uri(path)), headers);
    }

    private URI uri(String path) {
        int port = ((WebServerApplicationContext) context).getWebServer().getPort();
        return URI.create("http://127.0.0.1:" + port + path);
    }

    private static HttpResponse<String> send(HttpRequest.Builder request, String... headers)
            throws IOException, InterruptedException {
        if (headers.length > 0) {
            request.headers(headers);
        }
        return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    @Override
    public void close() {
        context.close();
    }
}
