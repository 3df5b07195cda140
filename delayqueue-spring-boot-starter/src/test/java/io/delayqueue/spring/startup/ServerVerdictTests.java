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
                .isThrownBy(() -> ServerVerdict.refuseUnusable(report("5.0.14", Duration.ZERO)))
                .withMessage("The server is redis 5.0.14, but Redis 6.2 is the oldest supported.")
                .satisfies(failure -> assertThat(failure.action()).contains("Redis 6.2 or later"));
    }

    @Test
    void missingRightsAreNamed() {
        ServerReport report = new ServerReport(
                "redis", "7.0.0", "noeviction", 0, true, Duration.ZERO, List.of("zadd", "hset", "publish dq:*"));

        assertThatExceptionOfType(StartupCheckException.class)
                .isThrownBy(() -> ServerVerdict.refuseUnusable(report))
                .withMessageContaining("zadd, hset.");
    }

    @Test
    void missingRightsForWakeUpsAreOnlyWarnedOf() {
        for (List<String> missing :
                List.of(List.of("publish dq:*", "subscribe dq:*"), List.of("spublish dq:*", "ssubscribe dq:*"))) {
            ServerReport report = new ServerReport("redis", "7.0.0", "noeviction", 0, true, Duration.ZERO, missing);

            assertThatCode(() -> ServerVerdict.refuseUnusable(report)).doesNotThrowAnyException();
            assertThat(ServerVerdict.warnings(report))
                    .singleElement()
                    .asString()
                    .contains(String.join(", ", missing));
        }
    }

    @Test
    void soundServerIsTakenWithoutAWord() {
        assertThatCode(() -> ServerVerdict.refuseUnusable(report("6.2.0", Duration.ZERO)))
                .doesNotThrowAnyException();
        assertThat(ServerVerdict.warnings(report("6.2.0", Duration.ofMillis(-1000))))
                .isEmpty();
    }

    @Test
    void clocksApartByMoreThanASecondAreWarnedOf() {
        assertThat(ServerVerdict.warnings(report("7.2.4", Duration.ofSeconds(3))))
                .singleElement()
                .asString()
                .startsWith("Redis' clock is PT3S ahead of this machine's.");
        assertThat(ServerVerdict.warnings(report("7.2.4", Duration.ofMillis(-1001))))
                .singleElement()
                .asString()
                .startsWith("Redis' clock is PT1.001S behind this machine's.");
    }

    private static ServerReport report(String version, Duration clockOffset) {
        return new ServerReport("redis", version, "noeviction", 0, true, clockOffset, List.of());
    }
}
