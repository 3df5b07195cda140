package io.delayqueue.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.benchmarks.Results;
import io.delayqueue.benchmarks.Sample;
import io.delayqueue.benchmarks.Size;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportTests {

    @TempDir
    Path folder;

    @Test
    void showsRatiosTargetsAndMissingServers() throws Exception {
        new Report(List.of(drain(Size.FULL, 16_000))).write(folder);

        String report = Files.readString(folder.resolve("report.md"));
        assertThat(report)
                .contains("| drain at concurrency 64 ÷ Redisson's | ≥ 8.00 | 16.0 | yes |")
                .contains("| drain at concurrency 64 ÷ rqueue's | ≥ 50.0 | not measured |  |")
                .contains("| Redisson | 0.06 × · 1,000 |")
                .contains("Note: beanstalkd is not available.")
                .doesNotContain("smoke");
    }

    @Test
    void marksATargetThatIsMissed() throws Exception {
        new Report(List.of(drain(Size.SMOKE, 7_000))).write(folder);

        assertThat(Files.readString(folder.resolve("report.md")))
                .contains("| drain at concurrency 64 ÷ Redisson's | ≥ 8.00 | 7.00 | **no** |")
                .contains("a smoke run");
    }

    @Test
    void drainIsComparedWithTheLimitLineOfTheSameRun() throws Exception {
        new Report(List.of(drain(Size.FULL, 1_390))).write(folder);

        assertThat(Files.readString(folder.resolve("report.md")))
                .contains("| drain at concurrency 64 ÷ limit line's (1.54 before) | ≥ 1.39 | 1.39 | yes |")
                .doesNotContain("baseline");
    }

    @Test
    void mainFiguresCompareWithTheBaseline() throws Exception {
        Results results = new Results(
                "drain",
                Size.FULL,
                1,
                List.of(),
                List.of(),
                List.of(
                        sample("drain", "core", "64", Map.of("rate", 900.0)),
                        sample("drain", "baseline", "64", Map.of("rate", 1_000.0))));
        Report report = new Report(List.of(results, lateness()));
        report.write(folder);

        assertThat(report.mainFigures(List.of("drain")))
                .contains("| drain 64: messages a second | 900 | 1,000 | 0.90 |")
                .noneMatch(line -> line.contains("lateness"));
        assertThat(Files.readString(folder.resolve("report.md")))
                .contains("| drain at concurrency 64 ÷ baseline's | ≥ 0.90 | 0.90 | yes |")
                .contains("| delayqueue, baseline | 1.11 × · 1,000 |");
    }

    @Test
    void columnsAreInTheOrderOfTheirNumbersAndThenAsMeasured() throws Exception {
        List<Sample> samples = Stream.of("1000", "100", "silence", "5000")
                .map(setting -> sample("lateness", "core", setting, Map.of("lateP50", 0.0)))
                .toList();
        new Report(List.of(new Results("lateness", Size.FULL, 1, List.of(), List.of(), samples))).write(folder);

        assertThat(Files.readString(folder.resolve("report.md")))
                .contains("| | 100 | 1000 | 5000 | silence |")
                .contains("| delayqueue | 0 | 0 | 0 | 0 |");
    }

    @Test
    void plotsAreXml() throws Exception {
        new Report(List.of(drain(Size.FULL, 16_000), lateness())).write(folder);

        for (String plot : List.of("drain.svg", "lateness.svg")) {
            var document = DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(folder.resolve(plot).toFile());
            assertThat(document.getDocumentElement().getTagName()).isEqualTo("svg");
        }
    }

    private static Results drain(Size size, double rate) {
        return new Results(
                "drain",
                size,
                1,
                List.of("somewhere"),
                List.of("beanstalkd is not available"),
                List.of(
                        sample("drain", "core", "64", Map.of("rate", rate)),
                        sample("drain", "limit", "64", Map.of("rate", 1_000.0)),
                        sample("drain", "redisson", "64", Map.of("rate", 1_000.0))));
    }

    private static Results lateness() {
        Map<String, Double> figures = Map.of("lateP50", 0.5, "lateP99", 1.5, "lateP999", 4.0, "lateMax", 0.0);
        return new Results(
                "lateness", Size.FULL, 1, List.of(), List.of(), List.of(sample("lateness", "core", "1000", figures)));
    }

    private static Sample sample(String scenario, String peer, String setting, Map<String, Double> figures) {
        return new Sample(scenario, peer, setting, 1, figures);
    }
}
