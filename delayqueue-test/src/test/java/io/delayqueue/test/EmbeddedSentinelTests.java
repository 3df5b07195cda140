package io.delayqueue.test;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class EmbeddedSentinelTests {

    @Test
    void promotesTheReplicaOfAPrimaryThatDied() throws IOException {
        try (EmbeddedRedis primary = EmbeddedRedis.start();
                EmbeddedRedis replica =
                        EmbeddedRedis.builder().replicaOf(primary).start()) {
            awaitLine(replica.port(), "INFO replication", "master_link_status:up");
            try (EmbeddedSentinel sentinel = EmbeddedSentinel.watching(primary)) {
                assertThat(sentinel.uri())
                        .isEqualTo("redis-sentinel://" + sentinel.host() + ":" + sentinel.port() + "#primary");
                String whereIsIt = "SENTINEL GET-MASTER-ADDR-BY-NAME " + EmbeddedSentinel.MASTER_NAME;
                awaitLine(sentinel.port(), whereIsIt, String.valueOf(primary.port()));
                awaitLine(sentinel.port(), "INFO sentinel", "slaves=1");
                primary.kill();

                awaitLine(sentinel.port(), whereIsIt, String.valueOf(replica.port()));
                awaitLine(replica.port(), "INFO replication", "role:master");
            }
        }
    }

    private static void awaitLine(int port, String command, String part) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .ignoreExceptionsInstanceOf(IOException.class)
                .untilAsserted(
                        () -> assertThat(InlineCommand.send(port, command)).contains(part));
    }
}
