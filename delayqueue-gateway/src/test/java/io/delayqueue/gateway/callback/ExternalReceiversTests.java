package io.delayqueue.gateway.callback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.gateway.callback.Receiver.Request;
import io.delayqueue.gateway.testsupport.Programs;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Requests are verified by programs that share no code with the gateway. A test whose program is missing is skipped, and says so. */
@ExtendWith(EmbeddedRedisExtension.class)
class ExternalReceiversTests {

    private static final String OLD = CallbackInstance.SECRET;
    private static final String NEW = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
    private static final String OTHER = "whsec_IAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
    private static final byte[] BODY = "{\"größe\": 1.50}".getBytes(StandardCharsets.UTF_8);

    /** Runs a program that gets a request, and tells what it prints. */
    private interface Verifier {
        String verify(String secret, Request request, byte[] body) throws Exception;
    }

    @Test
    void pythonVerifiesByHand(EmbeddedRedis redis) throws Exception {
        Path script = Path.of("src/test/python/verify_webhook.py").toAbsolutePath();
        Programs.require("python3", "--version");
        assertVerified(redis, (secret, request, body) -> run(command("python3", script, secret, request), body));
    }

    @Test
    @Tag("slow")
    void standardwebhooksOnNodeVerifies(EmbeddedRedis redis) throws Exception {
        Path folder = Programs.installed(Path.of("src/test/node/webhooks"), Path.of("target/node/webhooks"));
        Path script = folder.resolve("verify.mjs").toAbsolutePath();
        assertVerified(redis, (secret, request, body) -> run(command("node", script, secret, request), body));
    }

    private static void assertVerified(EmbeddedRedis redis, Verifier verifier) throws Exception {
        try (Receiver receiver = new Receiver();
                CallbackInstance instance = CallbackInstance.start(
                        redis, receiver, "delayqueue.callbacks.hooks.secrets=" + NEW + "," + OLD)) {
            instance.schedule(OutgoingMessage.to("hooks").payload(BODY));
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> !receiver.requests().isEmpty());
            Request request = receiver.requests().get(0);

            assertThat(verifier.verify(NEW, request, request.body())).isEqualTo("verified");
            assertThat(verifier.verify(OLD, request, request.body()))
                    .as("both secrets are good while they are being changed")
                    .isEqualTo("verified");
            assertThat(verifier.verify(OTHER, request, request.body())).isEqualTo("refused");
            byte[] changed = request.body().clone();
            changed[changed.length - 2] = '1';
            assertThat(verifier.verify(NEW, request, changed)).isEqualTo("refused");
        }
    }

    private static List<String> command(String program, Path script, String secret, Request request) {
        List<String> command = new ArrayList<>(List.of(program, script.toString(), secret));
        for (String header : List.of("webhook-id", "webhook-timestamp", "webhook-signature")) {
            command.add(request.header(header));
        }
        return command;
    }

    private static String run(List<String> command, byte[] input) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try (OutputStream stdin = process.getOutputStream()) {
            stdin.write(input);
        }
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        return output.strip();
    }
}
