package io.delayqueue.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
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
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The guide to the dashboard shows what there is. */
class DashboardPageTests {

    @Test
    void settingsAreProperties() throws Exception {
        MutablePropertySources sources = new MutablePropertySources();
        new YamlPropertySourceLoader()
                .load("docs", new ClassPathResource("docs/dashboard.yaml"))
                .forEach(sources::addLast);
        DashboardProperties properties = new Binder(ConfigurationPropertySources.from(sources))
                .bind("delayqueue.dashboard", DashboardProperties.class)
                .get();

        assertThat(properties.isEnabled()).isTrue();
        assertThat(properties.isWriteEnabled()).isTrue();
        assertThat(properties.getMaskFields()).containsExactlyInAnyOrder("card-number", "password");
    }

    @Test
    void everyPropertyIsListed() throws Exception {
        String page = Files.readString(Path.of("../docs/dashboard.md"));
        Set<String> documented = new TreeSet<>();
        Matcher rows = Pattern.compile("^\\| `([a-z-]+)` \\|", Pattern.MULTILINE)
                .matcher(page.substring(page.indexOf("\n## Properties")));
        while (rows.find()) {
            documented.add("delayqueue.dashboard." + rows.group(1));
        }
        Set<String> properties = new TreeSet<>();
        try (InputStream json = DashboardProperties.class
                .getClassLoader()
                .getResourceAsStream("META-INF/spring-configuration-metadata.json")) {
            // those of the first module on the class path: this one
            for (JsonNode property : JsonMapper.builder().build().readTree(json).get("properties")) {
                String name = property.get("name").stringValue();
                assertThat(property.has("description")).as(name).isTrue();
                properties.add(name);
            }
        }

        assertThat(documented).hasSizeGreaterThan(10).containsExactlyInAnyOrderElementsOf(properties);
    }
}
