package io.delayqueue.benchmarks.report;

import static io.delayqueue.benchmarks.Contestants.BASELINE;
import static io.delayqueue.benchmarks.Contestants.CORE;

import io.delayqueue.benchmarks.report.Sheet.Place;
import io.delayqueue.benchmarks.scenarios.Figures;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The few figures of this library to look at after a short run, beside those of the baseline if it was measured. */
final class MainFigures {

    private static final List<Figure> FIGURES = List.of(
            new Figure("lateness", "lateP50", "p50, ms"),
            new Figure("lateness", "lateP99", "p99, ms"),
            new Figure("lateness", "lateMax", "latest of a round, ms"),
            new Figure("lateness", Figures.SERVER_CPU, "server CPU, µs a message"),
            new Figure("lateness", Figures.CLIENT_CPU, "client CPU, µs a message"),
            new Figure("drain", Figures.RATE, "messages a second"),
            new Figure("drain", "lifeServerCpu", "whole life: server CPU, µs a message"),
            new Figure("drain", Figures.CLIENT_CPU, "consumer's CPU, µs a message"),
            new Figure("schedule", Figures.RATE, "messages a second"),
            new Figure("schedule", Figures.SERVER_CPU, "server CPU, µs a message"));

    private final Sheet sheet;

    MainFigures(Sheet sheet) {
        this.sheet = sheet;
    }

    /** A Markdown table; its last column is the median of the ratios within a round. */
    List<String> table() {
        return Stream.concat(
                        Stream.of("| | delayqueue | baseline | delayqueue ÷ baseline |", "| --- | --- | --- | --- |"),
                        FIGURES.stream().flatMap(this::rows))
                .toList();
    }

    private Stream<String> rows(Figure figure) {
        return sheet.settings(figure.scenario(), setting -> true).stream()
                .flatMap(setting -> row(figure, setting).stream());
    }

    private Optional<String> row(Figure figure, String setting) {
        Optional<Stat> baseline = sheet.stat(figure.scenario(), BASELINE, setting, figure.name());
        Optional<Stat> ratio = sheet.ratio(
                new Place(figure.scenario(), CORE, setting),
                new Place(figure.scenario(), BASELINE, setting),
                figure.name());
        return sheet.stat(figure.scenario(), CORE, setting, figure.name())
                .map(core -> "| %s %s: %s | %s | %s | %s |"
                        .formatted(figure.scenario(), setting, figure.text(), core, text(baseline), text(ratio)));
    }

    private static String text(Optional<Stat> stat) {
        return stat.map(Stat::toString).orElse("");
    }

    private record Figure(String scenario, String name, String text) {}
}
