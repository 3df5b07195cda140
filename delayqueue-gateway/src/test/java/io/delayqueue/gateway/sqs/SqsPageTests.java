package io.delayqueue.gateway.sqs;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.gateway.security.Right;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.io.ClassPathResource;
import software.amazon.awssdk.services.sqs.SqsClient;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The page for SQS clients tells what there is. */
class SqsPageTests {

    private static final String PREFIX = "delayqueue.gateway.sqs.";

    private static String page() throws IOException {
        return Files.readString(Path.of("../docs/sqs.md"));
    }

    @Test
    void keysAreASetting() throws IOException {
        MutablePropertySources sources = new MutablePropertySources();
        new YamlPropertySourceLoader()
                .load("page", new ClassPathResource("docs/sqs.yaml"))
                .forEach(sources::addLast);
        SqsProperties properties = new Binder(ConfigurationPropertySources.from(sources))
                .bind("delayqueue.gateway.sqs", SqsProperties.class)
                .get();

        assertThat(properties.isEnabled()).isTrue();
        assertThat(properties.getKeys()).containsOnlyKeys("SHOP");
        assertThat(properties.getKeys().get("SHOP").getRights()).containsExactlyInAnyOrder(Right.values());
        assertThat(properties.getKeys().get("SHOP").getTopics()).containsExactly("order*", "reminder");
    }

    @Test
    void everyPropertyIsListed() throws IOException {
        Set<String> documented = new TreeSet<>();
        Matcher rows = Pattern.compile("^\\| `([a-z.<>0-9-]+)` \\|", Pattern.MULTILINE)
                .matcher(page().substring(page().indexOf("\n## Properties")));
        while (rows.find()) {
            if (!rows.group(1).contains("<")) {
                documented.add(PREFIX + rows.group(1));
            }
        }
        Set<String> properties = new TreeSet<>();
        try (InputStream json = SqsProperties.class
                .getClassLoader()
                .getResourceAsStream("META-INF/spring-configuration-metadata.json")) {
            for (JsonNode property : new JsonMapper().readTree(json).get("properties")) {
                String name = property.get("name").stringValue();
                if (name.startsWith(PREFIX) && !name.equals(PREFIX + "keys") && !name.equals(PREFIX + "queues")) {
                    assertThat(property.has("description")).as(name).isTrue();
                    properties.add(name);
                }
            }
        }
        assertThat(documented).hasSizeGreaterThan(6).containsExactlyInAnyOrderElementsOf(properties);
    }

    /** Those of the SDK's client, which follows SQS' own model. */
    @Test
    void everyActionOfSqsIsListed() throws IOException {
        String page = page();
        Set<String> actions = new TreeSet<>();
        for (Method method : SqsClient.class.getMethods()) {
            if (method.getReturnType().getSimpleName().endsWith("Response")) {
                String name = method.getName();
                actions.add(Character.toUpperCase(name.charAt(0)) + name.substring(1));
            }
        }
        assertThat(actions)
                .hasSizeGreaterThan(20)
                .allSatisfy(action -> assertThat(page).contains("`" + action + "`"));
    }
}
