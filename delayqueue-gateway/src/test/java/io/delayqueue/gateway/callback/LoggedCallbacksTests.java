package io.delayqueue.gateway.callback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.gateway.callback.Receiver.Reply;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** The log has no payloads, header values or paths of URLs, however a call ends. */
@ExtendWith(OutputCaptureExtension.class)
class LoggedCallbacksTests extends RunningCallbacks {

    private static final String SECRET = "s3cr3t";

    private final LoggingSystem logging = LoggingSystem.get(getClass().getClassLoader());

    @BeforeEach
    void logAll() {
        logging.setLogLevel("io.delayqueue", LogLevel.DEBUG);
    }

    @AfterEach
    void logFailures() {
        logging.setLogLevel("io.delayqueue", LogLevel.ERROR);
    }

    @Test
    void secretsOfMessagesAreInNoLog(CapturedOutput output) {
        instance(
                "delayqueue.callbacks.hooks.allow-message-url=true",
                "delayqueue.callbacks.hooks.max-attempts=2",
                "delayqueue.callbacks.hooks.on-failure.topic=failed",
                "delayqueue.gateway.callbacks.flow.failures=1",
                "delayqueue.gateway.callbacks.flow.initial-break=10ms");
        receiver.answer(request -> switch (request.path().substring(SECRET.length() + 2)) {
            case "gone" -> Reply.of(410);
            case "busy" -> new Reply(429, Map.of("Retry-After", "0"));
            case "no" -> new Reply(400, Map.of("DelayQueue-Retry", "no"));
            case "silent" -> Receiver.SILENCE;
            case "broken" -> Reply.of(500);
            default -> Reply.of(200);
        });
        for (String end : new String[] {"ok", "gone", "busy", "no", "broken"}) {
            schedule(end, "http://hook.example:" + receiver.port() + "/" + SECRET + "/" + end);
        }
        schedule("down", "http://down.example:1/" + SECRET + "/down");
        schedule("unknown", "http://unknown.example:1/" + SECRET + "/unknown");

        for (String dead : new String[] {"busy", "no", "broken", "down", "unknown"}) {
            assertThat(awaitDead(dead).error()).as(dead).doesNotContain(SECRET);
        }
        awaitAcked(1);
        await().atMost(LONG).until(() -> stats().totals().postponed() >= 1);
        instance.close();
        instance = null;
        assertThat(output.getAll()).contains("hook.example").doesNotContain(SECRET);
    }

    private void schedule(String id, String url) {
        instance.schedule(OutgoingMessage.to("hooks")
                .id(id)
                .payload(SECRET.getBytes(StandardCharsets.UTF_8))
                .header("X-Key", SECRET)
                .header(CallbackMessageHeaders.URL, url));
    }
}
