package io.delayqueue.benchmarks;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The options of a run: the system properties {@code bench.*} that {@code docs/benchmarks/README.md} describes.
 *
 * @param properties gives the value of a property, or null
 */
record Options(Function<String, @Nullable String> properties) {

    /** The folder of the figures that readers see. */
    static final String PUBLISHED = "docs/benchmarks";

    /** Fewer rounds tell little, so their figures are not for the documents. */
    private static final int ROUNDS = 5;

    /** The size of the run. */
    Size size() {
        return Size.valueOf(text("bench.size").orElse("full").toUpperCase(Locale.ROOT));
    }

    /** Rounds that count. */
    int rounds() {
        return text("bench.rounds").map(Integer::parseInt).orElse(size().pick(ROUNDS, 1));
    }

    /** Whether to write the report again from the recorded figures, without measuring. */
    boolean reportOnly() {
        return text("bench.scenarios").equals(Optional.of("report"));
    }

    /** The chosen scenarios, by name; all unless some are chosen. */
    <T> List<T> scenarios(List<T> all, Function<T, String> name) {
        return chosen("bench.scenarios", all, name);
    }

    /** The chosen peers, and the baseline if there is one; all unless some are chosen. */
    List<Contestant> peers() {
        List<Contestant> all = new ArrayList<>(chosen("bench.peers", Contestants.all(), Contestant::name));
        text("bench.baseline")
                .map(folder -> Contestants.baseline(Path.of(folder)))
                .ifPresent(all::add);
        return List.copyOf(all);
    }

    /** The chosen settings of scenarios that can leave some out; all if empty. */
    Set<String> settings() {
        return text("bench.settings").map(Options::names).map(Set::copyOf).orElse(Set.of());
    }

    /** The folder of the benchmark modules. */
    Path modules() {
        return Path.of(text("bench.modules").orElse("delayqueue-benchmarks"));
    }

    /** The commits that are measured. */
    List<String> commits() {
        return Stream.concat(
                        Stream.of(Commit.of(modules())),
                        text("bench.baseline").stream().map(folder -> "baseline: " + Commit.of(Path.of(folder))))
                .toList();
    }

    /** The folder of figures and report. Those of a full run go to {@link #PUBLISHED} once all are there. */
    Path output() {
        return Path.of(text("bench.output")
                .orElse(reportOnly() ? PUBLISHED : isFullRun() ? "target/benchmarks/full" : "target/benchmarks"));
    }

    /**
     * Whether all scenarios are measured with all peers and settings, in five rounds at least. Such a run goes on where one of the same
     * commit ended, and is published as a whole, so that a report mixes no two commits.
     */
    boolean isFullRun() {
        return size() == Size.FULL
                && rounds() >= ROUNDS
                && text("bench.scenarios").isEmpty()
                && text("bench.peers").isEmpty()
                && text("bench.settings").isEmpty()
                && text("bench.baseline").isEmpty();
    }

    private <T> List<T> chosen(String property, List<T> all, Function<T, String> name) {
        List<String> names = text(property).map(Options::names).orElse(List.of());
        Set<String> known = all.stream().map(name).collect(Collectors.toSet());
        names.stream().filter(each -> !known.contains(each)).findFirst().ifPresent(unknown -> {
            throw new IllegalArgumentException("%s: %s is none of %s"
                    .formatted(property, unknown, all.stream().map(name).toList()));
        });
        return all.stream()
                .filter(each -> names.isEmpty() || names.contains(name.apply(each)))
                .toList();
    }

    private static List<String> names(String text) {
        return Arrays.stream(text.split(",")).map(String::strip).toList();
    }

    private Optional<String> text(String property) {
        return Optional.ofNullable(properties.apply(property)).filter(value -> !value.isBlank());
    }
}
