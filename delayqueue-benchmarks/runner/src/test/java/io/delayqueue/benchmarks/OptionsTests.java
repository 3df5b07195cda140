package io.delayqueue.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class OptionsTests {

    @Test
    void withoutPropertiesEverythingIsMeasuredForTheDocuments() {
        Options options = options(Map.of());

        assertThat(options.size()).isEqualTo(Size.FULL);
        assertThat(options.rounds()).isEqualTo(5);
        assertThat(options.peers()).isEqualTo(Contestants.all());
        assertThat(options.scenarios(List.of("drain", "idle"), Function.identity()))
                .containsExactly("drain", "idle");
        assertThat(options.isFullRun()).isTrue();
        assertThat(options.output()).isEqualTo(Path.of("target/benchmarks/full"));
    }

    @Test
    void chosenPeersAndScenariosAreMeasuredOutsideTheDocuments() {
        Options options = options(Map.of("bench.peers", "core, limit", "bench.scenarios", "idle", "bench.rounds", "3"));

        assertThat(options.peers()).extracting(Contestant::name).containsExactly("core", "limit");
        assertThat(options.scenarios(List.of("drain", "idle"), Function.identity()))
                .containsExactly("idle");
        assertThat(options.rounds()).isEqualTo(3);
        assertThat(options.output()).isEqualTo(Path.of("target/benchmarks"));
    }

    @Test
    void someScenariosOrPeersAreNoFullRun() {
        assertThat(List.of("bench.scenarios", "bench.peers", "bench.settings", "bench.baseline"))
                .noneMatch(property -> options(Map.of(property, "x")).isFullRun());
        assertThat(options(Map.of("bench.rounds", "4")).isFullRun()).isFalse();
        assertThat(options(Map.of("bench.rounds", "7")).isFullRun()).isTrue();
        assertThat(options(Map.of("bench.scenarios", "report")).output()).isEqualTo(Path.of("docs/benchmarks"));
    }

    @Test
    void aBaselineIsAnotherPeer() {
        Options options = options(Map.of("bench.peers", "core", "bench.baseline", "/other/delayqueue-benchmarks"));

        assertThat(options.peers())
                .extracting(Contestant::module)
                .containsExactly("peers/delayqueue", "/other/delayqueue-benchmarks/peers/delayqueue");
    }

    @Test
    void anUnknownNameIsRefusedWithTheKnownOnes() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> options(Map.of("bench.peers", "core,kafka")).peers())
                .withMessageContaining("kafka")
                .withMessageContaining("beanstalkd");
    }

    private static Options options(Map<String, String> properties) {
        return new Options(properties::get);
    }
}
