package io.delayqueue.benchmarks.report;

import io.delayqueue.benchmarks.Contestant;
import io.delayqueue.benchmarks.Contestants;
import io.delayqueue.benchmarks.Results;
import io.delayqueue.benchmarks.report.SampleTable.Column;
import io.delayqueue.benchmarks.report.Section.Table;
import io.delayqueue.benchmarks.scenarios.Figures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.IntSummaryStatistics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Writes {@code report.md} and its plots. */
public final class Report {

    private static final String QUIET = Stat.text(Results.QUIET_LOAD);

    private final List<Results> results;
    private final SampleTable samples;
    private final List<Contestant> peers;
    private final StringBuilder text = new StringBuilder();
    private final Map<String, String> plots = new LinkedHashMap<>();

    /** A report of these scenarios. */
    public Report(List<Results> results) {
        this.results = results;
        this.samples = new SampleTable(
                results.stream().flatMap(each -> each.samples().stream()).toList());
        this.peers = Contestants.measured(samples.peers());
    }

    /** Writes report and plots into this folder. */
    public void write(Path folder) throws IOException {
        line("# Benchmarks");
        line("");
        if (results.stream().anyMatch(Results::beganBusy)) {
            line("**The machine was busy at the start: the load average was " + QUIET + " or more.**");
            line("");
        }
        line("Written by the benchmarks themselves: [how to run them](README.md), [raw figures](data).");
        line(
                "A cell is the median of the rounds, with minimum and maximum in brackets. The factor before it is the figure ÷ "
                        + "delayqueue's of the same round, again the median of the rounds.");
        targets();
        peers();
        for (Section section : Sections.all()) {
            resultsOf(section.scenario()).ifPresent(each -> write(section, each));
        }
        Files.createDirectories(folder);
        Files.writeString(folder.resolve("report.md"), text);
        for (Map.Entry<String, String> plot : plots.entrySet()) {
            Files.writeString(folder.resolve(plot.getKey()), plot.getValue());
        }
    }

    /** The main figures of this library in these scenarios, as a table. */
    public List<String> mainFigures(List<String> scenarios) {
        return new MainFigures(samples).table(scenarios);
    }

    private Optional<Results> resultsOf(String scenario) {
        return results.stream().filter(each -> each.scenario().equals(scenario)).findFirst();
    }

    private void targets() {
        heading("Targets");
        line("| | target | figure | reached |");
        line("| --- | --- | --- | --- |");
        for (Targets.Target target : new Targets(samples).all()) {
            line("| %s | %s | %s | %s |"
                    .formatted(
                            target.name(),
                            target.limit(),
                            target.figure().map(Stat::toString).orElse("not measured"),
                            target.reached().map(yes -> yes ? "yes" : "**no**").orElse("")));
        }
    }

    private void peers() {
        heading("Peers");
        line("| | set-up, and promises that it lacks |");
        line("| --- | --- |");
        for (Contestant contestant : peers) {
            line("| %s | %s |".formatted(contestant.title(), contestant.promises()));
        }
    }

    private void write(Section section, Results of) {
        heading(section.title());
        line(section.text());
        line("");
        line("Measured: " + String.join("; ", of.environment())
                + (of.size().pick(false, true) ? "; **a smoke run, whose figures mean nothing**" : "") + ".");
        of.notes().forEach(note -> line("Note: " + note + "."));
        plot(section.scenario());
        for (Table table : section.tables()) {
            write(section.scenario(), table);
        }
    }

    private void write(String scenario, Table table) {
        List<String> settings = samples.settings(scenario, table.settings());
        List<String> rows = new ArrayList<>();
        for (Contestant contestant : peers) {
            StringBuilder row = new StringBuilder("| " + contestant.title() + " |");
            boolean any = false;
            for (String setting : settings) {
                Optional<Stat> stat = samples.stat(scenario, contestant.name(), setting, table.figure());
                any |= stat.isPresent();
                row.append(' ')
                        .append(stat.map(each -> cell(scenario, contestant, setting, table, each))
                                .orElse(""))
                        .append(" |");
            }
            if (any) {
                rows.add(row.toString());
            }
        }
        if (!rows.isEmpty()) {
            line("");
            line("**%s** (%s)"
                    .formatted(table.title(), rounds(samples.rounds(scenario, table.settings(), table.figure()))));
            line("");
            line("| | " + String.join(" | ", settings) + " |");
            line("| --- |" + " --- |".repeat(settings.size()));
            rows.forEach(this::line);
        }
    }

    private static String rounds(IntSummaryStatistics rounds) {
        return (rounds.getMin() == rounds.getMax() ? "" : rounds.getMin() + " to ")
                + rounds.getMax()
                + (rounds.getMax() == 1 ? " round" : " rounds");
    }

    private String cell(String scenario, Contestant contestant, String setting, Table table, Stat stat) {
        Optional<Stat> ratio =
                table.ratios() && stat.max() > 0 && !contestant.name().equals(Contestants.CORE)
                        ? samples.ratio(
                                new Column(scenario, contestant.name(), setting),
                                new Column(scenario, Contestants.CORE, setting),
                                table.figure())
                        : Optional.empty();
        return ratio.map(each -> Stat.text(each.median()) + " × · ").orElse("") + stat;
    }

    private void plot(String scenario) {
        switch (scenario) {
            case "schedule" -> bars("schedule", "8x1", "Schedule: messages a second, 8 threads");
            case "drain" -> bars("drain", "64", "Drain: messages a second, 64 handlers at a time");
            case "lateness" ->
                lines(
                        "lateness",
                        "Lateness at 1,000 messages a second, ms",
                        List.of("lateP50", "lateP99", "lateP999", "lateMax"),
                        List.of("p50", "p99", "p99.9", "max"),
                        List.of("1000"));
            case "growth" ->
                lines(
                        "growth",
                        "Server CPU of a message's life, µs, by messages pending",
                        List.of("lifeServerCpu"),
                        List.of("0", "100,000", "1,000,000", "10,000,000"),
                        List.of("0", "100000", "1000000", "10000000"));
            default -> {}
        }
    }

    private void bars(String scenario, String setting, String title) {
        Map<String, Stat> stats = new LinkedHashMap<>();
        for (Contestant contestant : peers) {
            samples.stat(scenario, contestant.name(), setting, Figures.RATE)
                    .ifPresent(stat -> stats.put(contestant.title(), stat));
        }
        if (!stats.isEmpty()) {
            plot(scenario + ".svg", title, Chart.bars(title, stats));
        }
    }

    /** Plots several figures of one setting, or one figure of several settings. */
    private void lines(
            String scenario, String title, List<String> figures, List<String> points, List<String> settings) {
        Map<String, List<Double>> series = new LinkedHashMap<>();
        for (Contestant contestant : peers) {
            List<Double> values = new ArrayList<>();
            for (String setting : settings) {
                for (String figure : figures) {
                    values.add(samples.stat(scenario, contestant.name(), setting, figure)
                            .map(Stat::median)
                            .orElse(Double.NaN));
                }
            }
            if (values.stream().anyMatch(value -> !value.isNaN())) {
                series.put(contestant.title(), values);
            }
        }
        if (!series.isEmpty()) {
            plot(scenario + ".svg", title, Chart.lines(title, points, series));
        }
    }

    private void plot(String file, String title, String svg) {
        plots.put(file, svg);
        line("");
        line("![" + title + "](" + file + ")");
    }

    private void heading(String title) {
        line("");
        line("## " + title);
        line("");
    }

    private void line(String line) {
        text.append(line.stripTrailing()).append('\n');
    }
}
