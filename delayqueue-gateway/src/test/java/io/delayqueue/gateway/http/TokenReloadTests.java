package io.delayqueue.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.gateway.testsupport.Gateway;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The token file of a running gateway. */
@ExtendWith(EmbeddedRedisExtension.class)
class TokenReloadTests {

    private static void write(Path file, String token) throws Exception {
        String sha256 = HexFormat.of()
                .formatHex(MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8)));
        Files.writeString(file, """
                tokens:
                  shop:
                    sha256: "%s"
                    rights: produce
                    topics: "*"
                """.formatted(sha256));
    }

    private static int status(Gateway gateway, String token) throws Exception {
        return gateway.send("GET", "/topics/orders", "", "Authorization", "Bearer " + token)
                .status();
    }

    @Test
    void changedTokensCountWithoutARestart(EmbeddedRedis redis, @TempDir Path folder) throws Exception {
        Path file = folder.resolve("tokens.yml");
        write(file, "before");
        try (Gateway gateway = Gateway.start(redis, "delayqueue.gateway.token-file=" + file)) {
            assertThat(status(gateway, "before")).isEqualTo(200);
            assertThat(status(gateway, "after")).isEqualTo(401);

            write(file, "after, and longer");
            await().atMost(Duration.ofSeconds(40)).until(() -> status(gateway, "after, and longer") == 200);
            assertThat(status(gateway, "before")).isEqualTo(401);

            Files.writeString(file, "tokens: [");
            assertThat(status(gateway, "after, and longer")).isEqualTo(200);
        }
    }
}
