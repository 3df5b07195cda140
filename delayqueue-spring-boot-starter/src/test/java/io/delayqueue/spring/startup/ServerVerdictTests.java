package io.delayqueue.spring.startup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.delayqueue.ServerReport;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ServerVerdictTests {

    @Test
    void serverThatIsTooOldIsRefused() {
        assertThatExceptionOfType(StartupCheckException.class)
                .isThrownBy(() -> ServerVerdict.refuseUnusable(List.of(report("5.0.14", Duration.ZERO))))
                .withMessage("The server is redis 5.0.14, but Redis 6.2 is the oldest supported.")
                .satisfies(failure -> assertThat(failure.action()).contains("Redis 6.2 or later"));
    }

    @Test
    void missingPermissionsAreNamed() {
        ServerReport report = ServerReport.builder()
                .missingPermissions(List.of("zadd", "hset", "publish dq:*"))
                .build();

        assertThatExceptionOfType(StartupCheckException.class)
                .isThrownBy(() -> ServerVerdict.refuseUnusable(List.of(report)))
                .withMessageContaining("zadd, hset.");
    }

    @Test
    void missingPermissionsForWakeUpsAreOnlyAWarning() {
        for (List<String> missing :
                List.of(List.of("publish dq:*", "subscribe dq:*"), List.of("spublish dq:*", "ssubscribe dq:*"))) {
            ServerReport report =
                    ServerReport.builder().missingPermissions(missing).build();

            assertThatCode(() -> ServerVerdict.refuseUnusable(List.of(report))).doesNotThrowAnyException();
            assertThat(ServerVerdict.warnings(List.of(report)))
                    .singleElement()
                    .asString()
                    .contains(String.join(", ", missing));
        }
    }

    @Test
    void serverWithoutFindingsIsAcceptedWithoutAWarning() {
        assertThatCode(() -> ServerVerdict.refuseUnusable(List.of(report("6.2.0", Duration.ZERO))))
                .doesNotThrowAnyException();
        assertThat(ServerVerdict.warnings(List.of(report("6.2.0", Duration.ofMillis(-1000)))))
                .isEmpty();
    }

    @Test
    void clocksApartByMoreThanASecondAreWarnedOf() {
        assertThat(ServerVerdict.warnings(List.of(report("7.2.4", Duration.ofSeconds(3)))))
                .singleElement()
                .asString()
                .startsWith("Redis' clock is PT3S ahead of this machine's.");
        assertThat(ServerVerdict.warnings(List.of(report("7.2.4", Duration.ofMillis(-1001)))))
                .singleElement()
                .asString()
                .startsWith("Redis' clock is PT1.001S behind this machine's.");
    }

    @Test
    void eachFindingOfAClusterNamesItsServers() {
        List<ServerReport> reports = List.of(
                ofCluster("10.0.0.1:6379", "noeviction", "zadd"),
                ofCluster("10.0.0.2:6379", "allkeys-lru"),
                ofCluster("10.0.0.3:6379", "allkeys-lru", "zadd"));

        assertThat(ServerVerdict.warnings(reports))
                .singleElement()
                .asString()
                .startsWith("10.0.0.2:6379, 10.0.0.3:6379: Redis may evict keys");
        assertThatExceptionOfType(StartupCheckException.class)
                .isThrownBy(() -> ServerVerdict.refuseUnusable(reports))
                .withMessage(
                        "10.0.0.1:6379, 10.0.0.3:6379: The Redis user lacks permissions that the delay queue needs: zadd.");
    }

    private static ServerReport ofCluster(String server, String evictionPolicy, String... missing) {
        return ServerReport.builder()
                .server(server)
                .evictionPolicy(evictionPolicy)
                .missingPermissions(List.of(missing))
                .build();
    }

    private static ServerReport report(String version, Duration clockOffset) {
        return ServerReport.builder()
                .product("redis")
                .version(version)
                .clockOffset(clockOffset)
                .build();
    }
}
