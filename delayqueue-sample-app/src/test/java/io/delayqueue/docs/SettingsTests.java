package io.delayqueue.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.autoconfigure.JournalProperties;
import io.delayqueue.spring.autoconfigure.DelayQueueProperties;
import io.delayqueue.spring.health.DelayQueueHealthIndicator;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.time.Duration;
import java.util.Collections;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointProperties;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.autoconfigure.ssl.SslProperties;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.data.redis.autoconfigure.DataRedisProperties;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.health.autoconfigure.actuate.endpoint.HealthEndpointProperties;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.io.ClassPathResource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The settings that the documents show exist. */
class SettingsTests {

    private static final Pattern JOURNAL_TABLE =
            Pattern.compile("^\\| property `(delayqueue\\.journal\\.(?:[a-z]+\\.)?)…?` \\|");
    private static final Pattern NAME = Pattern.compile("`([^`]+)`");
    private static final Pattern DOCUMENTED_PROPERTY = Pattern.compile("\\| `(delayqueue\\.[^`]+)` \\|");

    @Test
    void partitionsAreASetting() throws IOException {
        DelayQueueProperties properties = bind("partitions", "delayqueue", DelayQueueProperties.class);

        assertThat(properties.getTopics().get("order-timeout").getPartitions()).isEqualTo(12);
    }

    @Test
    void namesOfTopicsInBracketsAreKept() throws IOException {
        DelayQueueProperties properties = bind("topics", "delayqueue", DelayQueueProperties.class);

        assertThat(properties.getTopics()).containsOnlyKeys("order-timeout", "orders.eu/late");
        assertThat(properties.getTopics().get("orders.eu/late").getDeadLetterRetention())
                .isEqualTo(Duration.ofDays(30));
    }

    @Test
    void waitingForReplicasIsASetting() throws IOException {
        DelayQueueProperties properties = bind("replicas", "delayqueue", DelayQueueProperties.class);

        assertThat(properties.getWaitForReplicas().getCount()).isEqualTo(1);
        assertThat(properties.getWaitForReplicas().getTimeout()).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void tlsIsASettingOfSpringBoots() throws IOException {
        DataRedisProperties redis = bind("tls", "spring.data.redis", DataRedisProperties.class);
        SslProperties ssl = bind("tls", "spring.ssl", SslProperties.class);

        assertThat(ssl.getBundle().getPem()).containsKey(redis.getSsl().getBundle());
    }

    @Test
    void exposedEndpointsAreASettingOfSpringBoots() throws IOException {
        WebEndpointProperties web = bind("actuator", "management.endpoints.web", WebEndpointProperties.class);
        HealthEndpointProperties health =
                bind("actuator", "management.endpoint.health", HealthEndpointProperties.class);

        assertThat(web.getExposure().getInclude()).containsExactly("health", "metrics", "delayqueue");
        assertThat(health.getShowDetails()).isEqualTo(Show.ALWAYS);
    }

    @Test
    void statusOfABacklogIsASettingOfSpringBoots() throws IOException {
        HealthEndpointProperties health = bind("overdue", "management.endpoint.health", HealthEndpointProperties.class);

        String overdue = DelayQueueHealthIndicator.OVERDUE.getCode();
        assertThat(health.getStatus().getOrder()).anyMatch(overdue::equalsIgnoreCase);
        assertThat(health.getStatus().getHttpMapping()).containsEntry(overdue.toLowerCase(Locale.ROOT), 503);
    }

    @Test
    void readmeListsEveryProperty() throws IOException {
        Set<String> documented = DOCUMENTED_PROPERTY
                .matcher(String.join(
                        "\n", Document.read(Document.ROOT.resolve("README.md")).lines()))
                .results()
                .map((MatchResult row) -> row.group(1))
                .filter(name -> !name.contains("<name>"))
                .collect(Collectors.toSet());

        assertThat(documented).containsExactlyInAnyOrderElementsOf(properties());
    }

    @Test
    void thePageOfTheJournalListsEveryPropertyOfIt() throws IOException {
        Set<String> documented = new TreeSet<>();
        String prefix = "";
        for (String line :
                Document.read(Document.ROOT.resolve("docs/journal.md")).lines()) {
            Matcher header = JOURNAL_TABLE.matcher(line);
            if (header.find()) {
                prefix = header.group(1);
            } else if (!line.startsWith("|")) {
                prefix = "";
            } else if (!prefix.isEmpty() && line.startsWith("| `")) {
                String names = line.substring(2, line.indexOf('|', 2));
                for (MatchResult name : NAME.matcher(names).results().toList()) {
                    documented.add(prefix + name.group(1));
                }
            }
        }

        Set<String> properties = new TreeSet<>();
        for (URL file : Collections.list(
                JournalProperties.class.getClassLoader().getResources("META-INF/spring-configuration-metadata.json"))) {
            try (InputStream json = file.openStream()) {
                properties.addAll(properties(json, "delayqueue.journal."));
            }
        }
        assertThat(properties).hasSizeGreaterThan(30);
        assertThat(documented).containsExactlyInAnyOrderElementsOf(properties);
    }

    private static <T> T bind(String file, String prefix, Class<T> type) throws IOException {
        MutablePropertySources sources = new MutablePropertySources();
        new YamlPropertySourceLoader()
                .load(file, new ClassPathResource("docs/" + file + ".yaml"))
                .forEach(sources::addLast);
        return new Binder(ConfigurationPropertySources.from(sources))
                .bind(prefix, Bindable.of(type), new NoUnboundElementsBindHandler(BindHandler.DEFAULT))
                .get();
    }

    /** Names of the properties that IDEs offer, but for the map of topics. */
    private static Set<String> properties() throws IOException {
        try (InputStream json = Objects.requireNonNull(
                DelayQueueProperties.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json"))) {
            return properties(json, "delayqueue.").stream()
                    .filter(name -> !name.equals("delayqueue.topics"))
                    .collect(Collectors.toSet());
        }
    }

    private static Set<String> properties(InputStream json, String prefix) throws IOException {
        JsonNode properties = JsonMapper.shared().readTree(json.readAllBytes()).path("properties");
        return StreamSupport.stream(properties.spliterator(), false)
                .map(property -> property.get("name").asString())
                .filter(name -> name.startsWith(prefix))
                .collect(Collectors.toSet());
    }
}
