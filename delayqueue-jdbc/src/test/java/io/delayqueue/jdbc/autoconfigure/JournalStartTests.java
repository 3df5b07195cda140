package io.delayqueue.jdbc.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.jdbc.testsupport.JournalApplication;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.spring.DelayQueueTemplate;
import io.delayqueue.spring.MessageSender;
import io.delayqueue.spring.PayloadConverter;
import io.delayqueue.spring.autoconfigure.DelayQueueAutoConfiguration;
import io.delayqueue.spring.autoconfigure.DelayQueueJacksonAutoConfiguration;
import io.delayqueue.spring.autoconfigure.DelayQueueTemplateConfigurer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The log of a start tells whether there is a journal, and which. */
@ExtendWith(OutputCaptureExtension.class)
class JournalStartTests {

    private static final String NO_JOURNAL = "There is no DataSource, so there is no journal";

    private final ApplicationContextRunner withoutDataSource = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DataRedisAutoConfiguration.class,
                    JacksonAutoConfiguration.class,
                    DelayQueueJacksonAutoConfiguration.class,
                    DelayQueueAutoConfiguration.class,
                    JournalSchemaAutoConfiguration.class,
                    JournalRelayAutoConfiguration.class,
                    JournalAutoConfiguration.class,
                    JournalWithoutDataSourceAutoConfiguration.class))
            .withPropertyValues("spring.data.redis.port=1");

    private final Logger log = (Logger) LoggerFactory.getLogger("io.delayqueue.jdbc");
    private final Level level = log.getLevel();

    @BeforeEach
    void showLog() {
        log.setLevel(Level.INFO);
    }

    @AfterEach
    void hideLog() {
        log.setLevel(level);
    }

    @Test
    void anApplicationWithoutADataSourceIsWarned(CapturedOutput output) {
        withoutDataSource.run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(MessageSender.class));

        assertThat(output).containsOnlyOnce(NO_JOURNAL);
    }

    @Test
    void nobodyIsWarnedWhoSwitchedItOff(CapturedOutput output) {
        withoutDataSource
                .withPropertyValues("delayqueue.journal.enabled=false")
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output).doesNotContain(NO_JOURNAL);
    }

    @EachDatabase(DatabaseKind.H2)
    void aJournalInUseIsNamed(TestDatabase database, CapturedOutput output) {
        JournalApplication.on(database.withSchema().dataSource(), "redis://127.0.0.1:1")
                .withConfiguration(AutoConfigurations.of(JournalWithoutDataSourceAutoConfiguration.class))
                .withPropertyValues("delayqueue.command-timeout=100ms", "delayqueue.journal.restore.mode=report")
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output)
                .contains(
                        "The journal is in use: h2, DataSource 'dataSource', tables delayqueue_*, audit flow, restore report")
                .doesNotContain(NO_JOURNAL);
    }

    @EachDatabase(DatabaseKind.H2)
    void aStartWithoutAuditSaysThatNothingIsRestored(TestDatabase database, CapturedOutput output) {
        JournalApplication.on(database.withSchema().dataSource(), "redis://127.0.0.1:1")
                .withPropertyValues("delayqueue.command-timeout=100ms", "delayqueue.journal.audit.enabled=false")
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output).contains("audit off, restore off");
    }

    /** As the starter's own template backs off. */
    @EachDatabase(DatabaseKind.H2)
    void templatesThatGoPastTheJournalAreWarnedOf(TestDatabase database, CapturedOutput output) {
        ApplicationContextRunner runner = JournalApplication.on(
                        database.withSchema().dataSource(), "redis://127.0.0.1:1")
                .withPropertyValues("delayqueue.command-timeout=100ms");

        runner.withUserConfiguration(ConfiguredTemplate.class)
                .run(context -> assertThat(context).hasNotFailed().hasBean("configured"));
        assertThat(output).doesNotContain("bypasses the journal");

        runner.withUserConfiguration(PlainTemplate.class)
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output).containsOnlyOnce("The template 'plain' bypasses the journal");
    }

    @Configuration(proxyBeanMethods = false)
    static class PlainTemplate {

        @Bean
        DelayQueueTemplate plain(DelayQueueClient client, PayloadConverter converter) {
            return new DelayQueueTemplate(client, converter);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ConfiguredTemplate {

        @Bean
        DelayQueueTemplate configured(
                DelayQueueClient client, PayloadConverter converter, DelayQueueTemplateConfigurer configurer) {
            return configurer.configure(new DelayQueueTemplate(client, converter));
        }
    }

    @EachDatabase(DatabaseKind.H2)
    void listenersThatMayLeaveTheJournalTooFewConnectionsAreWarnedOf(TestDatabase database, CapturedOutput output) {
        database.withSchema();
        ApplicationContextRunner runner = JournalApplication.on(database.dataSource(), "redis://127.0.0.1:1")
                .withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
                .withPropertyValues("delayqueue.command-timeout=100ms");

        runner.withPropertyValues("delayqueue.listener.concurrency=1")
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output).doesNotContain("pool has");

        runner.withPropertyValues("delayqueue.listener.concurrency=2")
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output)
                .containsOnlyOnce(
                        "handle up to 2 messages at once, each on a connection of its own. The DataSource's pool has 10");
    }

    @EachDatabase(DatabaseKind.H2)
    void aMemoryThatIsShorterThanSendingIsReportedWithItsProperty(TestDatabase database) {
        JournalApplication.on(database.withSchema().dataSource(), "redis://127.0.0.1:1")
                .withPropertyValues("delayqueue.journal.outbox.remember-applied=29s")
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("delayqueue.journal.outbox.remember-applied"));
    }

    @Test
    void theWarningIsOneOfTheAutoConfigurations() {
        assertThat(ImportCandidates.load(AutoConfiguration.class, getClass().getClassLoader()))
                .contains(JournalWithoutDataSourceAutoConfiguration.class.getName());
    }
}
