package io.delayqueue.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.test.EmbeddedRedis;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** The jar with a configuration of its users: a file beside it, or variables of its environment. */
@Tag("slow")
@EnabledIfSystemProperty(named = "server.jar", matches = ".+", disabledReason = "the jar is tested when it is built")
class ConfiguredJarTests extends ServerJarFixture {

    ConfiguredJarTests() throws IOException {}

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
                    "--delayqueue.command-timeout=20s",
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
            environment.put("DELAYQUEUE_COMMAND_TIMEOUT", "20s");
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
}
