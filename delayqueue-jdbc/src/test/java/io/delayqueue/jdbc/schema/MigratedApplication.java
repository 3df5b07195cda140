package io.delayqueue.jdbc.schema;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.autoconfigure.JournalAutoConfiguration;
import io.delayqueue.jdbc.autoconfigure.JournalSchemaAutoConfiguration;
import io.delayqueue.jdbc.outbox.HandOver;
import io.delayqueue.jdbc.support.JournalTables;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.autoconfigure.DelayQueueAutoConfiguration;
import io.delayqueue.spring.autoconfigure.DelayQueueJacksonAutoConfiguration;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import javax.sql.DataSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** An application with the journal and a tool for migrations, and without a Redis. */
final class MigratedApplication {

    private MigratedApplication() {}

    /**
     * An application.
     *
     * @param tool the auto-configuration of the tool that migrates
     */
    static ApplicationContextRunner of(DataSource dataSource, Class<?> tool) {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        tool,
                        DataSourceTransactionManagerAutoConfiguration.class,
                        TransactionAutoConfiguration.class,
                        DataRedisAutoConfiguration.class,
                        JacksonAutoConfiguration.class,
                        DelayQueueJacksonAutoConfiguration.class,
                        DelayQueueAutoConfiguration.class,
                        JournalSchemaAutoConfiguration.class,
                        JournalAutoConfiguration.class))
                // the context would close a pool of its own
                .withBean("dataSource", DataSource.class, () -> new DelegatingDataSource(dataSource))
                .withBean(
                        HandOver.class,
                        () -> changes ->
                                changes.forEach(change -> change.answer().complete(Optional.empty())))
                .withPropertyValues("spring.data.redis.port=1");
    }

    static String schemaFile(TestDatabase database) throws IOException {
        return new ClassPathResource(
                        "io/delayqueue/jdbc/schema-" + database.kind().platform() + ".sql")
                .getContentAsString(StandardCharsets.UTF_8);
    }

    static void assertWrites(AssertableApplicationContext context, DataSource dataSource, String prefix) {
        assertThat(context).hasNotFailed();
        JournalSchema schema = new JournalSchema(dataSource, new JournalTables(prefix));
        assertThat(schema.version()).hasValue(JournalSchema.VERSION);
        context.getBean(DelayQueueOperations.class).schedule("orders", "A-17", Duration.ofHours(1));
        assertThat(rows(dataSource, prefix + "outbox")).isEqualTo(1);
    }

    static long rows(DataSource dataSource, String from) {
        return JdbcClient.create(dataSource)
                .sql("SELECT COUNT(*) FROM " + from)
                .query(Long.class)
                .single();
    }
}
