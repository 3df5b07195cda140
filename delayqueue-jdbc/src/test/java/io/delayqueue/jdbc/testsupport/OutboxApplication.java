package io.delayqueue.jdbc.testsupport;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.jdbc.autoconfigure.JournalAuditAutoConfiguration;
import io.delayqueue.jdbc.autoconfigure.JournalAutoConfiguration;
import io.delayqueue.jdbc.autoconfigure.JournalInboxAutoConfiguration;
import io.delayqueue.jdbc.autoconfigure.JournalRelayAutoConfiguration;
import io.delayqueue.jdbc.autoconfigure.JournalRestoreAutoConfiguration;
import io.delayqueue.jdbc.autoconfigure.JournalSchemaAutoConfiguration;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.autoconfigure.DelayQueueAutoConfiguration;
import io.delayqueue.spring.autoconfigure.DelayQueueJacksonAutoConfiguration;
import io.delayqueue.spring.autoconfigure.DelayQueueListenerAutoConfiguration;
import io.delayqueue.spring.autoconfigure.DelayQueueObservationAutoConfiguration;
import io.delayqueue.spring.autoconfigure.DelayQueueOperatorAutoConfiguration;
import io.delayqueue.spring.autoconfigure.DelayQueueTracingAutoConfiguration;
import io.delayqueue.test.EmbeddedRedis;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcClientAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/** An application as users have it, with a journal in a test's database, and a Redis. */
public final class OutboxApplication implements AutoCloseable {

    private final ConfigurableApplicationContext context;

    /** Starts it with further properties, each {@code name=value}. */
    public OutboxApplication(TestDatabase database, EmbeddedRedis redis, String... properties) {
        this(database, redis, context -> {}, properties);
    }

    /** Starts it with further beans and properties. */
    public OutboxApplication(
            TestDatabase database,
            EmbeddedRedis redis,
            Consumer<GenericApplicationContext> beans,
            String... properties) {
        List<String> all = new ArrayList<>(List.of(
                "spring.datasource.url=" + database.url(),
                "spring.datasource.hikari.minimum-idle=0",
                "spring.data.redis.host=127.0.0.1",
                "spring.data.redis.port=" + redis.port(),
                "spring.main.banner-mode=off",
                "delayqueue.journal.initialize-schema=always",
                "delayqueue.command-timeout=20s",
                "delayqueue.shutdown-timeout=60s"));
        all.addAll(List.of(properties));
        SpringApplication application = new SpringApplicationBuilder(Configuration.class)
                .web(WebApplicationType.NONE)
                .properties(all.toArray(String[]::new))
                .initializers(created -> beans.accept((GenericApplicationContext) created))
                .build();
        this.context = application.run();
    }

    /** Its beans. */
    public ConfigurableApplicationContext context() {
        return context;
    }

    public DelayQueueOperations template() {
        return context.getBean(DelayQueueOperations.class);
    }

    public DelayQueueClient client() {
        return context.getBean(DelayQueueClient.class);
    }

    public TransactionTemplate transaction() {
        return context.getBean(TransactionTemplate.class);
    }

    public JdbcClient jdbc() {
        return context.getBean(JdbcClient.class);
    }

    /** Rows that were not sent yet. */
    public long outboxRows() {
        return jdbc().sql("SELECT COUNT(*) FROM delayqueue_outbox")
                .query(Long.class)
                .single();
    }

    /** Messages that Redis has or has had. */
    public long accepted(String topic) {
        return client().stats(topic).totals().accepted();
    }

    @Override
    public void close() {
        context.close();
    }

    @ImportAutoConfiguration({
        DataSourceAutoConfiguration.class,
        DataSourceTransactionManagerAutoConfiguration.class,
        TransactionAutoConfiguration.class,
        JdbcTemplateAutoConfiguration.class,
        JdbcClientAutoConfiguration.class,
        DataRedisAutoConfiguration.class,
        JacksonAutoConfiguration.class,
        DelayQueueJacksonAutoConfiguration.class,
        DelayQueueAutoConfiguration.class,
        DelayQueueListenerAutoConfiguration.class,
        DelayQueueOperatorAutoConfiguration.class,
        DelayQueueObservationAutoConfiguration.class,
        DelayQueueTracingAutoConfiguration.class,
        JournalSchemaAutoConfiguration.class,
        JournalRelayAutoConfiguration.class,
        JournalRestoreAutoConfiguration.class,
        JournalAutoConfiguration.class,
        JournalAuditAutoConfiguration.class,
        JournalInboxAutoConfiguration.class
    })
    static class Configuration {}
}
