package io.delayqueue.benchmarks.report;

import static io.delayqueue.benchmarks.Contestants.BASELINE;
import static io.delayqueue.benchmarks.Contestants.CORE;

import io.delayqueue.benchmarks.report.SampleTable.Column;
import io.delayqueue.benchmarks.scenarios.Figures;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The main figures of this library, beside those of the baseline if it was measured: the summary of a short run. */
final class MainFigures {

    private static final List<Figure> FIGURES = List.of(
            new Figure("lateness", Figures.SINCE_CALL + "P50", "p50 since the call's begin, ms"),
            new Figure("lateness", Figures.SINCE_CALL + "P99", "p99 since the call's begin, ms"),
            new Figure("lateness", Figures.SINCE_CALL + "Max", "latest of a round since the call's begin, ms"),
            new Figure("lateness", Figures.SERVER_CPU, "server CPU, µs a message"),
            new Figure("lateness", Figures.CLIENT_CPU, "client CPU, µs a message"),
            new Figure("drain", Figures.RATE, "messages a second"),
            new Figure("drain", "lifeServerCpu", "whole life: server CPU, µs a message"),
            new Figure("drain", Figures.CLIENT_CPU, "consumer's CPU, µs a message"),
            new Figure("schedule", Figures.RATE, "messages a second"),
            new Figure("schedule", Figures.SERVER_CPU, "server CPU, µs a message"));

    private final SampleTable samples;

    MainFigures(SampleTable samples) {
        this.samples = samples;
    }

    /** A Markdown table of these scenarios. Its last column is the median of the ratios within a round. */
    List<String> table(List<String> scenarios) {
        return Stream.concat(
                        Stream.of("| | delayqueue | baseline | delayqueue ÷ baseline |", "| --- | --- | --- | --- |"),
                        FIGURES.stream()
                                .filter(figure -> scenarios.contains(figure.scenario()))
                                .flatMap(this::rows))
                .toList();
    }

    private Stream<String> rows(Figure figure) {
        return samples.settings(figure.scenario(), setting -> true).stream()
                .flatMap(setting -> row(figure, setting).stream());
    }

    private Optional<String> row(Figure figure, String setting) {
        Optional<Stat> baseline = samples.stat(figure.scenario(), BASELINE, setting, figure.name());
        Optional<Stat> ratio = samples.ratio(
                new Column(figure.scenario(), CORE, setting),
                new Column(figure.scenario(), BASELINE, setting),
                figure.name());
        return samples.stat(figure.scenario(), CORE, setting, figure.name())
                .map(core -> "| %s %s: %s | %s | %s | %s |"
                        .formatted(figure.scenario(), setting, figure.text(), core, text(baseline), text(ratio)));
    }

    private static String text(Optional<Stat> stat) {
        return stat.map(Stat::toString).orElse("");
    }

    private record Figure(String scenario, String name, String text) {}
}
