package io.delayqueue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

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
    void unreachableServerIsAccusedOfNothing() {
        ServerReport report = ServerReport.unreachable("10.0.0.7:6379", "it is down");

        assertThat(report.isReachable()).isFalse();
        assertThat(report.server()).isEqualTo("10.0.0.7:6379");
        assertThat(report.error()).isEqualTo("it is down");
        assertThat(report).hasToString("ServerReport[10.0.0.7:6379, error=it is down]");
        assertThat(report.isSupported()).isTrue();
        assertThat(report.mayEvict()).isFalse();
        assertThat(report.isPersistent()).isTrue();
        assertThat(report.missingPermissions()).isEmpty();
        assertThat(report("7.0.0", "").isReachable()).isTrue();
    }

    @Test
    void unreachableServerNeedsAnError() {
        assertThatIllegalArgumentException().isThrownBy(() -> ServerReport.unreachable("10.0.0.7:6379", ""));
    }

    @Test
    void reportTellsWhatItWasBuiltWith() {
        ServerReport report = ServerReport.builder()
                .server("10.0.0.7:6379")
                .product("valkey")
                .version("8.0.1")
                .evictionPolicy("noeviction")
                .memoryLimit(1024)
                .persistent(false)
                .clockOffset(Duration.ofMillis(-3))
                .missingPermissions(List.of("zadd"))
                .build();

        assertThat(report)
                .hasToString("ServerReport[10.0.0.7:6379, valkey 8.0.1, evictionPolicy=noeviction, memoryLimit=1024,"
                        + " persistent=false, clockOffset=PT-0.003S, missingPermissions=[zadd]]");
        assertThat(report.server()).isEqualTo("10.0.0.7:6379");
        assertThat(report.product()).isEqualTo("valkey");
        assertThat(report.memoryLimit()).isEqualTo(1024);
        assertThat(report.clockOffset()).isEqualTo(Duration.ofMillis(-3));
        assertThat(report.error()).isEmpty();
    }

    @Test
    void missingPermissionsCantBeChangedAfterwards() {
        List<String> missing = new ArrayList<>(List.of("zadd"));
        ServerReport report = ServerReport.builder().missingPermissions(missing).build();
        missing.clear();

        assertThat(report.missingPermissions()).containsExactly("zadd");
    }

    private static ServerReport report(String version, String policy) {
        return ServerReport.builder().version(version).evictionPolicy(policy).build();
    }
}
