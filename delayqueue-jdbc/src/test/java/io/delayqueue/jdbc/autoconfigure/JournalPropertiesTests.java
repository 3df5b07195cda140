package io.delayqueue.jdbc.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.OutboxOptions;
import io.delayqueue.jdbc.audit.AuditSettings;
import io.delayqueue.jdbc.relay.OutboxSettings;
import io.delayqueue.jdbc.restore.RestoreSettings;
import io.delayqueue.jdbc.schema.JournalSchemaInitializer;
import io.delayqueue.jdbc.support.JournalTables;
import java.io.IOException;
import java.net.URL;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The properties hold the defaults of what they configure, and are documented. */
class JournalPropertiesTests {

    /** There is nothing to be found by, unless the application names it. */
    private static final Set<String> WITHOUT_DEFAULT = Set.of("delayqueue.journal.business-key");

    private final JournalProperties properties = new JournalProperties();

    @Test
    void defaultsAreThoseOfWhatTheyConfigure() {
        OutboxProperties outbox = properties.getOutbox();

        assertThat(properties.getSchema()).isEqualTo(JournalSchemaInitializer.DEFAULT_LOCATION);
        assertThat(properties.getTablePrefix()).isEqualTo(JournalTables.DEFAULT_PREFIX);
        assertThat(new OutboxSettings(
                        outbox.getSendTimeout(),
                        outbox.getBatchSize(),
                        outbox.getPollInterval(),
                        outbox.getHandOverCapacity(),
                        outbox.getMaxFailures()))
                .isEqualTo(OutboxSettings.DEFAULTS);
        assertThat(new OutboxOptions(outbox.getSendTimeout(), outbox.getRememberApplied()))
                .isEqualTo(OutboxOptions.DEFAULTS);
        AuditProperties audit = properties.getAudit();
        assertThat(new AuditSettings(
                        audit.getPolicy(),
                        audit.getCapacity(),
                        audit.getCapacityBytes().toBytes(),
                        audit.getFlushInterval()))
                .isEqualTo(AuditSettings.DEFAULTS);
        RestoreProperties restore = properties.getRestore();
        assertThat(new RestoreSettings(
                        restore.getMode(),
                        restore.getRate(),
                        restore.getCheckInterval(),
                        restore.getCompareInterval(),
                        restore.getHoldTimeout(),
                        RestoreSettings.DEFAULTS.checkTimeout(),
                        RestoreSettings.DEFAULTS.settleTime()))
                .isEqualTo(RestoreSettings.DEFAULTS);
    }

    @Test
    void everyPropertyHasADescriptionAndADefaultWhereItHasOne() throws IOException {
        List<JsonNode> documented = metadata("properties");

        assertThat(documented)
                .extracting(property -> property.get("name").asString())
                .contains(
                        "delayqueue.journal.enabled",
                        "delayqueue.journal.initialize-schema",
                        "delayqueue.journal.schema",
                        "delayqueue.journal.platform",
                        "delayqueue.journal.table-prefix",
                        "delayqueue.journal.business-key",
                        "delayqueue.journal.outbox.send-timeout",
                        "delayqueue.journal.outbox.batch-size",
                        "delayqueue.journal.outbox.poll-interval",
                        "delayqueue.journal.outbox.hand-over-capacity",
                        "delayqueue.journal.outbox.max-failures",
                        "delayqueue.journal.outbox.remember-applied",
                        "delayqueue.journal.audit.enabled",
                        "delayqueue.journal.audit.policy",
                        "delayqueue.journal.audit.capacity",
                        "delayqueue.journal.audit.capacity-bytes",
                        "delayqueue.journal.audit.flush-interval",
                        "delayqueue.journal.restore.mode",
                        "delayqueue.journal.restore.rate",
                        "delayqueue.journal.restore.check-interval",
                        "delayqueue.journal.restore.compare-interval",
                        "delayqueue.journal.restore.hold-timeout",
                        "delayqueue.journal.retention.enabled",
                        "delayqueue.journal.retention.acked",
                        "delayqueue.journal.retention.cancelled",
                        "delayqueue.journal.retention.expired",
                        "delayqueue.journal.retention.dead",
                        "delayqueue.journal.retention.purged",
                        "delayqueue.journal.retention.replaced",
                        "delayqueue.journal.retention.rejected",
                        "delayqueue.journal.retention.kept",
                        "delayqueue.journal.retention.unrecorded",
                        "delayqueue.journal.retention.events",
                        "delayqueue.journal.retention.inbox",
                        "delayqueue.journal.retention.batch-size",
                        "delayqueue.journal.retention.interval");
        assertThat(documented).allSatisfy(property -> {
            String name = property.get("name").asString();
            assertThat(property.has("description")).as("description of " + name).isTrue();
            assertThat(property.get("description").asString()).as(name).endsWith(".");
            assertThat(property.has("defaultValue"))
                    .as("default of " + name)
                    .isNotEqualTo(WITHOUT_DEFAULT.contains(name));
        });
    }

    @ParameterizedTest
    @CsvSource({
        "table-prefix, a-b",
        "outbox.send-timeout, 999ms",
        "outbox.send-timeout, 2h",
        "outbox.batch-size, 0",
        "outbox.poll-interval, 0s",
        "outbox.hand-over-capacity, -1",
        "outbox.max-failures, 0",
        "audit.capacity, 0",
        "audit.capacity-bytes, 0",
        "audit.flush-interval, -1s",
        "restore.rate, 0",
        "restore.check-interval, 0",
        "restore.compare-interval, -1s",
        "restore.hold-timeout, 0",
        "retention.batch-size, 0"
    })
    void aValueOutOfRangeIsReportedWithItsProperty(String name, String value) {
        new ApplicationContextRunner()
                .withUserConfiguration(Bound.class)
                .withPropertyValues("delayqueue.journal." + name + "=" + value)
                .run(context -> assertThat(context)
                        .getFailure()
                        .cause()
                        .isInstanceOfSatisfying(
                                BindException.class,
                                failure -> assertThat(String.valueOf(
                                                failure.getProperty().getName()))
                                        .isEqualTo("delayqueue.journal." + name))
                        .hasRootCauseInstanceOf(IllegalArgumentException.class)
                        .rootCause()
                        .hasMessageContaining("must be"));
    }

    @Configuration(proxyBeanMethods = false)
    @EnableConfigurationProperties(JournalProperties.class)
    static class Bound {}

    @Test
    void hintsAreMergedIn() throws IOException {
        assertThat(metadata("hints"))
                .extracting(hint -> hint.get("name").asString())
                .contains(
                        "delayqueue.journal.initialize-schema",
                        "delayqueue.journal.platform",
                        "delayqueue.journal.table-prefix",
                        "delayqueue.journal.business-key");
    }

    /** Of this module: the starter and others have files of the same name. */
    private static List<JsonNode> metadata(String part) throws IOException {
        List<JsonNode> nodes = new ArrayList<>();
        for (URL file : Collections.list(JournalPropertiesTests.class
                .getClassLoader()
                .getResources("META-INF/spring-configuration-metadata.json"))) {
            for (JsonNode node : JsonMapper.shared()
                    .readTree(file.openStream().readAllBytes())
                    .path(part)) {
                if (node.get("name").asString().startsWith("delayqueue.journal")) {
                    nodes.add(node);
                }
            }
        }
        return nodes;
    }
}
