package io.delayqueue.jdbc.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.actuate.JournalEndpoint;
import io.delayqueue.jdbc.actuate.JournalEndpointWebExtension;
import io.delayqueue.jdbc.health.JournalHealthIndicator;
import io.delayqueue.jdbc.metrics.OutboxGauges;
import io.delayqueue.jdbc.metrics.OutboxMeters;
import io.delayqueue.jdbc.outbox.HandOver;
import io.delayqueue.jdbc.relay.Relay;
import io.delayqueue.jdbc.testsupport.JournalApplication;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Endpoint, health and meters of the journal: each there by default, replaceable, and gone without its jar. */
@Tag("slow")
class JournalActuatorAutoConfigurationTests {

    private static final List<Class<?>> BEANS = List.of(
            JournalEndpoint.class,
            JournalEndpointWebExtension.class,
            JournalHealthIndicator.class,
            OutboxMeters.class,
            OutboxGauges.class);

    /** Redis is away. */
    private static ApplicationContextRunner runner(TestDatabase database) {
        return JournalApplication.on(database.withSchema().dataSource(), "redis://127.0.0.1:1")
                .withConfiguration(AutoConfigurations.of(
                        JournalEndpointAutoConfiguration.class,
                        JournalHealthContributorAutoConfiguration.class,
                        JournalMetricsAutoConfiguration.class))
                .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .withPropertyValues("management.endpoints.web.exposure.include=*", "delayqueue.command-timeout=100ms");
    }

    @EachDatabase(DatabaseKind.H2)
    void allAreThereByDefault(TestDatabase database) {
        runner(database)
                .run(context ->
                        assertThat(BEANS).allSatisfy(type -> assertThat(context).hasSingleBean(type)));
    }

    @EachDatabase(DatabaseKind.H2)
    void applicationsMayReplaceThem(TestDatabase database) {
        HealthIndicator own = () -> Health.up().build();
        OutboxMeters meters = new OutboxMeters(new SimpleMeterRegistry());
        runner(database)
                .withBean("delayqueueJournalHealthIndicator", HealthIndicator.class, () -> own)
                .withBean(OutboxMeters.class, () -> meters)
                .run(context -> {
                    assertThat(context).doesNotHaveBean(JournalHealthIndicator.class);
                    assertThat(context.getBean(OutboxMeters.class)).isSameAs(meters);
                });
    }

    @EachDatabase(DatabaseKind.H2)
    void noEndpointUnlessExposed(TestDatabase database) {
        runner(database)
                .withPropertyValues("management.endpoints.web.exposure.include=health")
                .run(context -> assertThat(context).doesNotHaveBean(JournalEndpoint.class));
    }

    @EachDatabase(DatabaseKind.H2)
    void healthCanBeSwitchedOff(TestDatabase database) {
        runner(database)
                .withPropertyValues("management.health.delayqueuejournal.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(JournalHealthIndicator.class));
    }

    @EachDatabase(DatabaseKind.H2)
    void aMissingJarSwitchesOffOneOfThem(TestDatabase database) {
        runner(database)
                .withClassLoader(new FilteredClassLoader(Endpoint.class))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(JournalEndpoint.class)
                        .hasSingleBean(JournalHealthIndicator.class)
                        .hasSingleBean(OutboxMeters.class));
        runner(database)
                .withClassLoader(new FilteredClassLoader(HealthIndicator.class))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(JournalHealthIndicator.class)
                        .hasSingleBean(JournalEndpoint.class));
        runner(database)
                .withClassLoader(new FilteredClassLoader(MeterRegistry.class))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(OutboxMeters.class)
                        .hasSingleBean(Relay.class));
    }

    @EachDatabase(DatabaseKind.H2)
    void withAnotherHandOverThereIsNothingToShow(TestDatabase database) {
        runner(database)
                .withBean(HandOver.class, () -> changes -> {})
                .run(context ->
                        BEANS.forEach(type -> assertThat(context).hasNotFailed().doesNotHaveBean(type)));
    }
}
