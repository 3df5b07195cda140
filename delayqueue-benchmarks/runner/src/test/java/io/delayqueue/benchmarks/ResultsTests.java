package io.delayqueue.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
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

    @Test
    void aRunOfTheSameCommitOnTheSameServersNeedNotBeRepeated() {
        Results results = of("commit 1a2b3c4", "Redis 8.0.2", "load average at the start: 0.40");

        assertThat(results.isOf(Size.FULL, 3, List.of("commit 1a2b3c4"))).isTrue();
        assertThat(results.isOf(Size.FULL, 3, List.of("commit 5d6e7f8"))).isFalse();
        assertThat(results.isOf(Size.FULL, 5, List.of("commit 1a2b3c4"))).isFalse();
        assertThat(results.isOf(Size.FULL, 3, List.of("commit 1a2b3c4", "Redis 8.0.2")))
                .isTrue();
        assertThat(results.isOf(Size.FULL, 3, List.of("commit 1a2b3c4", "Redis 6.2.7")))
                .isFalse();
        assertThat(results.isOf(Size.FULL, 3, List.of("Redis 8.0.2"))).isFalse();
        assertThat(of("commit 1a2b3c4 with changes").isOf(Size.FULL, 3, List.of("commit 1a2b3c4 with changes")))
                .isFalse();
    }

    @Test
    void peersWithoutASampleAreLacking() {
        assertThat(results(List.of(sample(1))).lacking(Contestants.measured(Set.of("core", "limit", "bullmq"))))
                .containsExactlyInAnyOrder("limit", "bullmq");
    }

    @Test
    void aRunBeganBusyFromALoadOfOneHalf() {
        assertThat(of(Results.describeLoad(0.494)).beganBusy()).isFalse();
        assertThat(of(Results.describeLoad(0.5)).beganBusy()).isTrue();
    }

    private static Results of(String... environment) {
        return new Results("drain", Size.FULL, 3, List.of(environment), List.of(), List.of());
    }

    private static Results results(List<Sample> samples) {
        return new Results("drain", Size.FULL, 3, List.of("two cores"), List.of("a note"), samples);
    }

    private static Sample sample(int round) {
        return new Sample("drain", "core", "64", round, Map.of("rate", 1_000.5));
    }
}
