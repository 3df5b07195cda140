package io.delayqueue.gateway.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.PullConsumer;
import io.delayqueue.PullOptions;
import io.delayqueue.gateway.autoconfigure.GatewayMetricsAutoConfiguration;
import io.delayqueue.gateway.testsupport.Gateway;
import io.delayqueue.gateway.testsupport.OpenSqs;
import io.delayqueue.gateway.testsupport.OpenSqs.Reply;
import io.delayqueue.test.EmbeddedRedis;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Meters of both endpoints in a whole application, and their table in the document. */
class GatewayMetersTests {

    private static final Duration WAIT = Duration.ofSeconds(60);

    private static EmbeddedRedis redis;
    private static OpenSqs sqs;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Metered {

        @Bean
        MeterRegistry registry() {
            return new SimpleMeterRegistry();
        }
    }

    @BeforeAll
    static void start() {
        redis = EmbeddedRedis.start();
        sqs = new OpenSqs(Gateway.start(
                Metered.class, redis, "delayqueue.gateway.sqs.enabled=true", "delayqueue.topics.small.max-pending=1"));
    }

    @AfterAll
    static void stop() {
        sqs.close();
        redis.close();
    }

    private static MeterRegistry registry() {
        return sqs.gateway().context().getBean(MeterRegistry.class);
    }

    private static double gauge(String name, String endpoint) {
        return registry().get(name).tag("endpoint", endpoint).gauge().value();
    }

    private static double refused(String endpoint, String error) {
        return registry()
                .get("delayqueue.gateway.refused")
                .tags("endpoint", endpoint, "error", error)
                .functionCounter()
                .count();
    }

    private static void awaitGauge(String name, String endpoint, int value) {
        await().atMost(WAIT).until(() -> gauge(name, endpoint) == value);
    }

    @Test
    void requestsThatWaitForMessagesAreMeasured() throws Exception {
        sqs.create("waiting");
        sqs.create("waiting-dead");
        // longer than the test takes
        CompletableFuture<Gateway.Reply> claim =
                sqs.gateway().sendAsync("POST", "/topics/waiting/claims", "{\"wait\": 20}");
        awaitGauge("delayqueue.gateway.waiting", "http", 1);
        CompletableFuture<Reply> receive = sqs.jsonAsync("ReceiveMessage", OpenSqs.receiveBody("waiting", 20, 30));
        awaitGauge("delayqueue.gateway.waiting", "sqs", 1);
        CompletableFuture<Reply> dead = sqs.jsonAsync("ReceiveMessage", OpenSqs.receiveBody("waiting-dead", 20, 30));
        awaitGauge("delayqueue.gateway.waiting", "sqs", 2);
        sqs.send("waiting", "x");
        sqs.send("waiting", "y");

        assertThat(claim.get(60, TimeUnit.SECONDS).status()).isEqualTo(200);
        assertThat(receive.get(60, TimeUnit.SECONDS).status()).isEqualTo(200);
        sqs.send("waiting", "z");
        try (PullConsumer consumer = sqs.client().pullConsumer("waiting", PullOptions.defaults())) {
            consumer.receive(1, WAIT).forEach(message -> consumer.deadLetter(message.receipt(), "test"));
        }
        assertThat(dead.get(60, TimeUnit.SECONDS).status()).isEqualTo(200);
        awaitGauge("delayqueue.gateway.waiting", "http", 0);
        awaitGauge("delayqueue.gateway.waiting", "sqs", 0);
    }

    @Test
    void settlementsThatWaitForRedisAreMeasured() throws Exception {
        sqs.create("settled");
        for (int i = 0; i < 2; i++) {
            assertThat(sqs.send("settled", "x").status()).isEqualTo(200);
        }
        String receipt = sqs.gateway()
                .send("POST", "/topics/settled/claims", "{\"max\": 1, \"wait\": 20, \"lease\": 600}")
                .json()
                .at("/messages/0/receipt")
                .stringValue();
        String handle = sqs.receive("settled", 20)
                .json()
                .at("/Messages/0/ReceiptHandle")
                .stringValue();
        // what a delivery does at last
        awaitGauge("delayqueue.gateway.unsettled", "http", 0);
        awaitGauge("delayqueue.gateway.unsettled", "sqs", 0);
        CompletableFuture<Gateway.Reply> ack;
        CompletableFuture<Reply> delete;
        redis.pause();
        try {
            ack = sqs.gateway().sendAsync("DELETE", "/claims/" + receipt, "");
            delete = sqs.jsonAsync(
                    "DeleteMessage", "{'QueueUrl':'" + OpenSqs.url("settled") + "','ReceiptHandle':'" + handle + "'}");
            awaitGauge("delayqueue.gateway.unsettled", "http", 1);
            awaitGauge("delayqueue.gateway.unsettled", "sqs", 1);
        } finally {
            redis.resume();
        }
        ack.get(60, TimeUnit.SECONDS);
        delete.get(60, TimeUnit.SECONDS);
        awaitGauge("delayqueue.gateway.unsettled", "http", 0);
        awaitGauge("delayqueue.gateway.unsettled", "sqs", 0);
    }

    @Test
    void refusedRequestsAreCountedByTheirErrors() throws Exception {
        sqs.create("small");
        sqs.client()
                .schedule(OutgoingMessage.to("small").payload(new byte[] {1}).build());
        double before = refused("http", "topic-full");
        assertThat(sqs.gateway()
                        .send("POST", "/topics/small/messages", "{\"payload\": 1}")
                        .status())
                .isEqualTo(429);
        assertThat(refused("http", "topic-full")).isEqualTo(before + 1);
        before = refused("sqs", "OverLimit");
        for (int i = 1; i <= 2; i++) {
            assertThat(sqs.send("small", "x").error()).isEqualTo("OverLimit");
            assertThat(refused("sqs", "OverLimit")).isEqualTo(before + i);
        }
        // other errors are no refusals
        assertThat(sqs.send("unknown", "x").error()).isEqualTo("QueueDoesNotExist");
        assertThat(sqs.gateway().send("GET", "/nowhere").status()).isEqualTo(404);
        assertThat(registry().get("delayqueue.gateway.refused").functionCounters().stream()
                        .mapToDouble(counter -> counter.count())
                        .sum())
                .isEqualTo(refused("http", "topic-full") + refused("sqs", "OverLimit"));
    }

    @Test
    void everyMeterIsDescribed() throws Exception {
        String page = Files.readString(Path.of("../docs/gateway.md"));
        String section = page.substring(page.indexOf("\n## Metrics"), page.indexOf("\n## Properties"));
        List<Meter> meters = registry().getMeters().stream()
                .filter(meter -> meter.getId().getName().startsWith("delayqueue.gateway."))
                .toList();
        // of two endpoints: two gauges each, and the counters of four and three errors
        assertThat(meters).hasSize(11);
        for (Meter meter : meters) {
            Meter.Id id = meter.getId();
            assertThat(id.getDescription()).as(id.getName()).isNotBlank();
            assertThat(section).contains("| `" + id.getName() + "` |");
            id.getTags()
                    .forEach(tag -> assertThat(section)
                            .contains("`" + tag.getKey() + "`")
                            .contains("`" + tag.getValue() + "`"));
        }
        assertThat(section.lines().filter(line -> line.startsWith("| `")))
                .as("no meter but these")
                .hasSize((int) meters.stream()
                        .map(meter -> meter.getId().getName())
                        .distinct()
                        .count());
    }

    @Test
    void micrometerIsNotNeeded() {
        new WebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(GatewayMetricsAutoConfiguration.class))
                .withClassLoader(new FilteredClassLoader("io.micrometer.core"))
                .run(context ->
                        assertThat(context).hasNotFailed().doesNotHaveBean(GatewayMetricsAutoConfiguration.class));
    }
}
