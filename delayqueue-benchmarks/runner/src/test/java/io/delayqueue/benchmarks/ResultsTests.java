package io.delayqueue.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResultsTests {

    @TempDir
    Path folder;

    @Test
    void areReadAsTheyWereWritten() {
        Results results = results(List.of(sample(1), sample(2)));

        results.write(folder);

        assertThat(Results.read(folder, "drain")).contains(results);
        assertThat(Results.read(folder, "idle")).isEmpty();
    }

    @Test
    void haveOneLineASample() throws Exception {
        results(List.of(sample(1), sample(2), sample(3))).write(folder);

        assertThat(Files.readAllLines(folder.resolve("drain.json")))
                .hasSize(5)
                .satisfiesOnlyOnce(line -> assertThat(line).contains("\"round\":2"));
    }

    @Test
    void canHaveNoSamples() {
        Results none = results(List.of());

        none.write(folder);

        assertThat(Results.read(folder, "drain")).contains(none);
    }

    private static Results results(List<Sample> samples) {
        return new Results("drain", Size.FULL, 3, List.of("two cores"), List.of("a note"), samples);
    }

    private static Sample sample(int round) {
        return new Sample("drain", "core", "64", round, Map.of("rate", 1_000.5));
    }
}
