package io.delayqueue.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.test.EmbeddedRedis;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Alert rules, dashboard and guide name the meters that an application has, and the rules fire and are silent as they should. */
@SpringBootTest(
        classes = MonitoringTests.App.class,
        webEnvironment = WebEnvironment.NONE,
        properties = {
            "spring.config.location=optional:classpath:/none/",
            "delayqueue.journal.enabled=false",
            "management.prometheus.metrics.export.enabled=true"
        })
class MonitoringTests {

    private static final Path PROMETHEUS = Document.ROOT.resolve("docs/operations/prometheus");
    private static final Path ALERTS = PROMETHEUS.resolve("alerts.yml");
    private static final Path DASHBOARD = Document.ROOT.resolve("docs/operations/grafana/dashboard.json");

    private static final Pattern SERIES = Pattern.compile("\\bdelayqueue_\\w+");
    private static final Pattern ALERT = Pattern.compile("- alert: (\\w+)");
    private static final Pattern RUNBOOK = Pattern.compile("docs/operations/alerts\\.md#(\\w+)");
    private static final Pattern ROW =
            Pattern.compile("\\| `(delayqueue\\.[a-z.]+)` \\| ([^|;]+)(?:;([^|]*))? \\|[^|]+\\|");
    private static final Pattern RULE = Pattern.compile("\\bexpr:(.*?)\\n +(?:for|labels):", Pattern.DOTALL);
    private static final Pattern GAUGE = Pattern.compile("\\bdelayqueue_(messages|oldest_ready_age_seconds|paused)\\b");
    private static final Pattern GAUGE_OF_ALL_INSTANCES =
            Pattern.compile("((max|group) by \\([a-z, ]+\\) |group|absent)\\((last_over_time\\()?" + GAUGE.pattern());
    private static final Pattern RATE = Pattern.compile("\\b(rate|increase)\\(delayqueue_");
    private static final Pattern SUM_OF_RATE = Pattern.compile("sum by \\([a-z, ]+\\) \\(" + RATE.pattern());

    /** Not {@code >= 0}, which each number is that is known. */
    private static final Pattern EXCEEDED = Pattern.compile(">\\s*\\d|>=\\s*(?!0\\b)\\d");

    private static final Pattern NAME = Pattern.compile("`(\\w+)`");

    private static final EmbeddedRedis redis = EmbeddedRedis.start(); // ends with the JVM, after the application

    @Autowired
    private DelayQueueOperations queue;

    @Autowired
    private PrometheusMeterRegistry registry;

    @DynamicPropertySource
    static void redis(DynamicPropertyRegistry properties) {
        properties.add("spring.data.redis.url", redis::uri);
        properties.add("delayqueue.command-timeout", () -> "20s");
    }

    @BeforeEach
    void handleAMessage() {
        queue.schedule("orders", "one", Duration.ZERO);
        await().atMost(Duration.ofSeconds(30))
                .until(() -> registry.find("delayqueue.listener").timer() != null);
    }

    @Test
    void rulesAndDashboardNameSeriesThatExist() throws IOException {
        Set<String> existing = series(registry.scrape());
        // the server has callbacks, and looks for these
        series(Files.readString(ALERTS) + Files.readString(DASHBOARD)).stream()
                .filter(series -> series.startsWith("delayqueue_callback_"))
                .forEach(existing::add);

        assertThat(series(Files.readString(ALERTS))).isNotEmpty().isSubsetOf(existing);
        assertThat(series(Files.readString(PROMETHEUS.resolve("alerts-tests.yml"))))
                .isNotEmpty()
                .isSubsetOf(existing);
        assertThat(series(Files.readString(DASHBOARD))).hasSizeGreaterThan(12).isSubsetOf(existing);
    }

    @Test
    void theGuideHasATableOfAllMeters() {
        Map<String, Set<String>> documented = new TreeMap<>();
        for (String line : Document.read(Document.ROOT.resolve("docs/guide.md")).lines()) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                documented.put(row.group(1), names(row.group(3)));
            }
        }

        Map<String, Set<String>> existing = new TreeMap<>();
        registry.getMeters().stream()
                .map(Meter::getId)
                .filter(id -> id.getName().startsWith("delayqueue."))
                .forEach(id -> existing.computeIfAbsent(id.getName(), name -> new TreeSet<>())
                        .addAll(id.getTags().stream().map(Tag::getKey).toList()));
        assertThat(documented).isEqualTo(existing);
    }

    @Test
    void eachAlertHasARunbook() throws IOException {
        String rules = Files.readString(ALERTS);
        List<String> alerts =
                ALERT.matcher(rules).results().map(match -> match.group(1)).toList();
        List<String> headings = Document.read(Document.ROOT.resolve("docs/operations/alerts.md")).lines().stream()
                .filter(line -> line.startsWith("## "))
                .map(line -> line.substring(3))
                .toList();

        assertThat(headings).containsExactlyElementsOf(alerts);
        assertThat(RUNBOOK.matcher(rules).results().map(match -> match.group(1)))
                .containsExactlyElementsOf(alerts.stream()
                        .map(alert -> alert.toLowerCase(java.util.Locale.ROOT))
                        .toList());
    }

    @Test
    void eachAlertIsSeenToFireAndToBeSilent() throws IOException {
        String tests = Files.readString(PROMETHEUS.resolve("alerts-tests.yml"));
        for (String alert : ALERT.matcher(Files.readString(ALERTS))
                .results()
                .map(match -> match.group(1))
                .toList()) {
            assertThat(tests)
                    .containsPattern("alertname: " + alert + "\\s+exp_alerts:\\s+- exp_labels")
                    .containsPattern("alertname: " + alert + "\\s+exp_alerts: \\[]");
        }
    }

    @Test
    void promtoolFindsTheRulesRight() throws Exception {
        Optional<Path> promtool = program("promtool");
        assumeThat(promtool)
                .as("promtool, of Debian's package prometheus; DELAYQUEUE_REQUIRED_PROGRAMS may require it")
                .matches(found -> found.isPresent() || isRequired("promtool"));

        Process run = new ProcessBuilder(promtool.orElseThrow().toString(), "test", "rules", "alerts-tests.yml")
                .directory(PROMETHEUS.toFile())
                .redirectErrorStream(true)
                .start();
        String output = new String(run.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);

        assertThat(run.waitFor()).as(output).isZero();
        assertThat(output).contains("SUCCESS");
    }

    @Test
    void theDashboardBeginsWithTheAgeOfTheOldestDueMessage() throws IOException {
        JsonNode dashboard = JsonMapper.shared().readTree(Files.readString(DASHBOARD));

        assertThat(dashboard.at("/panels/0/targets/0/expr").asString())
                .startsWith("max by (topic) (delayqueue_oldest_ready_age_seconds");
        assertThat(dashboard.get("panels"))
                .allSatisfy(panel -> assertThat(panel.get("targets")).isNotEmpty());
    }

    /** Each instance reports the topics' gauges: a sum would count messages once for each. Depth alone says nothing. */
    @Test
    void gaugesOfTopicsAreTakenByMaxAndCountersBySum() throws IOException {
        List<String> expressions = new ArrayList<>();
        RULE.matcher(Files.readString(ALERTS)).results().forEach(match -> expressions.add(match.group(1)));
        assertThat(expressions)
                .hasSize((int) ALERT.matcher(Files.readString(ALERTS)).results().count());
        assertThat(expressions)
                .as("depth alone")
                .noneMatch(rule -> EXCEEDED.matcher(rule).find() && series(rule).equals(Set.of("delayqueue_messages")));
        for (JsonNode panel :
                JsonMapper.shared().readTree(Files.readString(DASHBOARD)).get("panels")) {
            panel.get("targets")
                    .forEach(target -> expressions.add(target.get("expr").asString()));
        }

        for (String expression : expressions) {
            assertThat(count(GAUGE, expression)).as(expression).isEqualTo(count(GAUGE_OF_ALL_INSTANCES, expression));
            assertThat(count(RATE, expression)).as(expression).isEqualTo(count(SUM_OF_RATE, expression));
        }
        assertThat(count(GAUGE, String.join("\n", expressions))).isGreaterThan(8);
        assertThat(count(RATE, String.join("\n", expressions))).isGreaterThan(12);
    }

    private static long count(Pattern pattern, String text) {
        return pattern.matcher(text).results().count();
    }

    private static Set<String> names(String tags) {
        // values stand behind a =
        return tags == null
                ? Set.of()
                : NAME.matcher(tags)
                        .results()
                        .map(match -> match.group(1))
                        .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> series(String text) {
        return SERIES.matcher(text)
                .results()
                .map(match -> match.group())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Optional<Path> program(String name) {
        return Stream.concat(
                        Stream.ofNullable(System.getenv("DELAYQUEUE_" + name.toUpperCase(java.util.Locale.ROOT)))
                                .map(Path::of),
                        Arrays.stream(System.getenv("PATH").split(":")).map(folder -> Path.of(folder, name)))
                .filter(Files::isExecutable)
                .findFirst();
    }

    private static boolean isRequired(String program) {
        String required = System.getenv("DELAYQUEUE_REQUIRED_PROGRAMS");
        return required != null && List.of(required.split(",")).contains(program);
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class App {

        @DelayQueueListener(topic = "orders")
        void on(String order) {}
    }
}
