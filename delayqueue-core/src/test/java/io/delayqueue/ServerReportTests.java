package io.delayqueue;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ServerReportTests {

    @ParameterizedTest
    @ValueSource(strings = {"6.2.0", "6.2", "6.10.1", "7.0.15", "8.0", "10.0.0", "7", "8.2-rc1", "255.255.255"})
    void versionFrom62OnIsSupported(String version) {
        assertThat(report(version, "").isSupported()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"5.0.14", "6.0.16", "6", "6.1.99", "0", "unknown", "x.y"})
    void olderAndUnknownVersionsAreNot(String version) {
        assertThat(report(version, "").isSupported()).isFalse();
    }

    @Test
    void serverThatDoesNotTellItsVersionIsNotAccused() {
        assertThat(report("", "").isSupported()).isTrue();
    }

    @Test
    void onlyNoevictionKeepsMessages() {
        assertThat(report("7.0.0", "noeviction").mayEvict()).isFalse();
        assertThat(report("7.0.0", "allkeys-lru").mayEvict()).isTrue();
        assertThat(report("7.0.0", "volatile-ttl").mayEvict()).isTrue();
    }

    @Test
    void serverThatDoesNotTellItsPolicyIsNotAccused() {
        assertThat(report("7.0.0", "").mayEvict()).isFalse();
    }

    @Test
    void serverThatCouldNotBeAskedIsAccusedOfNothing() {
        ServerReport report = ServerReport.unanswered("10.0.0.7:6379", "it is away");

        assertThat(report.isAnswered()).isFalse();
        assertThat(report.isSupported()).isTrue();
        assertThat(report.mayEvict()).isFalse();
        assertThat(report.persistent()).isTrue();
        assertThat(report.missingRights()).isEmpty();
        assertThat(report("7.0.0", "").isAnswered()).isTrue();
    }

    @Test
    void missingRightsCantBeChangedAfterwards() {
        List<String> missing = new ArrayList<>(List.of("zadd"));
        ServerReport report = new ServerReport("", "", "redis", "7.0.0", "", 0, true, Duration.ZERO, missing);
        missing.clear();

        assertThat(report.missingRights()).containsExactly("zadd");
    }

    private static ServerReport report(String version, String policy) {
        return new ServerReport("", "", "redis", version, policy, 0, true, Duration.ZERO, List.of());
    }
}
