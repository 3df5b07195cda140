package io.delayqueue.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.TopicOptions;
import io.delayqueue.spring.listener.BackoffSettings;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Objects;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The properties hold the core's defaults, and are documented. */
class DelayQueuePropertiesTests {

    @Test
    void defaultsAreTheCores() {
        DelayQueueOptions.Builder builder = DelayQueueOptions.builder();
        new OptionsFromProperties(new DelayQueueProperties()).applyTo(builder);
        DelayQueueOptions options = builder.build();
        DelayQueueOptions core = DelayQueueOptions.defaults();

        assertThat(options.keyPrefix()).isEqualTo(core.keyPrefix());
        assertThat(options.guardInterval()).isEqualTo(core.guardInterval());
        assertThat(options.claimAhead()).isEqualTo(core.claimAhead());
        assertThat(options.wakeUp()).isEqualTo(core.wakeUp());
        assertThat(options.maxPayload()).isEqualTo(core.maxPayload());
        assertThat(options.maxWaitingMessages()).isEqualTo(core.maxWaitingMessages());
        assertThat(options.maxInFlightBytes()).isEqualTo(core.maxInFlightBytes());
        assertThat(options.maxWaitingBytes()).isEqualTo(core.maxWaitingBytes());
        assertThat(options.commandTimeout()).isEqualTo(core.commandTimeout());
        assertThat(options.shutdownTimeout()).isEqualTo(core.shutdownTimeout());
        assertThat(options.waitForReplicas()).isEqualTo(core.waitForReplicas());
        assertThat(options.waitForReplicasTimeout()).isEqualTo(core.waitForReplicasTimeout());
        assertThat(options.topic("any")).isEqualTo(core.topic("any"));
    }

    @Test
    void defaultsOfListenersAreTheCores() {
        ConsumerOptions options = new OptionsFromProperties(new DelayQueueProperties())
                .listenerSettings()
                .applyTo(ConsumerOptions.builder())
                .build();
        ConsumerOptions core = ConsumerOptions.defaults();

        assertThat(options.concurrency()).isEqualTo(core.concurrency());
        assertThat(options.lease()).isEqualTo(core.lease());
        assertThat(options.timeout()).isEqualTo(core.timeout());
        assertThat(options.maxAttempts()).isEqualTo(core.maxAttempts());
        assertThat(options.backoff()).isEqualTo(core.backoff());
        assertThat(BackoffSettings.DEFAULTS.toBackoff()).isEqualTo(core.backoff());
        assertThat(BackoffSettings.NONE.toBackoff()).isEqualTo(core.backoff());
    }

    @Test
    void defaultsOfTopicsAreTheCores() {
        DelayQueueProperties.Topic topic = new DelayQueueProperties.Topic();

        assertThat(topic.getMaxPending()).isEqualTo(TopicOptions.defaults().maxPending());
        assertThat(topic.getDeadLetterRetention())
                .isEqualTo(TopicOptions.defaults().deadLetterRetention());
        assertThat(topic.getPartitions()).isEqualTo(TopicOptions.defaults().partitions());
    }

    @Test
    void everyPropertyHasADescriptionAndADefaultWhereItHasOne() throws IOException {
        List<JsonNode> properties = metadata("properties");

        assertThat(properties)
                .extracting(property -> property.get("name").asString())
                .contains(
                        "delayqueue.enabled",
                        "delayqueue.key-prefix",
                        "delayqueue.guard-interval",
                        "delayqueue.wake-up",
                        "delayqueue.max-payload",
                        "delayqueue.max-waiting-messages",
                        "delayqueue.max-waiting-bytes",
                        "delayqueue.max-in-flight-bytes",
                        "delayqueue.command-timeout",
                        "delayqueue.shutdown-timeout",
                        "delayqueue.transaction-aware",
                        "delayqueue.fail-fast",
                        "delayqueue.wait-for-replicas.count",
                        "delayqueue.wait-for-replicas.timeout",
                        "delayqueue.listener.concurrency",
                        "delayqueue.listener.lease",
                        "delayqueue.listener.timeout",
                        "delayqueue.listener.max-attempts",
                        "delayqueue.listener.auto-startup",
                        "delayqueue.listener.backoff.initial",
                        "delayqueue.listener.backoff.multiplier",
                        "delayqueue.listener.backoff.max",
                        "delayqueue.listener.backoff.jitter",
                        "delayqueue.listener.backoff.delays",
                        "delayqueue.topics",
                        "delayqueue.health.overdue-threshold",
                        "delayqueue.metrics.max-topics",
                        "delayqueue.metrics.histograms",
                        "delayqueue.tracing.handler-span",
                        "delayqueue.listener.log-failures",
                        "delayqueue.json.application-mapper");
        assertThat(properties).allSatisfy(property -> {
            String name = property.get("name").asString();
            assertThat(property.has("description")).as("description of " + name).isTrue();
            assertThat(property.get("description").asString()).as(name).endsWith(".");
            if (!List.of(
                            "delayqueue.listener.timeout",
                            "delayqueue.topics",
                            "delayqueue.listener.backoff.delays",
                            "management.endpoint.delayqueue.operate-roles",
                            "management.endpoint.delayqueue.purge-roles",
                            "management.endpoint.delayqueue.roles")
                    .contains(name)) {
                assertThat(property.has("defaultValue"))
                        .as("default of " + name)
                        .isTrue();
            }
        });
    }

    @Test
    void hintsAreMergedIn() throws IOException {
        assertThat(metadata("hints"))
                .extracting(hint -> hint.get("name").asString())
                .contains("delayqueue.wake-up", "delayqueue.topics.keys");
    }

    private static List<JsonNode> metadata(String part) throws IOException {
        try (InputStream json = Objects.requireNonNull(
                DelayQueueProperties.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json"))) {
            JsonNode nodes = JsonMapper.shared().readTree(json.readAllBytes()).get(part);
            return StreamSupport.stream(nodes.spliterator(), false).toList();
        }
    }
}
