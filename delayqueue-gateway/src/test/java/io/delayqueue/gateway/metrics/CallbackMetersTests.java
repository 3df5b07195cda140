package io.delayqueue.gateway.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.gateway.autoconfigure.CallbackMetricsAutoConfiguration;
import io.delayqueue.gateway.callback.CallResult;
import io.delayqueue.gateway.callback.CallbackTargets;
import io.delayqueue.gateway.testsupport.CallbackContexts;
import io.delayqueue.spring.autoconfigure.DelayQueueMetricsAutoConfiguration;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.FilteredClassLoader;

@ExtendWith(EmbeddedRedisExtension.class)
class CallbackMetersTests {

    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Path PAGE = Path.of("../docs/callbacks.md");

    private final MeterRegistry registry = new SimpleMeterRegistry();

    /** Answers with the status that the message's header names. */
    private static HttpServer server() throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getByName("localhost"), 0), 0);
        server.createContext("/", exchange -> {
            exchange.getResponseHeaders().add("DelayQueue-Retry", "no");
            exchange.sendResponseHeaders(
                    Integer.parseInt(exchange.getRequestHeaders().getFirst("x-status")), -1);
            exchange.close();
        });
        server.start();
        return server;
    }

    private static OutgoingMessage message(int status) {
        return OutgoingMessage.to("hooks")
                .header("x-status", String.valueOf(status))
                .payload(new byte[] {1})
                .build();
    }

    @Test
    void callsAreTimedByTopicAndOutcomeAndUnavailableTargetsCounted(EmbeddedRedis redis) throws Exception {
        HttpServer server = server();
        CallbackContexts.runner(redis, server.getAddress().getPort(), CallbackMetricsAutoConfiguration.class)
                .withBean(MeterRegistry.class, () -> registry)
                .run(context -> {
                    DelayQueueClient client = context.getBean(DelayQueueClient.class);
                    assertThat(targets("paused") + targets("stopped") + targets("throttled"))
                            .as("they are there before the first call")
                            .isZero();
                    for (int status : new int[] {200, 204, 404, 500}) {
                        client.schedule(message(status));
                    }

                    await().atMost(LONG).until(() -> calls("success") == 2);
                    await().atMost(LONG).until(() -> calls("client_error") == 1 && calls("server_error") == 1);
                    assertThat(registry.get("delayqueue.callback.call").timers())
                            .hasSize(3)
                            .allSatisfy(timer -> {
                                assertThat(timer.totalTime(TimeUnit.NANOSECONDS))
                                        .isPositive();
                                assertThat(timer.getId().getTag("topic")).isEqualTo("hooks");
                            });
                    client.schedule(message(410));
                    await().atMost(LONG).until(() -> targets("paused") == 1);
                    assertThat(calls("gone")).isEqualTo(1);
                    context.getBean(CallbackTargets.class).pause("elsewhere");
                    assertThat(targets("paused")).isEqualTo(2);
                    assertThat(targets("stopped")).isZero();
                    assertDescribed();
                });
        server.stop(0);
    }

    @Test
    void topicsHaveTheirGaugesBeforeTheirFirstMessage(EmbeddedRedis redis) {
        CallbackContexts.runner(
                        redis, 1, DelayQueueMetricsAutoConfiguration.class, CallbackMetricsAutoConfiguration.class)
                .withBean(MeterRegistry.class, () -> registry)
                .run(context -> assertThat(registry.get("delayqueue.messages")
                                .tag("topic", "hooks")
                                .gauges())
                        .hasSize(4));
    }

    private double targets(String state) {
        return registry.get("delayqueue.callback.targets")
                .tag("state", state)
                .gauge()
                .value();
    }

    private long calls(String outcome) {
        Timer timer = registry.find("delayqueue.callback.call")
                .tags("topic", "hooks", "outcome", outcome)
                .timer();
        return timer == null ? 0 : timer.count();
    }

    private void assertDescribed() throws IOException {
        String page = Files.readString(PAGE);
        for (Meter meter : registry.getMeters()) {
            assertThat(meter.getId().getDescription())
                    .as(meter.getId().getName())
                    .isNotBlank();
            assertThat(page).contains("| `" + meter.getId().getName() + "`");
            meter.getId().getTags().forEach(tag -> assertThat(page).contains("`" + tag.getKey() + "`"));
        }
    }

    @Test
    void thePageNamesEachOutcome() throws IOException {
        String page = Files.readString(PAGE);

        assertThat(CallResult.values())
                .allSatisfy(
                        result -> assertThat(page).contains("`" + result.name().toLowerCase(Locale.ROOT) + "`"));
    }

    @Test
    void theNumberOfMetersDoesNotGrowWithTargets() {
        CallbackMeters meters = new CallbackMeters(registry);
        for (int i = 0; i < 5_000; i++) {
            meters.called("hooks", "host-" + i + ".example", CallResult.values()[i % 8], Duration.ofMillis(i));
        }

        assertThat(registry.getMeters()).hasSize(CallResult.values().length);
        assertThat(calls("cancelled")).isEqualTo(5_000 / 8);
    }

    @Test
    void micrometerIsNotNeeded(EmbeddedRedis redis) {
        CallbackContexts.runner(redis, 1, CallbackMetricsAutoConfiguration.class)
                .withClassLoader(new FilteredClassLoader("io.micrometer.core"))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(CallbackMeters.class));
    }
}
