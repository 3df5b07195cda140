package io.delayqueue.gateway.sqs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.delayqueue.gateway.testsupport.Gateway;
import io.delayqueue.gateway.testsupport.SqsGateway;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.SqsException;

/** The file of key pairs of a running endpoint. */
@Tag("slow")
@ExtendWith(EmbeddedRedisExtension.class)
class KeyReloadTests {

    private static final Duration WAIT = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    private void write(Path file, String id, String secret) throws Exception {
        // as a whole, or the file could be read half written
        Path written = Files.writeString(folder.resolve("written"), """
                keys:
                  %s:
                    secret: "%s"
                    rights: produce, operate
                    topics: "*"
                """.formatted(id, secret));
        Files.move(written, file, StandardCopyOption.REPLACE_EXISTING);
    }

    private static boolean isGood(Gateway gateway, String id, String secret) {
        try (SqsClient client = SqsGateway.client(gateway, id, secret)) {
            client.listQueues();
            return true;
        } catch (SqsException e) {
            assertThat(e.statusCode()).as("%s", e).isEqualTo(403);
            return false;
        }
    }

    @Test
    void changedKeyPairsCountWithoutARestart(EmbeddedRedis redis) throws Exception {
        Path file = folder.resolve("keys.yml");
        write(file, "ONE", "first-secret");
        try (SqsGateway sqs = SqsGateway.start(redis, "delayqueue.gateway.sqs.key-file=" + file)) {
            Gateway gateway = sqs.gateway();
            // it connects in the time of the first command
            await().atMost(WAIT).ignoreExceptions().until(() -> isGood(gateway, "ONE", "first-secret"));
            assertThat(isGood(gateway, "ONE", "second-secret")).isFalse();

            write(file, "ONE", "second-secret");
            await().atMost(WAIT).until(() -> isGood(gateway, "ONE", "second-secret"));
            assertThat(isGood(gateway, "ONE", "first-secret")).isFalse();

            write(file, "TWO", "third-secret");
            await().atMost(WAIT).until(() -> isGood(gateway, "TWO", "third-secret"));
            assertThat(isGood(gateway, "ONE", "second-secret")).as("removed").isFalse();
            assertThat(isGood(gateway, SqsGateway.KEY, SqsGateway.SECRET))
                    .as("that of the properties")
                    .isTrue();
        }
    }

    @Test
    void incompleteFileIsRefusedByNameAndNotQuoted(EmbeddedRedis redis) throws Exception {
        Path file = folder.resolve("keys.yml");
        Files.writeString(file, "keys:\n  ONE:\n    secret: hidden\n    topics: '*'\n");
        assertThatThrownBy(() -> Gateway.start(
                        redis, "delayqueue.gateway.sqs.enabled=true", "delayqueue.gateway.sqs.key-file=" + file))
                .rootCause()
                .hasMessageContaining("delayqueue.gateway.sqs.key-file")
                .hasMessageNotContaining("hidden")
                .satisfies(e -> assertThat(e.toString() + reason(e)).contains("ONE", "rights"));
    }

    private static String reason(Throwable e) {
        return ((InvalidConfigurationPropertyValueException) e).getReason();
    }
}
