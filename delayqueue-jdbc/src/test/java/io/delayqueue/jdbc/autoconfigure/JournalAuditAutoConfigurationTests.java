package io.delayqueue.jdbc.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.jdbc.Journal;
import io.delayqueue.jdbc.audit.AuditBuffer;
import io.delayqueue.jdbc.audit.AuditObserver;
import io.delayqueue.jdbc.audit.AuditPolicy;
import io.delayqueue.jdbc.audit.AuditSettings;
import io.delayqueue.jdbc.audit.AuditWriter;
import io.delayqueue.spring.autoconfigure.DelayQueueAutoConfiguration;
import io.delayqueue.spring.autoconfigure.DelayQueueJacksonAutoConfiguration;
import io.delayqueue.spring.autoconfigure.DelayQueueListenerAutoConfiguration;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class JournalAuditAutoConfigurationTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DataSourceAutoConfiguration.class,
                    DataSourceTransactionManagerAutoConfiguration.class,
                    DataRedisAutoConfiguration.class,
                    JacksonAutoConfiguration.class,
                    DelayQueueJacksonAutoConfiguration.class,
                    DelayQueueAutoConfiguration.class,
                    DelayQueueListenerAutoConfiguration.class,
                    JournalSchemaAutoConfiguration.class,
                    JournalRelayAutoConfiguration.class,
                    JournalAutoConfiguration.class,
                    JournalAuditAutoConfiguration.class))
            .withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + System.nanoTime(), "spring.data.redis.port=1");

    @Test
    void eventsAreRecordedByDefault() {
        runner.run(context -> {
            assertThat(context).hasNotFailed().hasSingleBean(AuditWriter.class).hasSingleBean(Journal.class);
            assertThat(context.getBean(AuditSettings.class)).isEqualTo(AuditSettings.DEFAULTS);
            assertThat(context.getBean(AuditWriter.class).isRunning()).isTrue();
        });
    }

    @Test
    void theClientTellsTheAudit() {
        runner.run(context -> {
            context.getBean(DelayQueueClient.class).options().observer().cancelled("orders", "a", Duration.ZERO);
            // Redis, whose clock tells the event's time, is away
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> context.getBean(AuditBuffer.class).size()
                                    + context.getBean(AuditWriter.class).unwritten()
                            == 1);
        });
    }

    @Test
    void propertiesSetTheAudit() {
        runner.withPropertyValues(
                        "delayqueue.journal.audit.policy=stop",
                        "delayqueue.journal.audit.capacity=10",
                        "delayqueue.journal.audit.capacity-bytes=1MB",
                        "delayqueue.journal.audit.flush-interval=1s")
                .run(context -> assertThat(context.getBean(AuditSettings.class))
                        .isEqualTo(new AuditSettings(AuditPolicy.STOP, 10, 1 << 20, Duration.ofSeconds(1))));
    }

    @Test
    void theAuditCanBeSwitchedOffAndTheJournalReadStill() {
        runner.withPropertyValues("delayqueue.journal.audit.enabled=false")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(AuditObserver.class)
                        .doesNotHaveBean(AuditWriter.class)
                        .hasSingleBean(Journal.class));
    }

    @Test
    void anotherJournalTakesPrecedence() {
        Journal own = new JournalOfTheUser();
        runner.withBean(Journal.class, () -> own)
                .run(context -> assertThat(context.getBean(Journal.class)).isSameAs(own));
    }

    private static final class JournalOfTheUser implements Journal {

        @Override
        public io.delayqueue.jdbc.MessageStory story(String topic, String id) {
            throw new UnsupportedOperationException();
        }

        @Override
        public io.delayqueue.jdbc.JournalPage search(io.delayqueue.jdbc.JournalQuery query) {
            throw new UnsupportedOperationException();
        }
    }
}
