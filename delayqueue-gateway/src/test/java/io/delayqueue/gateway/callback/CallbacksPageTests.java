package io.delayqueue.gateway.callback;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.PropertySourcesPlaceholdersResolver;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.io.ClassPathResource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The page that describes callbacks tells what there is. */
class CallbacksPageTests {

    private static final Path PAGE = Path.of("../docs/callbacks.md");
    private static final String PREFIX = "delayqueue.gateway.callbacks.";

    @Test
    void theConfigurationOfThePageIsGood() throws IOException {
        MutablePropertySources sources = new MutablePropertySources();
        new YamlPropertySourceLoader()
                .load("page", new ClassPathResource("docs/callbacks.yaml"))
                .forEach(sources::addLast);
        Map<String, Object> environment = new HashMap<>();
        for (String name : List.of("INVOICES_SECRET", "PARTNERS_SECRET", "ACME_SECRET", "GLOBEX_SECRET")) {
            environment.put(name, CallbackInstance.SECRET);
        }
        sources.addLast(new MapPropertySource("environment", environment));
        Binder binder = new Binder(
                ConfigurationPropertySources.from(sources), new PropertySourcesPlaceholdersResolver(sources));

        CallbackConfiguration configuration = new CallbackConfiguration(
                binder.bindOrCreate("delayqueue.gateway.callbacks", CallbackProperties.class),
                binder.bindOrCreate("delayqueue", CallbackTopicProperties.class));
        assertThat(configuration.topics())
                .extracting(CallbackTopic::name)
                .containsExactlyInAnyOrder("invoices", "partner-orders");
        assertThat(configuration.topics())
                .flatExtracting(topic -> topic.form().signatures().byHost().keySet())
                .containsExactlyInAnyOrder("hooks.acme.example", "in.globex.example");
    }

    @Test
    void everyPropertyIsListed() throws IOException {
        String page = Files.readString(PAGE);
        List<String> names = new ArrayList<>();
        for (URL file : Collections.list(
                getClass().getClassLoader().getResources("META-INF/spring-configuration-metadata.json"))) {
            try (InputStream json = file.openStream()) {
                for (JsonNode property : new JsonMapper().readTree(json).get("properties")) {
                    String name = property.get("name").stringValue();
                    if (name.startsWith(PREFIX) && !name.equals(PREFIX + "flows")) {
                        names.add(name.substring(PREFIX.length()));
                    }
                }
            }
        }
        for (Field field : CallbackTopicProperties.Topic.class.getDeclaredFields()) {
            if (!Modifier.isStatic(field.getModifiers())) {
                names.add(field.getName().replaceAll("([A-Z])", "-$1").toLowerCase(java.util.Locale.ROOT));
            }
        }

        assertThat(names)
                .hasSizeGreaterThan(20)
                .allSatisfy(name -> assertThat(page).containsPattern("`" + name.replace(".", "\\.") + "[`.]"));
    }
}
