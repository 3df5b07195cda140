package io.delayqueue.benchmarks.report;

import io.delayqueue.benchmarks.Sample;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Looks up figures among samples. */
final class SampleTable {

    private final List<Sample> samples;

    SampleTable(List<Sample> samples) {
        this.samples = samples;
    }

    /** A figure over the rounds; empty if it wasn't measured. */
    Optional<Stat> stat(String scenario, String peer, String setting, String figure) {
        return toStat(select(scenario, peer, setting)
                .map(sample -> sample.figures().get(figure))
                .filter(Objects::nonNull)
                .toList());
    }

    /** The figure ÷ the base's of the same round, over the rounds; empty if one of them wasn't measured. */
    Optional<Stat> ratio(Column column, Column base, String figure) {
        List<Double> ratios = new ArrayList<>();
        select(column.scenario(), column.peer(), column.setting())
                .forEach(sample -> select(base.scenario(), base.peer(), base.setting())
                        .filter(other -> other.round() == sample.round())
                        .forEach(other -> {
                            Double value = sample.figures().get(figure);
                            Double of = other.figures().get(figure);
                            if (value != null && of != null && of > 0) {
                                ratios.add(value / of);
                            }
                        }));
        return toStat(ratios);
    }

    /** Names of the peers that were measured. */
    Set<String> peers() {
        return samples.stream().map(Sample::peer).collect(Collectors.toSet());
    }

    /** The settings of a scenario: numbers by size, then the others in the order of the samples. */
    List<String> settings(String scenario, Predicate<String> wanted) {
        return samples.stream()
                .filter(sample -> sample.scenario().equals(scenario))
                .map(Sample::setting)
                .distinct()
                .filter(wanted)
                .sorted(Comparator.comparingLong(SampleTable::number))
                .toList();
    }

    /** In how many rounds each peer has this figure of these settings, of those that have it. */
    IntSummaryStatistics rounds(String scenario, Predicate<String> wanted, String figure) {
        return samples.stream()
                .filter(sample -> sample.scenario().equals(scenario)
                        && wanted.test(sample.setting())
                        && sample.figures().containsKey(figure))
                .collect(Collectors.groupingBy(
                        sample -> List.of(sample.peer(), sample.setting()),
                        Collectors.mapping(Sample::round, Collectors.toSet())))
                .values()
                .stream()
                .mapToInt(Set::size)
                .summaryStatistics();
    }

    /** In how many rounds a peer has each of its settings. */
    IntSummaryStatistics rounds(String scenario, String peer) {
        return samples.stream()
                .filter(sample ->
                        sample.scenario().equals(scenario) && sample.peer().equals(peer))
                .collect(Collectors.groupingBy(Sample::setting, Collectors.mapping(Sample::round, Collectors.toSet())))
                .values()
                .stream()
                .mapToInt(Set::size)
                .summaryStatistics();
    }

    private static long number(String setting) {
        return setting.matches("\\d+") ? Long.parseLong(setting) : Long.MAX_VALUE;
    }

    private Stream<Sample> select(String scenario, String peer, String setting) {
        return samples.stream()
                .filter(sample -> sample.scenario().equals(scenario)
                        && sample.peer().equals(peer)
                        && sample.setting().equals(setting));
    }

    private static Optional<Stat> toStat(List<Double> values) {
        return values.isEmpty() ? Optional.empty() : Optional.of(Stat.of(values));
    }

    /** Identifies the samples of all rounds. */
    record Column(String scenario, String peer, String setting) {}
}
