package io.delayqueue.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.benchmarks.Results;
import io.delayqueue.benchmarks.Sample;
import io.delayqueue.benchmarks.Size;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

class ReportTests {

    /** In pixels, at most: of 13 px and without serifs. */
    private static final double WIDTH_OF_LETTER = 7.5;

    @TempDir
    Path folder;

    @Test
    void showsRatiosTargetsAndMissingServers() throws Exception {
        new Report(List.of(drain(Size.FULL, 16_000))).write(folder);

        assertThat(report())
                .contains("| drain at concurrency 64 ÷ Redisson's | ≥ 8.00 | 16.0 | yes |")
                .contains("| drain at concurrency 64 ÷ rqueue's | ≥ 50.0 | not measured |  |");
        assertThat(details())
                .contains("| Redisson | 0.06 × · 1,000 |")
                .contains("Note: beanstalkd is not available.")
                .doesNotContain("smoke");
    }

    @Test
    void marksATargetThatIsMissed() throws Exception {
        new Report(List.of(drain(Size.SMOKE, 7_000))).write(folder);

        assertThat(report()).contains("| drain at concurrency 64 ÷ Redisson's | ≥ 8.00 | 7.00 | **no** |");
        assertThat(details()).contains("a smoke run");
    }

    @Test
    void lifeIsComparedWithTheLimitLineOfTheSameRound() throws Exception {
        Results life = new Results(
                "drain",
                Size.FULL,
                1,
                List.of(),
                List.of(),
                List.of(
                        sample("drain", "core", "100", Map.of("lifeServerCpu", 7.0)),
                        sample("drain", "limit", "100", Map.of("lifeServerCpu", 4.0)),
                        sample("drain", "pipelining", "100", Map.of("lifeServerCpu", 7.0))));
        new Report(List.of(life)).write(folder);

        assertThat(report())
                .contains("| whole life, batches of 100: Redis CPU ÷ limit line's | ≤ 1.30 | 1.75 | **no** |")
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
        assertThat(report()).contains("| drain at concurrency 64 ÷ baseline's | ≥ 0.90 | 0.90 | yes |");
        assertThat(details()).contains("| delayqueue, baseline | 1.11 × · 1,000 |");
    }

    @Test
    void columnsAreInTheOrderOfTheirNumbersAndThenAsMeasured() throws Exception {
        List<Sample> samples = Stream.of("1000", "100", "silence", "5000")
                .map(setting -> sample("lateness", "core", setting, Map.of("lateSinceCallP50", 0.0)))
                .toList();
        new Report(List.of(new Results("lateness", Size.FULL, 1, List.of(), List.of(), samples))).write(folder);

        assertThat(details()).contains("| | 100 | 1000 | 5000 | silence |").contains("| delayqueue | 0 | 0 | 0 | 0 |");
    }

    @Test
    void eachTableHasTheNumberOfItsRounds() throws Exception {
        List<Sample> samples = List.of(
                new Sample("drain", "core", "64", 1, Map.of("rate", 1.0)),
                new Sample("drain", "core", "64", 2, Map.of("rate", 1.0, "lifeServerCpu", 1.0)),
                new Sample("drain", "redisson", "64", 1, Map.of("rate", 1.0)));
        new Report(List.of(new Results("drain", Size.FULL, 2, List.of(), List.of(), samples))).write(folder);

        assertThat(details())
                .contains("**Messages a second** (1 to 2 rounds)")
                .contains("from schedule to ack** (1 round)")
                .doesNotContain("busy");
    }

    @Test
    void aBusyMachineIsToldFirst() throws Exception {
        List<String> environment = List.of("load average at the start: 2.2");
        new Report(List.of(new Results("drain", Size.FULL, 2, environment, List.of(), List.of()))).write(folder);

        assertThat(Files.readAllLines(folder.resolve("report.md")).get(2))
                .isEqualTo("**The machine was busy at the start: the load average was 0.50 or more.**");
    }

    @Test
    void growthIsComparedWithTheLimitLines() throws Exception {
        List<Sample> samples = Stream.of("0", "1000000")
                .flatMap(pending -> Stream.of(
                        sample("growth", "core", pending, Map.of("lifeServerCpu", pending.equals("0") ? 6.0 : 9.0)),
                        sample("growth", "limit", pending, Map.of("lifeServerCpu", 3.0))))
                .toList();
        new Report(List.of(new Results("growth", Size.FULL, 1, List.of(), List.of(), samples))).write(folder);

        assertThat(report())
                .contains(
                        "| Redis CPU of a life ÷ limit line's: at 1,000,000 pending ÷ at 0 | ≤ 1.10 | 1.50 | **no** |");
    }

    @Test
    void severalVersionsAreToldFirst() throws Exception {
        new Report(List.of(
                        new Results("drain", Size.FULL, 1, List.of("commit 1a2b3c4"), List.of(), List.of()),
                        new Results("idle", Size.FULL, 1, List.of("commit 5d6e7f8"), List.of(), List.of())))
                .write(folder);

        assertThat(Files.readAllLines(folder.resolve("report.md")).get(2))
                .isEqualTo(
                        "**These figures are of several versions, so compare no two sections: commit 1a2b3c4, commit 5d6e7f8.**");
    }

    @Test
    void scenariosOfFewPeersHaveARowForEachFigure() throws Exception {
        List<Sample> samples = List.of(
                sample("topics", "core", "1 topic", Map.of("threads", 9.0)),
                sample("topics", "core", "1000 topics", Map.of("threads", 33.0, "connections", 3.0)));
        new Report(List.of(new Results("topics", Size.FULL, 1, List.of(), List.of(), samples))).write(folder);

        assertThat(details()).contains("| | 1 topic | 1000 topics |").contains("| Connections |  | 3.00 |");
        assertThat(report()).contains("| 1,000 topics in one process: threads, idle | ≤ 32.0 | 33.0 | **no** |");
    }

    @Test
    void whatAllSectionsHaveInCommonStandsOnce() throws Exception {
        new Report(List.of(
                        new Results(
                                "drain", Size.FULL, 1, List.of("JDK 17", "one round of warm-up"), List.of(), List.of()),
                        new Results("idle", Size.FULL, 1, List.of("JDK 17", "no warm-up"), List.of(), List.of())))
                .write(folder);

        assertThat(report().lines())
                .containsOnlyOnce("All of it: JDK 17.")
                .noneMatch(line -> line.startsWith("Measured"));
        assertThat(details().lines())
                .containsOnlyOnce("All of it: JDK 17.")
                .contains("Measured: one round of warm-up.", "Measured: no warm-up.");
    }

    @Test
    void labelsOfPlotsAreNotCutOff() throws Exception {
        new Report(List.of(drain(Size.FULL, 16_000), lateness())).write(folder);

        for (String plot : List.of("drain.svg", "lateness.svg")) {
            Element svg = DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(folder.resolve(plot).toFile())
                    .getDocumentElement();
            int width = Integer.parseInt(svg.getAttribute("width"));
            NodeList labels = svg.getElementsByTagName("text");
            assertThat(labels.getLength()).isGreaterThan(3);
            for (int i = 0; i < labels.getLength(); i++) {
                Element label = (Element) labels.item(i);
                double length = label.getTextContent().length() * WIDTH_OF_LETTER;
                double begin = Integer.parseInt(label.getAttribute("x"))
                        - switch (label.getAttribute("text-anchor")) {
                            case "end" -> length;
                            case "middle" -> length / 2;
                            default -> 0;
                        };
                assertThat(begin).as(label.getTextContent()).isNotNegative();
                assertThat(begin + length).as(label.getTextContent()).isLessThanOrEqualTo(width);
            }
        }
    }

    private String report() throws IOException {
        return Files.readString(folder.resolve("report.md"));
    }

    private String details() throws IOException {
        return Files.readString(folder.resolve("details.md"));
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
        Map<String, Double> figures = Map.of("lateSinceCallP50", 0.5, "lateSinceCallP99", 1.5, "lateSinceCallMax", 4.0);
        return new Results(
                "lateness", Size.FULL, 1, List.of(), List.of(), List.of(sample("lateness", "core", "1000", figures)));
    }

    private static Sample sample(String scenario, String peer, String setting, Map<String, Double> figures) {
        return new Sample(scenario, peer, setting, 1, figures);
    }
}
