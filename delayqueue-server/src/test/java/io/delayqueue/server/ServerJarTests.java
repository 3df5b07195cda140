package io.delayqueue.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.test.EmbeddedRedis;
import java.io.File;
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
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.util.FileSystemUtils;
import tools.jackson.databind.json.JsonMapper;

/** The jar as users run it: as a process. */
@Tag("slow")
@EnabledIfSystemProperty(named = "server.jar", matches = ".+", disabledReason = "the jar is tested when it is built")
class ServerJarTests {

    private static final Duration LONG = Duration.ofSeconds(120);
    private static final Pattern COMMAND = Pattern.compile("```bash\nmvn ([^\n]*) && java -jar (\\S+) ([^\n]*)\n```");

    private static final Pattern CURL_LINES = Pattern.compile("```bash\n(curl.*?)```", Pattern.DOTALL);

    private static final Pattern COPIED_LAYERS =
            Pattern.compile("^COPY --from=layers /layers/extracted/(\\S+)/ \\./$", Pattern.MULTILINE);
    private static final String JAVA =
            Path.of(System.getProperty("java.home"), "bin", "java").toString();
    private static final Path JAR =
            Path.of(System.getProperty("server.jar", "none")).toAbsolutePath();

    @TempDir
    private Path folder;

    private final HttpClient http = HttpClient.newHttpClient();
    private final int port = freePort();
    private final int managementPort = freePort();
    private Process server;

    ServerJarTests() throws IOException {}

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private void start(String... arguments) throws Exception {
        startJar(folder, JAR.toString(), arguments);
    }

    private void startJar(Path directory, String jar, String... arguments) throws Exception {
        startJar(directory, jar, Map.of(), arguments);
    }

    private void startJar(Path directory, String jar, Map<String, String> environment, String... arguments)
            throws Exception {
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

    private Path log() {
        return folder.resolve("server.log");
    }

    @AfterEach
    void kill() throws Exception {
        server.destroyForcibly();
        assertThat(server.waitFor(1, TimeUnit.MINUTES)).isTrue();
    }

    private void awaitReady() {
        await().atMost(LONG).until(() -> {
            assertThat(server.isAlive()).as("%s", Files.readString(log())).isTrue();
            return status(managementPort, "/actuator/health/readiness") == 200;
        });
    }

    private int status(int atPort, String path) throws InterruptedException {
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

    private void terminate() throws Exception {
        server.destroy();
        assertThat(server.waitFor(1, TimeUnit.MINUTES)).as("it ends at SIGTERM").isTrue();
        assertThat(server.exitValue()).isEqualTo(143);
    }

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
    void itDoesNotStartOpen() throws Exception {
        start("--spring.data.redis.url=redis://127.0.0.1:1");

        assertThat(server.waitFor(2, TimeUnit.MINUTES)).isTrue();
        assertThat(server.exitValue()).isEqualTo(1);
        assertThat(Files.readString(log())).contains("APPLICATION FAILED TO START", "delayqueue.gateway.tokens");
    }

    private void writeConfiguration(String text) throws IOException {
        Files.createDirectory(folder.resolve("config"));
        Files.writeString(folder.resolve("config/application.yml"), text);
    }

    /** A copy that nobody has changed must not let in everybody who knows the example. */
    @Test
    void theExampleOfItsConfigurationNeedsATokenOfItsOwn() throws Exception {
        writeConfiguration(Files.readString(Path.of("config/application.yml.example")));
        start("--spring.data.redis.url=redis://127.0.0.1:1");

        assertThat(server.waitFor(2, TimeUnit.MINUTES)).isTrue();
        assertThat(Files.readString(log())).contains("APPLICATION FAILED TO START", "SHA-256 of token 'shop'");
    }

    @Test
    void theExampleOfItsConfigurationIsGood() throws Exception {
        String example = Files.readString(Path.of("config/application.yml.example"))
                .replace(
                        "the-sha-256-of-your-token",
                        "03d4c65b5fc3360fc4b9655f78db09beacfd39425f0840806266c5e2985ac095");
        assertThat(example).contains("03d4c65b");
        // the lines that are off, too, but for those that need files, or other users than there are
        writeConfiguration(example.lines()
                .filter(line ->
                        !line.matches(".*#- *(open|token-file|key-file|username|password|ssl.bundle|ssl-bundle):.*"))
                .collect(Collectors.joining("\n"))
                .replace("#- ", ""));
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            start(
                    "--spring.data.redis.url=" + redis.uri(),
                    "--delayqueue.gateway.sqs.enabled=true",
                    "--SHOP_SECRET=secret",
                    "--INVOICES_SECRET=whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
            awaitReady();

            String path = "/delayqueue/v1/topics/orders-eu";
            assertThat(status(port, path)).isEqualTo(401);
            HttpRequest schedule = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path + "/messages"))
                    .header("Authorization", "Bearer shop's token")
                    .header("Content-Type", "application/json")
                    .POST(HttpRequest.BodyPublishers.ofString("{\"payload\": 1}"))
                    .build();
            assertThat(http.send(schedule, HttpResponse.BodyHandlers.discarding())
                            .statusCode())
                    .isEqualTo(201);
            assertThat(sqs("ListQueues", "{}").statusCode()).as("unsigned").isEqualTo(403);
            terminate();
        }
    }

    /** As containers are configured: that of the Compose file, and further variables of the example's properties. */
    @Test
    void environmentVariablesAreItsConfiguration() throws Exception {
        Map<String, String> environment = new HashMap<>();
        DeploymentFilesTests.serverOfCompose("environment")
                .forEach((name, value) -> environment.put(name, String.valueOf(value)));
        assertThat(environment).containsKeys("SPRING_DATA_REDIS_URL", "DELAYQUEUE_GATEWAY_TOKENS_MAIN_SHA256");
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            environment.put("SPRING_DATA_REDIS_URL", redis.uri());
            environment.put(
                    "DELAYQUEUE_GATEWAY_TOKENS_MAIN_SHA256",
                    "03d4c65b5fc3360fc4b9655f78db09beacfd39425f0840806266c5e2985ac095");
            environment.put("DELAYQUEUE_GATEWAY_TOKENS_READER_SHA256", "0".repeat(64));
            environment.put("DELAYQUEUE_GATEWAY_TOKENS_READER_RIGHTS", "consume");
            environment.put("DELAYQUEUE_GATEWAY_TOKENS_READER_TOPICS", "none");
            environment.put("DELAYQUEUE_CALLBACKS_INVOICES_URL", "https://billing.example.com/hooks");
            environment.put("DELAYQUEUE_CALLBACKS_INVOICES_SECRETS", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
            environment.put("DELAYQUEUE_GATEWAY_SQS_ENABLED", "true");
            environment.put("DELAYQUEUE_GATEWAY_SQS_KEYS_SHOP_SECRET", "a secret");
            environment.put("DELAYQUEUE_GATEWAY_SQS_KEYS_SHOP_RIGHTS", "produce");
            environment.put("DELAYQUEUE_GATEWAY_SQS_KEYS_SHOP_TOPICS", "*");
            environment.put("SPRING_PROFILES_ACTIVE", "json");
            startJar(folder, JAR.toString(), environment);
            awaitReady();

            String token = "shop's token";
            assertThat(schedule("orders", "another", "{\"payload\": 1}")).isEqualTo(401);
            assertThat(schedule("orders", token, "{\"payload\": 1}")).isEqualTo(201);
            assertThat(schedule("invoices", token, "{\"payload\": 1, \"headers\": {\"webhook-id\": \"x\"}}"))
                    .as("a header that no callback may have")
                    .isEqualTo(400);
            assertThat(wronglySigned("shop")).contains("SignatureDoesNotMatch");
            assertThat(wronglySigned("SHOP"))
                    .as("names of variables are read in small letters")
                    .contains("InvalidClientTokenId");
            terminate();
            assertThat(Files.readAllLines(log())).allMatch(line -> line.startsWith("{\"@timestamp\":"));
        }
    }

    private String wronglySigned(String keyId) throws Exception {
        String time = DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").format(LocalDateTime.now(ZoneOffset.UTC));
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/"))
                .header("X-Amz-Target", "AmazonSQS.ListQueues")
                .header("X-Amz-Date", time)
                .header(
                        "Authorization",
                        "AWS4-HMAC-SHA256 Credential=" + keyId + "/" + time.substring(0, 8)
                                + "/us-east-1/sqs/aws4_request, SignedHeaders=host;x-amz-date;x-amz-target, Signature="
                                + "0".repeat(64))
                .POST(HttpRequest.BodyPublishers.ofString("{}"))
                .build();
        return http.send(request, HttpResponse.BodyHandlers.ofString()).body();
    }

    private int schedule(String topic, String token, String body) throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + port + "/delayqueue/v1/topics/" + topic + "/messages");
        return http.send(
                        HttpRequest.newBuilder(uri)
                                .header("Authorization", "Bearer " + token)
                                .header("Content-Type", "application/json")
                                .POST(HttpRequest.BodyPublishers.ofString(body))
                                .build(),
                        HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }

    private HttpResponse<String> sqs(String action, String body) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/"))
                .header("X-Amz-Target", "AmazonSQS." + action)
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        return http.send(request, HttpResponse.BodyHandlers.ofString());
    }

    private String management(String path) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + managementPort + path))
                .build();
        return http.send(request, HttpResponse.BodyHandlers.ofString()).body();
    }

    @Test
    void demonstrationServesSqsClientsAndTellsItsMetrics() throws Exception {
        start("--demo", "--spring.profiles.active=json");
        awaitReady();
        // the first command for queues connects, and has two seconds
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
