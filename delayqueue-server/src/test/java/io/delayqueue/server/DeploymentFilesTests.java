package io.delayqueue.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.delayqueue.gateway.GatewayProperties;
import io.delayqueue.gateway.security.Right;
import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.ByteArrayResource;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.json.JsonMapper;

/** The files with which operators run the server, as far as they can be checked without a Docker. */
class DeploymentFilesTests {

    @Test
    void environmentOfTheComposeFileIsAConfiguration() throws Exception {
        Map<String, Object> environment = new LinkedHashMap<>(serverOfCompose("environment"));
        environment.replaceAll(
                (name, value) -> String.valueOf(value).startsWith("${GATEWAY_TOKEN_SHA256") ? "0".repeat(64) : value);
        MutablePropertySources sources = new MutablePropertySources();
        sources.addFirst(new SystemEnvironmentPropertySource(
                StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, environment));
        Binder binder = new Binder(ConfigurationPropertySources.from(sources));

        GatewayProperties.Token token = binder.bind("delayqueue.gateway", GatewayProperties.class)
                .get()
                .getTokens()
                .get("main");
        assertThat(token.getSha256()).isEqualTo("0".repeat(64));
        assertThat(token.getRights()).containsExactlyInAnyOrder(Right.values());
        assertThat(token.getTopics()).containsExactly("*");
        assertThat(binder.bind("spring.data.redis.url", String.class).get()).isEqualTo("redis://redis:6379");
    }

    /** Other containers reach health and metrics, and programs outside of them do not. */
    @Test
    void composeFileChecksReadinessAndPublishesTheApiOnly() throws Exception {
        assertThat(serverOfCompose("environment")).containsEntry("MANAGEMENT_SERVER_ADDRESS", "0.0.0.0");
        assertThat(serverOfCompose("healthcheck").get("test").toString())
                .contains("http://127.0.0.1:8081/actuator/health/readiness");
        assertThat(listOfCompose("ports")).hasToString("[8080:8080]");
    }

    /** The example, with the lines that are off. */
    private static Map<String, Object> example() throws IOException {
        String text =
                Files.readString(Path.of("config/application.yml.example")).replace("#- ", "");
        return new YamlPropertySourceLoader()
                .load("example", new ByteArrayResource(text.getBytes(StandardCharsets.UTF_8))).stream()
                        .map(source -> (Map<?, ?>) source.getSource())
                        .collect(
                                LinkedHashMap::new,
                                (all, one) -> one.forEach((name, value) -> all.put((String) name, value)),
                                Map::putAll);
    }

    /** Names of the properties of everything on the class path. */
    private static Set<String> properties() throws IOException {
        Set<String> names = new TreeSet<>();
        for (URL metadata : Collections.list(DeploymentFilesTests.class
                .getClassLoader()
                .getResources("META-INF/spring-configuration-metadata.json"))) {
            try (InputStream json = metadata.openStream()) {
                new JsonMapper()
                        .readTree(json)
                        .path("properties")
                        .forEach(property -> names.add(property.path("name").stringValue()));
            }
        }
        return names;
    }

    private static boolean isOf(String property, String name) {
        return name.equals(property) || name.startsWith(property + ".") || name.startsWith(property + "[");
    }

    /** Whether a name is that of a property, or of an entry of one that is a map or a list. */
    private static boolean isProperty(String name, Set<String> properties) {
        return properties.stream().anyMatch(property -> isOf(property, name));
    }

    @Test
    void eachLineOfTheExampleIsAProperty() throws Exception {
        Set<String> properties = properties();

        assertThat(example().keySet())
                .hasSizeGreaterThan(40)
                .allSatisfy(name ->
                        assertThat(isProperty(name, properties)).as(name).isTrue());
    }

    @Test
    void exampleHasEachPropertyOfTheGateway() throws Exception {
        Set<String> lines = example().keySet();

        assertThat(properties().stream().filter(name -> name.startsWith("delayqueue.gateway.")))
                .hasSizeGreaterThan(30)
                .allSatisfy(name -> assertThat(lines.stream().anyMatch(line -> isOf(name, line)))
                        .as(name)
                        .isTrue());
    }

    static Map<String, Object> serverOfCompose(String key) throws IOException {
        Map<String, Object> found = new LinkedHashMap<>();
        ((Map<?, ?>) server().get(key)).forEach((name, value) -> found.put((String) name, value));
        return found;
    }

    private static List<?> listOfCompose(String key) throws IOException {
        return (List<?>) server().get(key);
    }

    private static Map<?, ?> server() throws IOException {
        try (Reader reader = Files.newBufferedReader(Path.of("compose.yaml"))) {
            Map<?, ?> compose = new Yaml().load(reader);
            return (Map<?, ?>) ((Map<?, ?>) compose.get("services")).get("server");
        }
    }

    @Test
    void systemdFindsNoFaultInTheUnit(@TempDir Path folder) throws Exception {
        Path systemd = Path.of("/usr/bin/systemd-analyze");
        boolean there = Files.isExecutable(systemd);
        if (!there) {
            System.out.println("SKIPPED the check of the systemd unit: there is no " + systemd);
        }
        assumeTrue(there, "there is no systemd-analyze");
        // it looks for the program, which may be elsewhere on this machine
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        Path unit = folder.resolve("delayqueue-server.service");
        Files.writeString(
                unit, Files.readString(Path.of("delayqueue-server.service")).replace("/usr/bin/java", java));

        Process verify = new ProcessBuilder(systemd.toString(), "verify", unit.toString())
                .redirectErrorStream(true)
                .start();
        String output = new String(verify.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(verify.waitFor(1, TimeUnit.MINUTES)).isTrue();
        // units of the machine may have faults of their own
        assertThat(output.lines()
                        .filter(line -> line.contains(unit.getFileName().toString())))
                .isEmpty();
    }
}
