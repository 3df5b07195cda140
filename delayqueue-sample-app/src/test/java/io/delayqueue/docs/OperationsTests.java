package io.delayqueue.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The log lines and meters that the documents name are in the sources. */
class OperationsTests {

    private static final Pattern LOG_LINE = Pattern.compile("`([^`]*…[^`]*)`");
    private static final Pattern METER = Pattern.compile("`(delayqueue\\.[a-z.]+)[`{]");
    private static final Pattern GAUGE =
            Pattern.compile("\\| `(delayqueue\\.[a-z.]+)` \\| gauge of Redis[^|]*;([^|]*)\\|.*");
    private static final Pattern QUERY = Pattern.compile("(\\w+) by \\(([^)]*)\\) \\((delayqueue_\\w+)");
    private static final Pattern CONCATENATION = Pattern.compile("\"\\s*\\+\\s*\"");

    @Test
    void operationsQuoteLogLinesAsTheyAre() throws IOException {
        String sources = sources("delayqueue-core", "delayqueue-spring-boot-starter");
        List<String> quoted = new ArrayList<>();
        for (String line : section("docs/operations/README.md", "## Log lines of faults")) {
            LOG_LINE.matcher(line)
                    .results()
                    .flatMap(match -> Stream.of(match.group(1).split("…")))
                    .map(String::strip)
                    .filter(text -> text.contains(" "))
                    .forEach(quoted::add);
        }

        assertThat(quoted).isNotEmpty();
        assertThat(quoted)
                .as("quoted parts of log lines that no source has")
                .filteredOn(text -> !sources.contains(text))
                .isEmpty();
    }

    @Test
    void guidesAndOperationsNameMetersThatExist() throws IOException {
        String sources = sources("delayqueue-spring-boot-starter", "delayqueue-jdbc", "delayqueue-gateway");

        List<String> meters = Stream.of(
                        section("docs/guide.md", "## Metrics"),
                        section("docs/operations/README.md", "## Watch"),
                        section("docs/journal.md", "## Operating"),
                        section("docs/callbacks.md", "## Metrics and health"),
                        section("docs/gateway.md", "## Metrics"))
                .flatMap(List::stream)
                .filter(line -> line.startsWith("| `delayqueue."))
                .flatMap(line -> METER.matcher(line).results().map((MatchResult match) -> match.group(1)))
                .toList();

        assertThat(meters).isNotEmpty();
        assertThat(meters)
                .as("meters that no source has")
                // an observation has a timer, and one of calls that run
                .filteredOn(meter -> !sources.contains('"' + meter.replaceFirst("[.]active$", "") + '"'))
                .isEmpty();
    }

    /** A gauge is of Redis: each instance reports the same, and a sum of them is wrong. */
    @Test
    void queriesOfGaugesTakeTheMaximumOfAllInstances() {
        Map<String, String> gauges = section("docs/guide.md", "## Metrics").stream()
                .map(GAUGE::matcher)
                .filter(Matcher::matches)
                .collect(Collectors.toMap(row -> row.group(1), row -> row.group(2)));
        assertThat(gauges).containsOnlyKeys("delayqueue.messages", "delayqueue.oldest.ready.age", "delayqueue.paused");

        List<MatchResult> queries = Document.all().stream()
                .flatMap(document -> document.lines().stream())
                .flatMap(line -> QUERY.matcher(line).results())
                .toList();
        assertThat(queries).isNotEmpty().allSatisfy(query -> {
            String gauge = query.group(3).replace('_', '.');
            assertThat(gauges).as(query.group()).containsKey(gauge);
            assertThat(query.group(1)).as(query.group()).isEqualTo("max");
            assertThat(query.group(2).split(", "))
                    .as(query.group())
                    .allMatch(tag -> gauges.get(gauge).contains("`" + tag + "`"));
        });
        assertThat(section("docs/operations/README.md", "## Watch"))
                .filteredOn(line -> gauges.keySet().stream().anyMatch(line::contains))
                .hasSize(gauges.size())
                .allMatch(line -> line.contains("`max by (topic)`"));
    }

    /** The lines below a heading, up to the next one. */
    private static List<String> section(String document, String heading) {
        List<String> lines = Document.read(Document.ROOT.resolve(document)).lines();
        int start = lines.indexOf(heading);
        assertThat(start).as("%s in %s", heading, document).isNotNegative();
        return lines.subList(start + 1, lines.size()).stream()
                .takeWhile(line -> !line.startsWith("## "))
                .toList();
    }

    /** The Java sources of modules, texts in one piece. */
    private static String sources(String... modules) throws IOException {
        StringBuilder sources = new StringBuilder();
        for (String module : modules) {
            try (Stream<Path> files = Files.find(
                    Document.ROOT.resolve(module).resolve("src/main/java"),
                    20,
                    (file, attributes) -> file.toString().endsWith(".java"))) {
                sources.append(files.map(OperationsTests::text).collect(Collectors.joining("\n")));
            }
        }
        return CONCATENATION.matcher(sources).replaceAll("");
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
