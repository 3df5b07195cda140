package io.delayqueue.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.lang.management.ManagementFactory;
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
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** The jar as users run it, as a process; each test starts one. */
abstract class ServerJarFixture {

    static final Duration LONG = Duration.ofSeconds(120);
    static final String JAVA =
            Path.of(System.getProperty("java.home"), "bin", "java").toString();
    static final Path JAR = Path.of(System.getProperty("server.jar", "none")).toAbsolutePath();

    @TempDir
    Path folder;

    final HttpClient http = HttpClient.newHttpClient();
    final int port = freePort();
    final int managementPort = freePort();
    Process server;

    ServerJarFixture() throws IOException {}

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    void start(String... arguments) throws Exception {
        startJar(folder, JAR.toString(), arguments);
    }

    void startJar(Path directory, String jar, String... arguments) throws Exception {
        startJar(directory, jar, Map.of(), arguments);
    }

    void startJar(Path directory, String jar, Map<String, String> environment, String... arguments) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(JAVA);
        // where coverage is measured, the process' counts
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> argument.startsWith("-javaagent:") && argument.contains("jacoco"))
                .forEach(command::add);
        command.addAll(List.of(
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-jar",
                jar,
                "--server.port=" + port,
                "--management.server.port=" + managementPort));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log().toFile());
        builder.environment().putAll(environment);
        server = builder.start();
    }

    Path log() {
        return folder.resolve("server.log");
    }

    @AfterEach
    void kill() throws Exception {
        server.destroyForcibly();
        assertThat(server.waitFor(1, TimeUnit.MINUTES)).isTrue();
    }

    void awaitReady() {
        await().atMost(LONG).until(() -> {
            assertThat(server.isAlive()).as("%s", Files.readString(log())).isTrue();
            return status(managementPort, "/actuator/health/readiness") == 200;
        });
    }

    int status(int atPort, String path) throws InterruptedException {
        try {
            return http.send(
                            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + atPort + path))
                                    .build(),
                            HttpResponse.BodyHandlers.discarding())
                    .statusCode();
        } catch (IOException e) {
            return 0;
        }
    }

    void terminate() throws Exception {
        server.destroy();
        assertThat(server.waitFor(1, TimeUnit.MINUTES)).as("it ends at SIGTERM").isTrue();
        assertThat(server.exitValue()).isEqualTo(143);
    }

    HttpResponse<String> sqs(String action, String body) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/"))
                .header("X-Amz-Target", "AmazonSQS." + action)
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        return http.send(request, HttpResponse.BodyHandlers.ofString());
    }

    String management(String path) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + managementPort + path))
                .build();
        return http.send(request, HttpResponse.BodyHandlers.ofString()).body();
    }
}
