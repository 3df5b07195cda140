package io.delayqueue.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.gateway.http.problem.ProblemType;
import io.delayqueue.gateway.security.Right;
import io.delayqueue.gateway.testsupport.Gateway;
import io.delayqueue.gateway.testsupport.Programs;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.io.ClassPathResource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The gateway's page shows what there is. */
@ExtendWith(EmbeddedRedisExtension.class)
class GatewayPageTests {

    // SHA-256 of "abc", from FIPS 180
    private static final String SHA256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    @TempDir
    private Path directory;

    private static String page() throws Exception {
        return Files.readString(Path.of("../docs/gateway.md"));
    }

    @Test
    void linesOfCurlScheduleClaimAndAck(EmbeddedRedis redis) throws Exception {
        Programs.require("curl", "--version");
        String script = block(page(), "api=");
        assertThat(script.lines()).hasSize(5);
        try (Gateway gateway = startForTheShop(redis)) {
            String output = run(script, gateway.port(), Map.of());

            assertThat(output).contains("\"outcome\":\"scheduled\"", "{\"text\":\"Call Ann\"}");
            assertThat(gateway.client().stats("reminder").totals().acked()).isEqualTo(1);
        }
    }

    /** Those have half an hour between them, in which a reader copies the receipt. */
    @Test
    void linesOfCurlOnTheFirstPageScheduleClaimAndAck(EmbeddedRedis redis) throws Exception {
        Programs.require("curl", "--version");
        List<String> lines =
                block(Files.readString(Path.of("../README.md")), "api=").lines().toList();
        assertThat(lines).hasSize(4);
        assertThat(lines.get(1)).contains("\"PT30M\"");
        try (Gateway gateway = startForTheShop(redis)) {
            String claim = String.join("\n", lines.subList(0, 3)).replace("PT30M", "PT0S");
            String claimed = run(claim, gateway.port(), Map.of());

            Matcher receipt = Pattern.compile("\"receipt\":\"([^\"]+)").matcher(claimed);
            assertThat(receipt.find()).as(claimed).isTrue();
            run(lines.get(0) + "\n" + lines.get(3), gateway.port(), Map.of("receipt", receipt.group(1)));
            assertThat(gateway.client().stats("reminder").totals().acked()).isEqualTo(1);
        }
    }

    @Test
    void linesOfTheShellMakeATokenAndItsHash() throws Exception {
        Programs.require("openssl", "version");
        String script = block(page(), "TOKEN=") + "echo \"$TOKEN $SHOP_TOKEN_SHA256\"\n";

        String[] made = run(script, 0, Map.of()).strip().split(" ");

        byte[] hash = MessageDigest.getInstance("SHA-256").digest(made[0].getBytes(StandardCharsets.UTF_8));
        assertThat(made[0]).hasSize(64);
        assertThat(made[1]).isEqualTo(HexFormat.of().formatHex(hash));
    }

    private static String block(String page, String begin) {
        Matcher block =
                Pattern.compile("```sh\n(" + begin + ".*?)```", Pattern.DOTALL).matcher(page);
        assertThat(block.find()).isTrue();
        return block.group(1);
    }

    private static Gateway startForTheShop(EmbeddedRedis redis) {
        return Gateway.start(
                redis,
                "delayqueue.gateway.tokens.shop.sha256=" + SHA256,
                "delayqueue.gateway.tokens.shop.rights=produce,consume",
                "delayqueue.gateway.tokens.shop.topics=reminder");
    }

    private String run(String script, int port, Map<String, String> variables) throws Exception {
        Path output = Files.createTempFile(directory, "output", "");
        ProcessBuilder shell = new ProcessBuilder("bash", "-euc", script.replace("localhost:8080", "127.0.0.1:" + port))
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        shell.environment().put("TOKEN", "abc");
        shell.environment().put("no_proxy", "127.0.0.1");
        shell.environment().putAll(variables);
        Process process = shell.start();

        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return Files.readString(output);
    }

    @Test
    void tokensAreASetting() throws Exception {
        MutablePropertySources sources = new MutablePropertySources();
        new YamlPropertySourceLoader()
                .load("docs", new ClassPathResource("docs/gateway.yaml"))
                .forEach(sources::addLast);
        GatewayProperties properties = new Binder(ConfigurationPropertySources.from(sources))
                .bind("delayqueue.gateway", GatewayProperties.class)
                .get();

        assertThat(properties.isEnabled()).isTrue();
        GatewayProperties.Token token = properties.getTokens().get("shop");
        assertThat(token.getRights()).containsExactlyInAnyOrder(Right.PRODUCE, Right.CONSUME);
        assertThat(token.getTopics()).containsExactly("order-*", "reminder");
    }

    @Test
    void everyPropertyOfTheHttpApiIsListed() throws Exception {
        Set<String> documented = new TreeSet<>();
        Matcher rows = Pattern.compile("^\\| `([a-z.<>0-9-]+)` \\|", Pattern.MULTILINE)
                .matcher(page().substring(page().indexOf("\n## Properties")));
        while (rows.find()) {
            if (!rows.group(1).startsWith("tokens.")) {
                documented.add("delayqueue.gateway." + rows.group(1));
            }
        }
        Set<String> properties = new TreeSet<>();
        try (InputStream json = GatewayProperties.class
                .getClassLoader()
                .getResourceAsStream("META-INF/spring-configuration-metadata.json")) {
            // those of the first module on the class path: this one
            for (JsonNode property : JsonMapper.builder().build().readTree(json).get("properties")) {
                String name = property.get("name").stringValue();
                assertThat(property.has("description")).as(name).isTrue();
                if (name.startsWith("delayqueue.gateway.")
                        && !name.startsWith("delayqueue.gateway.sqs")
                        && !name.startsWith("delayqueue.gateway.callbacks")
                        && !name.equals("delayqueue.gateway.tokens")) {
                    properties.add(name);
                }
            }
        }

        assertThat(documented).hasSizeGreaterThan(10).containsExactlyInAnyOrderElementsOf(properties);
    }

    @Test
    void everyProblemIsListedWithItsStatus() throws Exception {
        String errors = page().substring(page().indexOf("\n## Errors"), page().indexOf("\n## With a journal"));
        for (ProblemType type : ProblemType.values()) {
            String code = type.uri().toString().substring("urn:delayqueue:problem:".length());
            assertThat(errors.lines()
                            .filter(line -> line.contains("`" + code + "`"))
                            .map(line -> line.substring(2, line.indexOf('|', 2))))
                    .as(code)
                    .singleElement()
                    .asString()
                    .contains(String.valueOf(type.status()));
        }
    }
}
