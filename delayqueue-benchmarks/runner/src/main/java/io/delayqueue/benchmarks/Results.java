package io.delayqueue.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import tools.jackson.databind.json.JsonMapper;

/**
 * The raw figures of one scenario in one run, with a file format.
 *
 * @param scenario its name
 * @param size of the run
 * @param rounds that count
 * @param environment date, machine and versions, one line each
 * @param notes remarks for readers, such as a peer that could not be measured
 * @param samples all measurements
 */
public record Results(
        String scenario, Size size, int rounds, List<String> environment, List<String> notes, List<Sample> samples) {

    /** A load average that a run should begin below. */
    public static final double QUIET_LOAD = 0.5;

    private static final String LOAD = "load average at the start: ";
    private static final JsonMapper JSON = JsonMapper.shared();

    /** The line of the environment that has the load average. */
    static String describeLoad(double load) {
        return "%s%.2f".formatted(LOAD, load);
    }

    /** Whether the machine had something else to do when the run began. */
    public boolean beganBusy() {
        return environment.stream()
                .filter(line -> line.startsWith(LOAD))
                .anyMatch(line -> Double.parseDouble(line.substring(LOAD.length())) >= QUIET_LOAD);
    }

    /**
     * Whether these figures are of such a run, so that it need not be repeated.
     *
     * @param conditions the commits, the machine and all versions of the run
     */
    boolean isOf(Size wanted, int wantedRounds, List<String> conditions) {
        return size == wanted
                && rounds == wantedRounds
                && conditions.stream().anyMatch(Commit::isName)
                && conditions.stream().noneMatch(condition -> condition.contains("with changes"))
                && environment.containsAll(conditions);
    }

    /** The names of those that have no sample. */
    List<String> lacking(List<Contestant> contestants) {
        return contestants.stream()
                .map(Contestant::name)
                .filter(name ->
                        samples.stream().noneMatch(sample -> sample.peer().equals(name)))
                .toList();
    }

    /** The commits that were measured, as the environment names them. */
    public List<String> commits() {
        return environment.stream().filter(Commit::isName).toList();
    }

    void write(Path folder) {
        try {
            Files.createDirectories(folder);
            Files.writeString(folder.resolve(scenario + ".json"), text());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** JSON with one line for each sample, so that a change of few figures is a change of few lines. */
    private String text() {
        String head = JSON.writeValueAsString(new Results(scenario, size, rounds, environment, notes, List.of()));
        String lines = samples.stream().map(JSON::writeValueAsString).collect(Collectors.joining(",\n"));
        return head.substring(0, head.lastIndexOf(']')) + "\n" + lines + "\n]}\n";
    }

    static Optional<Results> read(Path folder, String scenario) {
        Path file = folder.resolve(scenario + ".json");
        try {
            return Files.exists(file)
                    ? Optional.of(JSON.readValue(Files.readString(file), Results.class))
                    : Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
