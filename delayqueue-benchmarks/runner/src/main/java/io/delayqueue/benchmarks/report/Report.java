package io.delayqueue.benchmarks.report;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toCollection;

import io.delayqueue.benchmarks.Contestant;
import io.delayqueue.benchmarks.Contestants;
import io.delayqueue.benchmarks.Results;
import io.delayqueue.benchmarks.report.Plots.Plot;
import io.delayqueue.benchmarks.report.SampleTable.Column;
import io.delayqueue.benchmarks.report.Section.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Writes {@code report.md}, a page of targets and plots, and {@code details.md} with all figures. */
public final class Report {

    private static final String QUIET = Stat.text(Results.QUIET_LOAD);

    private final List<Results> results;
    private final SampleTable samples;
    private final List<Contestant> peers;
    private StringBuilder text = new StringBuilder();
    private final List<Plot> plots;
    private final List<String> common;

    /** A report of these scenarios. */
    public Report(List<Results> results) {
        this.results = results;
        this.samples = new SampleTable(
                results.stream().flatMap(each -> each.samples().stream()).toList());
        this.peers = Contestants.measured(samples.peers());
        this.plots = Plots.of(samples, peers);
        this.common = common(results);
    }

    /** The lines of the environment that are the same in all sections; none if there is only one section. */
    private static List<String> common(List<Results> results) {
        if (results.size() < 2) {
            return List.of();
        }
        List<String> common = new ArrayList<>(results.get(0).environment());
        results.forEach(each -> common.retainAll(each.environment()));
        return common;
    }

    /** Writes report, details and plots into this folder. */
    public void write(Path folder) throws IOException {
        Files.createDirectories(folder);
        head("Benchmarks");
        line(
                "Written by the benchmarks themselves: [how to run them](README.md), [all figures and peers](details.md).");
        line("A figure is the median of the rounds, with minimum and maximum in brackets.");
        environment();
        targets();
        plots();
        Files.writeString(folder.resolve("report.md"), text);
        text = new StringBuilder();
        head("Benchmarks in detail");
        line(
                "Targets and plots are in the [report](report.md). Written with it: [how to run them](README.md), [raw figures](data).");
        line(
                "A cell is the median of the rounds, with minimum and maximum in brackets. The factor before it is the figure ÷ "
                        + "delayqueue's of the same round, again the median of the rounds.");
        environment();
        peers();
        for (Section section : Sections.all()) {
            resultsOf(section.scenario()).ifPresent(each -> write(section, each));
        }
        Files.writeString(folder.resolve("details.md"), text);
        for (Plot plot : plots) {
            Files.writeString(folder.resolve(plot.file()), plot.svg());
        }
    }

    private void head(String title) {
        line("# " + title);
        line("");
        if (results.stream().anyMatch(Results::beganBusy)) {
            line("**The machine was busy at the start: the load average was " + QUIET + " or more.**");
            line("");
        }
        Set<String> commits =
                results.stream().flatMap(each -> each.commits().stream()).collect(toCollection(TreeSet::new));
        if (commits.size() > 1) {
            line("**These figures are of several versions, so compare no two sections: " + String.join(", ", commits)
                    + ".**");
            line("");
        }
    }

    private void environment() {
        if (!common.isEmpty()) {
            line("");
            line("All of it: " + String.join("; ", common) + ".");
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

    private void plots() {
        if (!plots.isEmpty()) {
            heading("Plots");
            line("Bars and points are the medians of the rounds; thin lines go from the least to the most. "
                    + "Lateness since the call's return is in the [details](details.md#lateness).");
        }
        for (Plot plot : plots) {
            line("");
            line("![" + plot.title() + "](" + plot.file() + ")");
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
        line("Measured: "
                + of.environment().stream()
                        .filter(line -> !common.contains(line))
                        .collect(joining("; "))
                + (of.size().pick(false, true) ? "; **a smoke run, whose figures mean nothing**" : "") + ".");
        of.notes().forEach(note -> line("Note: " + note + "."));
        if (section.figuresAsRows()) {
            peers.forEach(contestant -> write(section, contestant));
        } else {
            section.tables().forEach(table -> write(section.scenario(), table));
        }
    }

    /** One table of a peer, with a row for each figure. */
    private void write(Section section, Contestant contestant) {
        String scenario = section.scenario();
        List<String> settings = samples.settings(scenario, setting -> true);
        List<String> rows = new ArrayList<>();
        for (Table table : section.tables()) {
            String cells = settings.stream()
                    .map(setting -> table.settings().test(setting)
                            ? samples.stat(scenario, contestant.name(), setting, table.figure())
                                    .map(Stat::toString)
                                    .orElse("")
                            : "")
                    .collect(joining(" | "));
            if (!cells.replace("|", "").isBlank()) {
                rows.add("| " + table.title() + " | " + cells + " |");
            }
        }
        if (!rows.isEmpty()) {
            line("");
            line("**%s** (%s)".formatted(contestant.title(), rounds(samples.rounds(scenario, contestant.name()))));
            table(settings, rows);
        }
    }

    private void table(List<String> columns, List<String> rows) {
        line("");
        line("| | " + String.join(" | ", columns) + " |");
        line("| --- |" + " --- |".repeat(columns.size()));
        rows.forEach(this::line);
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
            table(settings, rows);
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

    private void heading(String title) {
        line("");
        line("## " + title);
        line("");
    }

    private void line(String line) {
        text.append(line.stripTrailing()).append('\n');
    }
}
