package io.delayqueue.gateway.testsupport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.test.EmbeddedRedis;
import java.io.IOException;
import java.net.BindException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.SpringApplication;

/** A gateway in a process of its own, which can be killed and started again on its port. */
public final class GatewayProcess implements AutoCloseable {

    private static final Duration LONG = Duration.ofSeconds(120);

    /** A request that hangs, since the process is only starting, is sent again. */
    private static final Duration ONE_REQUEST = Duration.ofSeconds(10);

    private final HttpClient http = HttpClient.newHttpClient();
    private final int port;
    private final Path log;
    private final List<String> command;
    private Process process;

    /** Starts one. Returns before it answers: see {@link #awaitReady}. */
    public GatewayProcess(EmbeddedRedis redis, Path log, String... properties) throws IOException {
        this.log = log;
        port = freePort();
        command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                GatewayProcess.class.getName(),
                "--spring.data.redis.url=" + redis.uri(),
                "--server.port=" + port,
                "--delayqueue.gateway.enabled=true",
                "--delayqueue.gateway.open=true",
                "--spring.autoconfigure.exclude=" + Gateway.DATABASE + "," + String.join(",", Gateway.SECURITY)));
        for (String property : properties) {
            command.add("--" + property);
        }
        start();
    }

    /** Below the ports that systems give to connections and servers: none of them takes it while the process is away. */
    private static int freePort() throws IOException {
        while (true) {
            try (ServerSocket socket =
                    new ServerSocket(ThreadLocalRandom.current().nextInt(20_000, 32_768))) {
                return socket.getLocalPort();
            } catch (BindException e) {
                // somebody has it
            }
        }
    }

    /** Of the process. */
    public static void main(String[] args) {
        SpringApplication.run(Gateway.Application.class, args);
    }

    /** Its port, in each of its lives. */
    public int port() {
        return port;
    }

    /** Starts it again. */
    public void start() throws IOException {
        process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
    }

    /** Returns when it answers. */
    public void awaitReady() {
        await().atMost(LONG).until(() -> {
            assertThat(process.isAlive()).as("%s", Files.readString(log)).isTrue();
            try {
                HttpRequest request = HttpRequest.newBuilder(
                                URI.create("http://127.0.0.1:" + port + "/delayqueue/v1/topics"))
                        .timeout(ONE_REQUEST)
                        .build();
                return http.send(request, HttpResponse.BodyHandlers.discarding())
                                .statusCode()
                        == 200;
            } catch (IOException e) {
                return false;
            }
        });
    }

    /** Kills it, as {@code kill -9} does. */
    public void kill() throws InterruptedException {
        process.destroyForcibly();
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
    }

    @Override
    public void close() throws InterruptedException {
        kill();
    }
}
