package io.delayqueue.jdbc.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.delayqueue.jdbc.Journal;
import io.delayqueue.jdbc.JournalQuery;
import io.delayqueue.jdbc.audit.JdbcJournal;
import io.delayqueue.jdbc.outbox.HandOver;
import io.delayqueue.jdbc.outbox.UnsuitableTransactionException;
import io.delayqueue.jdbc.support.JournalDatabase;
import io.delayqueue.jdbc.support.JournalTransaction;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.autoconfigure.DelayQueueAutoConfiguration;
import io.delayqueue.spring.autoconfigure.DelayQueueJacksonAutoConfiguration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.ResourceTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Applications with several DataSources or transaction managers. */
class JournalDataSourceTests {

    private final DataSource orders = database("orders");
    private final DataSource billing = database("billing");

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DataSourceAutoConfiguration.class,
                    DataSourceTransactionManagerAutoConfiguration.class,
                    TransactionAutoConfiguration.class,
                    JdbcTemplateAutoConfiguration.class,
                    DataRedisAutoConfiguration.class,
                    JacksonAutoConfiguration.class,
                    DelayQueueJacksonAutoConfiguration.class,
                    DelayQueueAutoConfiguration.class,
                    JournalSchemaAutoConfiguration.class,
                    JournalAutoConfiguration.class))
            .withPropertyValues("spring.data.redis.port=1")
            .withBean(
                    HandOver.class,
                    () -> changes -> changes.forEach(change -> change.answer().complete(Optional.empty())));

    @Test
    void severalWithoutANamedOneFailTheStartByName() {
        runner.withBean("orders", DataSource.class, () -> orders)
                .withBean("billing", DataSource.class, () -> billing)
                .withBean(PlatformTransactionManager.class, () -> new JdbcTransactionManager(orders))
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(JournalDataSourceException.class)
                        .hasMessageContaining("orders, billing")
                        .extracting(failure -> ((JournalDataSourceException) failure).action())
                        .asString()
                        .contains("delayQueueJournalDataSource"));
    }

    @Test
    void thePrimaryOneIsTaken() {
        runner.withBean("billing", DataSource.class, () -> billing)
                .withBean("orders", DataSource.class, () -> orders, definition -> definition.setPrimary(true))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBean(JournalDatabase.class).dataSource())
                            .isSameAs(orders);
                });
    }

    @Test
    void theNamedOneIsTakenAndItsTransactionsAreJoined() {
        runner.withBean("orders", DataSource.class, () -> orders, definition -> definition.setPrimary(true))
                .withBean("delayQueueJournalDataSource", DataSource.class, () -> billing)
                .withBean("ofOrders", PlatformTransactionManager.class, () -> new JdbcTransactionManager(orders))
                .withBean("ofBilling", PlatformTransactionManager.class, () -> new JdbcTransactionManager(billing))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    DelayQueueOperations template = context.getBean(DelayQueueOperations.class);
                    TransactionTemplate transaction =
                            new TransactionTemplate((PlatformTransactionManager) context.getBean("ofBilling"));
                    transaction.executeWithoutResult(status -> {
                        template.schedule("orders", "rolled back", Duration.ofHours(1));
                        status.setRollbackOnly();
                    });
                    transaction.executeWithoutResult(status -> template.schedule("orders", "x", Duration.ofHours(1)));
                    assertThat(JdbcClient.create(billing)
                                    .sql("SELECT COUNT(*) FROM delayqueue_outbox")
                                    .query(Long.class)
                                    .single())
                            .isEqualTo(1);
                    new TransactionTemplate((PlatformTransactionManager) context.getBean("ofOrders"))
                            .executeWithoutResult(
                                    status -> assertThatExceptionOfType(UnsuitableTransactionException.class)
                                            .isThrownBy(() -> template.schedule("orders", "y", Duration.ofHours(1)))
                                            .withMessageContaining("DataSource 'delayQueueJournalDataSource'")
                                            .withMessageContaining("REQUIRES_NEW"));
                });
    }

    @Test
    void aManagerOfAnotherOneOnlyFailsTheStartByName() {
        runner.withBean("orders", DataSource.class, () -> orders, definition -> definition.setPrimary(true))
                .withBean("delayQueueJournalDataSource", DataSource.class, () -> billing)
                .withBean("ofOrders", PlatformTransactionManager.class, () -> new JdbcTransactionManager(orders))
                .run(context -> assertThat(context)
                        .getFailure()
                        .isInstanceOf(JournalTransactionManagerException.class)
                        .hasMessageContaining("ofOrders"));
    }

    @Test
    void managersOfSessionsAreAskedForTheirDataSource() {
        runner.withBean("orders", DataSource.class, () -> orders)
                .withBean(PlatformTransactionManager.class, () -> new SessionManager(orders))
                .run(context -> assertThat(context).hasNotFailed());
        runner.withBean("orders", DataSource.class, () -> orders)
                .withBean(PlatformTransactionManager.class, () -> new SessionManager(billing))
                .run(context ->
                        assertThat(context).getFailure().isInstanceOf(JournalTransactionManagerException.class));
    }

    @Test
    void noManagerFailsTheStartByName() {
        ApplicationContextRunner withoutManager = new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        DataRedisAutoConfiguration.class,
                        JacksonAutoConfiguration.class,
                        DelayQueueJacksonAutoConfiguration.class,
                        DelayQueueAutoConfiguration.class,
                        JournalSchemaAutoConfiguration.class,
                        JournalAutoConfiguration.class))
                .withPropertyValues("spring.data.redis.port=1")
                .withBean(HandOver.class, () -> changes -> {})
                .withBean("orders", DataSource.class, () -> orders);

        withoutManager.run(context -> assertThat(context)
                .getFailure()
                .isInstanceOf(JournalTransactionManagerException.class)
                .hasMessageContaining("there is no transaction manager at all"));
        withoutManager
                .withPropertyValues("delayqueue.journal.enabled=false")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void proxiesThatKnowOfTransactionsKeepTheCallersTransactionApart() {
        callsBesideTheCallersTransaction(TransactionAwareDataSourceProxy::new);
    }

    @Test
    void proxiesThatConnectLateKeepTheCallersTransactionApart() {
        callsBesideTheCallersTransaction(LazyConnectionDataSourceProxy::new);
        callsBesideTheCallersTransaction(
                pool -> new TransactionAwareDataSourceProxy(new LazyConnectionDataSourceProxy(pool)));
    }

    /** A pool without auto-commit rolls back what is written on a connection after its transaction. */
    private void callsBesideTheCallersTransaction(UnaryOperator<DataSource> proxy) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(database("proxied"));
        config.setAutoCommit(false);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            DataSource proxied = proxy.apply(pool);
            runner.withBean("dataSource", DataSource.class, () -> proxied)
                    .withPropertyValues("delayqueue.journal.initialize-schema=always")
                    .run(context -> {
                        assertThat(context).hasNotFailed();
                        JdbcClient jdbc = JdbcClient.create(pool);
                        DelayQueueOperations template = context.getBean(DelayQueueOperations.class);
                        Journal journal = new JdbcJournal(
                                context.getBean(JournalDatabase.class),
                                context.getBean(JournalTransaction.class),
                                null);
                        TransactionTemplate transaction =
                                new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
                        List<Long> rowsSeen = new ArrayList<>();

                        transaction.executeWithoutResult(status -> {
                            template.schedule("orders", "rolled back", Duration.ofHours(1));
                            rowsSeen.add(count(JdbcClient.create(proxied)));
                            assertThat(journal.search(JournalQuery.ofTopic("orders")
                                                    .build())
                                            .messages())
                                    .isEmpty();
                            rowsSeen.add(count(JdbcClient.create(proxied)));
                            status.setRollbackOnly();
                        });
                        assertThat(rowsSeen).containsExactly(1L, 1L);
                        rowsSeen.add(
                                new TransactionTemplate(new JdbcTransactionManager(pool)).execute(s -> count(jdbc)));

                        transaction.executeWithoutResult(status -> {
                            template.schedule("orders", "inside", Duration.ofHours(1));
                            TransactionSynchronizationManager.registerSynchronization(new EarlyHook(
                                    () -> template.schedule("orders", "after the end", Duration.ofHours(1))));
                        });
                        rowsSeen.add(
                                new TransactionTemplate(new JdbcTransactionManager(pool)).execute(s -> count(jdbc)));
                        assertThat(rowsSeen).containsExactly(1L, 1L, 0L, 2L);
                    });
        }
    }

    private static long count(JdbcClient jdbc) {
        return jdbc.sql("SELECT COUNT(*) FROM delayqueue_outbox")
                .query(Long.class)
                .single();
    }

    /** Runs after the end of a transaction, before its connections are forgotten. */
    private record EarlyHook(Runnable action) implements TransactionSynchronization {

        @Override
        public int getOrder() {
            return HIGHEST_PRECEDENCE;
        }

        @Override
        public void afterCompletion(int status) {
            action.run();
        }
    }

    private static DataSource database(String name) {
        return new DriverManagerDataSource("jdbc:h2:mem:" + name + System.nanoTime() + ";DB_CLOSE_DELAY=-1");
    }

    /** As JPA's: its resource is a factory of sessions, which use a DataSource. */
    public static final class SessionManager extends AbstractPlatformTransactionManager
            implements ResourceTransactionManager {

        private static final long serialVersionUID = 1L;

        private final transient DataSource dataSource;

        SessionManager(DataSource dataSource) {
            this.dataSource = dataSource;
        }

        public DataSource getDataSource() {
            return dataSource;
        }

        @Override
        public Object getResourceFactory() {
            return "sessions";
        }

        @Override
        protected Object doGetTransaction() {
            return new Object();
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {}

        @Override
        protected void doCommit(DefaultTransactionStatus status) {}

        @Override
        protected void doRollback(DefaultTransactionStatus status) {}
    }
}
