package io.delayqueue.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.test.EmbeddedRedis;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.springframework.util.FileSystemUtils;
import tools.jackson.databind.json.JsonMapper;

/** The jar by itself: as its README and its container start it, and beside a Redis that comes and goes. */
@Tag("slow")
@EnabledIfSystemProperty(named = "server.jar", matches = ".+", disabledReason = "the jar is tested when it is built")
class ServerJarTests extends ServerJarFixture {

    private static final Pattern COMMAND = Pattern.compile("```bash\nmvn ([^\n]*) && java -jar (\\S+) ([^\n]*)\n```");

    private static final Pattern CURL_LINES = Pattern.compile("```bash\n(curl.*?)```", Pattern.DOTALL);

    private static final Pattern COPIED_LAYERS =
            Pattern.compile("^COPY --from=layers /layers/extracted/(\\S+)/ \\./$", Pattern.MULTILINE);

    ServerJarTests() throws IOException {}

    /** The command's build is that of this jar: whoever runs this test has run it. Returns what it gives to the jar. */
    private static List<String> argumentsOfTheReadme() throws IOException {
        String readme = Files.readString(Path.of("README.md"));
        Matcher command = COMMAND.matcher(readme);
        assertThat(command.find()).as("the command").isTrue();
        Path root = Path.of("..").toRealPath();
        List<String> build = List.of(command.group(1).split(" "));
        assertThat(build).contains("package", "-am");
        Path module = root.resolve(build.get(build.indexOf("-pl") + 1));
        assertThat(module).as("what it builds").isEqualTo(Path.of("").toRealPath());
        assertThat(root.resolve(command.group(2)).toRealPath())
                .as("what it runs")
                .isEqualTo(JAR.toRealPath());
        String words = readme.substring(command.start(1), command.end(3));
        assertThat(Files.readString(root.resolve("README.md")))
                .as("the command of the first page")
                .contains("`mvn " + words + '`');
        return List.of(command.group(3).split(" "));
    }

    @Test
    void theLinesOfTheReadmeScheduleClaimAndAck() throws Exception {
        List<String> arguments = new ArrayList<>(argumentsOfTheReadme());
        arguments.add("--spring.profiles.active=json");
        start(arguments.toArray(String[]::new));
        awaitReady();
        Matcher lines = CURL_LINES.matcher(Files.readString(Path.of("README.md")));
        assertThat(lines.find()).isTrue();
        assertThat(lines.group(1).lines()).hasSize(5);

        Process bash = new ProcessBuilder(
                        "bash", "-euo", "pipefail", "-c", lines.group(1).replace("localhost:8080", "127.0.0.1:" + port))
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        String output = new String(bash.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        assertThat(bash.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(output).contains("\"order\":42", "receipt").endsWith("204\n");
        assertThat(status(managementPort, "/actuator/prometheus")).isEqualTo(200);
        assertThat(status(managementPort, "/actuator/health/liveness")).isEqualTo(200);

        CompletableFuture<HttpResponse<String>> waiting = http.sendAsync(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/delayqueue/v1/topics/none/claims"))
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString("{\"wait\": 60}"))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        await().atMost(LONG)
                .until(() -> management("/actuator/prometheus")
                        .lines()
                        .anyMatch(line -> line.startsWith("http_server_requests_active_seconds_count")
                                && line.contains("POST")
                                && line.endsWith(" 1")));
        int before = Files.readAllLines(log()).size();
        terminate();
        HttpResponse<String> answer = waiting.get(1, TimeUnit.MINUTES);
        assertThat(answer.statusCode()).as("%s", answer.body()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo("{\"messages\":[]}");
        List<String> logged = Files.readAllLines(log());
        assertThat(logged).isNotEmpty().allMatch(line -> line.startsWith("{\"@timestamp\":"));
        // some orders of the demonstration fail on purpose
        assertThat(logged.stream()
                        .skip(before)
                        .filter(line -> !line.contains("demo-orders"))
                        .collect(Collectors.joining("\n")))
                .as("the end is without failures")
                .doesNotContain("\"ERROR\"", "Exception", "was not placed")
                .contains("Graceful shutdown complete");
    }

    /** As the Dockerfile does, without Docker. */
    @Test
    void layersOfTheDockerfileAreTheWholeServer() throws Exception {
        String dockerfile = Files.readString(Path.of("Dockerfile"));
        Path application = Files.copy(JAR, folder.resolve("application.jar"));
        Process tools = new ProcessBuilder(
                        JAVA,
                        "-Djarmode=tools",
                        "-jar",
                        application.toString(),
                        "extract",
                        "--layers",
                        "--destination",
                        "extracted")
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("tools.log").toFile())
                .start();
        assertThat(tools.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(tools.exitValue()).isZero();
        Path image = Files.createDirectory(folder.resolve("image"));
        for (MatchResult layer : COPIED_LAYERS.matcher(dockerfile).results().toList()) {
            FileSystemUtils.copyRecursively(folder.resolve("extracted").resolve(layer.group(1)), image);
        }

        assertThat(dockerfile).contains("\"-jar\", \"application.jar\"]");
        startJar(image, "application.jar", "--demo");
        awaitReady();
        terminate();
    }

    @Test
    void demonstrationServesSqsClientsAndTellsItsMetrics() throws Exception {
        start("--demo", "--spring.profiles.active=json", "--delayqueue.command-timeout=20s");
        awaitReady();
        await().atMost(LONG)
                .untilAsserted(() -> assertThat(sqs("CreateQueue", "{\"QueueName\":\"reminder\"}")
                                .body())
                        .contains("http://127.0.0.1:" + port + "/000000000000/reminder"));
        String url = "{\"QueueUrl\":\"http://localhost/000000000000/reminder\"";
        assertThat(sqs("SendMessage", url + ",\"MessageBody\":\"Call Ann\",\"DelaySeconds\":1}")
                        .statusCode())
                .isEqualTo(200);
        assertThat(sqs("ReceiveMessage", url + ",\"WaitTimeSeconds\":20}").body())
                .contains("Call Ann");

        assertThat(management("/actuator/health")).contains("\"delayqueue\":{", "\"redis\"");
        await().atMost(LONG)
                .untilAsserted(() -> assertThat(management("/actuator/prometheus"))
                        .contains("delayqueue_messages{", "topic=\"reminder\""));
        terminate();
        for (String line : Files.readAllLines(log())) {
            assertThat(new JsonMapper().readTree(line).path("log").path("level").stringValue())
                    .as(line)
                    .isNotEqualTo("ERROR");
        }
    }

    /** A server without its Redis gets no requests, but is not restarted for that, and comes back by itself. */
    @Test
    void readinessFollowsRedisAndLivenessDoesNot() throws Exception {
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            start(
                    "--spring.data.redis.url=" + redis.uri(),
                    "--delayqueue.gateway.open=true",
                    "--delayqueue.command-timeout=2s");
            awaitReady();
            assertHealthcheck(true);
            redis.stop();
            await().atMost(LONG).until(() -> status(managementPort, "/actuator/health/readiness") == 503);
            assertThat(status(managementPort, "/actuator/health/liveness")).isEqualTo(200);
            assertHealthcheck(false);
            redis.restart();
            awaitReady();
            terminate();
        }
    }

    /** Runs the healthcheck of the Compose file on this server, as far as its program is on this machine. */
    private void assertHealthcheck(boolean healthy) throws Exception {
        List<String> words = wordsOfTheHealthcheck();
        String program = words.get(0);
        Path output = folder.resolve("healthcheck.log");
        if (!isInstalled(program)) {
            System.out.println("SKIPPED the healthcheck of the Compose file: there is no " + program);
            return;
        }
        ProcessBuilder builder =
                new ProcessBuilder(words).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().put("no_proxy", "127.0.0.1");
        Process check = builder.start();
        assertThat(check.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(check.exitValue() == 0)
                .as("%s ends with %s: %s", words, check.exitValue(), Files.readString(output))
                .isEqualTo(healthy);
    }

    /** The command that Docker runs, which knows no shell, with the port of this server. */
    private List<String> wordsOfTheHealthcheck() throws IOException {
        List<String> words = new ArrayList<>();
        for (Object word :
                (List<?>) DeploymentFilesTests.serverOfCompose("healthcheck").get("test")) {
            words.add(word.toString().replace("127.0.0.1:8081", "127.0.0.1:" + managementPort));
        }
        assertThat(words.remove(0)).isEqualTo("CMD");
        assertThat(words).as("what it asks").anyMatch(word -> word.contains(":" + managementPort + "/"));
        return words;
    }

    private static boolean isInstalled(String program) {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, program)));
    }
}
