package io.delayqueue.jdbc.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.delayqueue.jdbc.inbox.InboxDecorator;
import io.delayqueue.jdbc.retention.Pruner;
import io.delayqueue.jdbc.retention.RetentionSettings;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.autoconfigure.DelayQueueAutoConfiguration;
import io.delayqueue.spring.autoconfigure.DelayQueueJacksonAutoConfiguration;
import io.delayqueue.spring.autoconfigure.DelayQueueListenerAutoConfiguration;
import io.delayqueue.spring.listener.InvalidListenerException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** Idempotent listeners and retention as applications get them. No Redis is needed. */
@ExtendWith(OutputCaptureExtension.class)
class JournalInboxAutoConfigurationTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DataSourceAutoConfiguration.class,
                    DataSourceTransactionManagerAutoConfiguration.class,
                    TransactionAutoConfiguration.class,
                    DataRedisAutoConfiguration.class,
                    JacksonAutoConfiguration.class,
                    DelayQueueJacksonAutoConfiguration.class,
                    DelayQueueAutoConfiguration.class,
                    DelayQueueListenerAutoConfiguration.class,
                    JournalSchemaAutoConfiguration.class,
                    JournalAutoConfiguration.class,
                    JournalInboxAutoConfiguration.class,
                    JournalRetentionAutoConfiguration.class))
            .withPropertyValues(
                    "spring.datasource.url=jdbc:h2:mem:" + System.nanoTime() + ";DB_CLOSE_DELAY=-1",
                    "delayqueue.listener.auto-startup=false",
                    "spring.data.redis.port=1");

    @Test
    void idempotentListenersAreAccepted() {
        runner.withBean(Plain.class)
                .withBean(Joins.class)
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(InboxDecorator.class));
    }

    @Test
    void listenersWhoseTransactionsAreApartAreRefused() {
        refuses(RequiresNew.class, "whose propagation leaves the transaction");
        refuses(NotSupported.class, "whose propagation leaves the transaction");
        refuses(UnknownManager.class, "of manager 'nobody', which does not exist");
        refuses(LongId.class, "has 256 characters, but the journal records at most 255");
        runner.withUserConfiguration(TwoDatabases.class)
                .withBean(OtherManager.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .isInstanceOf(InvalidListenerException.class)
                        .hasMessageContaining("of manager 'elsewhere', which is not that of the journal's DataSource"));
    }

    private void refuses(Class<?> listener, String problem) {
        runner.withBean(listener)
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasStackTraceContaining(problem)
                        .hasStackTraceContaining(listener.getName()));
    }

    @Test
    void theJournalsOwnDataSourceAndManagerAreUsed() {
        runner.withUserConfiguration(TwoDatabases.class)
                .withBean(Plain.class)
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .getBean("delayQueueJournalDatabase")
                        .hasFieldOrPropertyWithValue("dataSource", context.getBean("delayQueueJournalDataSource")));
    }

    @Test
    void aManagerOfAnotherDataSourceThatIsNamedForTheJournalIsRefused() {
        runner.withUserConfiguration(WronglyNamed.class)
                .withBean(Plain.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .isInstanceOf(JournalTransactionManagerException.class)
                        .hasMessageContaining("other resources: delayQueueJournalTransactionManager"));
    }

    @Test
    void aRetentionShorterThanThatOfDeadLettersIsWarnedOf(CapturedOutput output) {
        Logger log = (Logger) LoggerFactory.getLogger("io.delayqueue.jdbc");
        log.setLevel(Level.WARN);
        try {
            runner.withBean(Plain.class).run(context -> assertThat(context).hasNotFailed());
            assertThat(output).doesNotContain("delayqueue.journal.retention.inbox");

            runner.withPropertyValues("delayqueue.journal.retention.inbox=14d")
                    .withBean(Plain.class)
                    .run(context -> assertThat(context).hasNotFailed());
        } finally {
            log.setLevel(null);
        }

        assertThat(output)
                .containsOnlyOnce(
                        "delayqueue.journal.retention.inbox (PT336H) is not longer than the dead-letter retention of topic"
                                + " 'orders' (PT336H)")
                .containsOnlyOnce("delayqueue.journal.retention.inbox (PT336H) is not longer than"
                        + " delayqueue.journal.retention.dead (PT2160H)");
    }

    @Test
    void retriesThatMayOutlastTheRetentionAreWarnedOf(CapturedOutput output) {
        ApplicationContextRunner monthly = runner.withPropertyValues("delayqueue.listener.backoff.delays=30d")
                .withBean(Plain.class);
        Logger log = (Logger) LoggerFactory.getLogger("io.delayqueue.jdbc");
        log.setLevel(Level.WARN);
        try {
            // three delays
            monthly.withPropertyValues("delayqueue.listener.max-attempts=4")
                    .run(context -> assertThat(context).hasNotFailed());
            assertThat(output).doesNotContain("delayqueue.journal.retention.inbox");

            monthly.withPropertyValues("delayqueue.listener.max-attempts=5")
                    .run(context -> assertThat(context).hasNotFailed());
            // 30 and 60 days at most, 20 and 40 without the jitter
            runner.withPropertyValues(
                            "delayqueue.listener.backoff.initial=20d",
                            "delayqueue.listener.backoff.multiplier=2",
                            "delayqueue.listener.backoff.max=60d",
                            "delayqueue.listener.backoff.jitter=0.5",
                            "delayqueue.listener.max-attempts=3",
                            "delayqueue.journal.retention.dead=30d",
                            "delayqueue.journal.retention.inbox=80d")
                    .withBean(Plain.class)
                    .run(context -> assertThat(context).hasNotFailed());
        } finally {
            log.setLevel(null);
        }

        assertThat(output)
                .containsOnlyOnce("delayqueue.journal.retention.inbox (PT2400H) is not longer than the delays between"
                        + " the 5 attempts of idempotent listener")
                .containsOnlyOnce("delayqueue.journal.retention.inbox (PT1920H) is not longer than the delays between"
                        + " the 3 attempts of idempotent listener");
    }

    @Test
    void retentionsAreThoseOfTheProperties() {
        runner.withPropertyValues(
                        "delayqueue.journal.retention.acked=11d",
                        "delayqueue.journal.retention.cancelled=12d",
                        "delayqueue.journal.retention.expired=13d",
                        "delayqueue.journal.retention.dead=14d",
                        "delayqueue.journal.retention.purged=15d",
                        "delayqueue.journal.retention.replaced=16d",
                        "delayqueue.journal.retention.rejected=17d",
                        "delayqueue.journal.retention.kept=18d",
                        "delayqueue.journal.retention.unrecorded=19d",
                        "delayqueue.journal.retention.events=3d",
                        "delayqueue.journal.retention.inbox=40d",
                        "delayqueue.journal.retention.batch-size=5",
                        "delayqueue.journal.retention.interval=6s")
                .run(context -> {
                    assertThat(context).hasSingleBean(Pruner.class);
                    assertThat(context.getBean(Pruner.class).isRunning()).isTrue();
                    RetentionSettings settings = context.getBean(RetentionSettings.class);
                    assertThat(settings.messages())
                            .containsExactlyInAnyOrderEntriesOf(Map.of(
                                    "ACKED", Duration.ofDays(11),
                                    "CANCELLED", Duration.ofDays(12),
                                    "EXPIRED", Duration.ofDays(13),
                                    "DEAD", Duration.ofDays(14),
                                    "PURGED", Duration.ofDays(15),
                                    "REPLACED", Duration.ofDays(16),
                                    "REJECTED", Duration.ofDays(17),
                                    "KEPT", Duration.ofDays(18),
                                    "UNRECORDED", Duration.ofDays(19)));
                    assertThat(settings.events()).isEqualTo(Duration.ofDays(3));
                    assertThat(settings.inbox()).isEqualTo(Duration.ofDays(40));
                    assertThat(settings.batchSize()).isEqualTo(5);
                    assertThat(settings.interval()).isEqualTo(Duration.ofSeconds(6));
                });
        runner.withPropertyValues("delayqueue.journal.retention.enabled=false")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(Pruner.class));
        runner.withPropertyValues("delayqueue.journal.retention.acked=59m")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessage("retention of acked must be at least PT1H, not PT59M"));
    }

    @Test
    void nothingIsThereWithoutTheJournal() {
        runner.withPropertyValues("delayqueue.journal.enabled=false")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(InboxDecorator.class)
                        .doesNotHaveBean(Pruner.class));
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoDatabases {

        @Bean
        DriverManagerDataSource other() {
            return new DriverManagerDataSource("jdbc:h2:mem:other");
        }

        @Bean
        DriverManagerDataSource delayQueueJournalDataSource() {
            return new DriverManagerDataSource("jdbc:h2:mem:journal" + System.nanoTime() + ";DB_CLOSE_DELAY=-1");
        }

        @Bean
        PlatformTransactionManager elsewhere() {
            return new JdbcTransactionManager(new DriverManagerDataSource("jdbc:h2:mem:other"));
        }

        @Bean
        PlatformTransactionManager journals(DriverManagerDataSource delayQueueJournalDataSource) {
            return new JdbcTransactionManager(delayQueueJournalDataSource);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WronglyNamed {

        @Bean
        PlatformTransactionManager delayQueueJournalTransactionManager() {
            return new JdbcTransactionManager(new DriverManagerDataSource("jdbc:h2:mem:other"));
        }
    }

    static class Plain {
        @DelayQueueListener(topic = "orders", idempotent = true)
        void on(String order) {}
    }

    @Transactional
    static class Joins {
        @DelayQueueListener(id = "joins", topic = "orders", idempotent = true)
        public void on(String order) {}
    }

    static class RequiresNew {
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        @DelayQueueListener(topic = "orders", idempotent = true)
        public void on(String order) {}
    }

    @Transactional(propagation = Propagation.NOT_SUPPORTED)
    static class NotSupported {
        @DelayQueueListener(topic = "orders", idempotent = true)
        public void on(String order) {}
    }

    static class OtherManager {
        @Transactional("elsewhere")
        @DelayQueueListener(topic = "orders", idempotent = true)
        public void on(String order) {}
    }

    static class UnknownManager {
        @Transactional("nobody")
        @DelayQueueListener(topic = "orders", idempotent = true)
        public void on(String order) {}
    }

    static class LongId {
        @DelayQueueListener(id = "#{'x'.repeat(256)}", topic = "orders", idempotent = true)
        public void on(String order) {}
    }
}
