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
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** The token file of a running gateway. */
@ExtendWith({EmbeddedRedisExtension.class, OutputCaptureExtension.class})
class TokenReloadTests {

    /** A line of the log, which the gateway writes when it has read the broken file. */
    private static final String UNUSABLE = "broken.yml is not usable";

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

    /** Two gateways, so that the wait for one file is that for the other one, too. */
    @Test
    void changedTokensCountWithoutARestartAndABrokenFileKeepsThem(
            EmbeddedRedis redis, @TempDir Path folder, CapturedOutput log) throws Exception {
        Path changed = folder.resolve("changed.yml");
        Path broken = folder.resolve("broken.yml");
        write(changed, "before");
        write(broken, "before");
        try (Gateway ofChanged = Gateway.start(redis, "delayqueue.gateway.token-file=" + changed);
                Gateway ofBroken = Gateway.start(
                        redis,
                        "delayqueue.gateway.token-file=" + broken,
                        "logging.level.io.delayqueue.gateway.security=warn")) {
            assertThat(status(ofChanged, "before")).isEqualTo(200);
            assertThat(status(ofChanged, "after, and longer")).isEqualTo(401);
            assertThat(log.getOut()).doesNotContain(UNUSABLE);

            write(changed, "after, and longer");
            Files.writeString(broken, "tokens: [");
            await().atMost(Duration.ofSeconds(40)).until(() -> status(ofChanged, "after, and longer") == 200);
            assertThat(status(ofChanged, "before")).isEqualTo(401);

            // the request that has the file read is answered by the tokens of before, and so are those behind it
            await().atMost(Duration.ofSeconds(40)).until(() -> {
                assertThat(status(ofBroken, "before")).isEqualTo(200);
                return log.getOut().contains(UNUSABLE);
            });
            assertThat(status(ofBroken, "before")).isEqualTo(200);
        }
    }
}
