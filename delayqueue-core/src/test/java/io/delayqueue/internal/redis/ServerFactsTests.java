package io.delayqueue.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.ServerReport;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ServerFactsTests {

    private final ServerReport.Builder report = ServerReport.builder();
    private final ServerFacts facts = new ServerFacts(report);

    @Test
    void infoOfRedisHasAllButTheSnapshots() {
        facts.readInfo(
                "# Server\r\nredis_version:7.0.15\r\nmaxmemory:1024\r\nmaxmemory_policy:allkeys-lru\r\naof_enabled:1\r\n");

        assertThat(facts.hasVersion()).isTrue();
        assertThat(report.build())
                .hasToString("ServerReport[redis 7.0.15, evictionPolicy=allkeys-lru, memoryLimit=1024, persistent=true,"
                        + " clockOffset=PT0S, missingPermissions=[]]");
    }

    @Test
    void infoOfValkeyHasItsOwnVersionBesideTheOneOfRedisThatItIsCompatibleWith() {
        facts.readInfo("server_name:valkey\r\nredis_version:7.2.4\r\nvalkey_version:8.0.1\r\n");

        assertThat(report.build().product()).isEqualTo("valkey");
        assertThat(report.build().version()).isEqualTo("8.0.1");
    }

    @Test
    void helloHasProductAndVersionOnly() {
        facts.readHello(
                List.of(bytes("server"), bytes("redis"), bytes("version"), bytes("6.2.14"), bytes("proto"), 2L));

        assertThat(facts.hasVersion()).isTrue();
        assertThat(report.build().product()).isEqualTo("redis");
        assertThat(report.build().version()).isEqualTo("6.2.14");
        assertThat(report.build().evictionPolicy()).isEmpty();
    }

    @Test
    void aServerIsPersistentByAppendOnlyFileOrSnapshots() {
        assertThat(isPersistent("aof_enabled:1", "")).isTrue();
        assertThat(isPersistent("aof_enabled:0", "3600 1")).isTrue();
        assertThat(isPersistent("aof_enabled:0", "")).isFalse();
    }

    @Test
    void aServerThatDoesNotShowItsSettingsCountsAsPersistent() {
        facts.readSnapshots(Map.of("save", ""));

        assertThat(report.build().isPersistent()).isTrue();
        assertThat(facts.hasVersion()).isFalse();
    }

    private boolean isPersistent(String info, String save) {
        facts.readInfo(info);
        facts.readSnapshots(Map.of("save", save));
        return report.build().isPersistent();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
