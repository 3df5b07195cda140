package io.delayqueue.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import com.zaxxer.hikari.HikariDataSource;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.ScheduleResult;
import io.delayqueue.spring.testsupport.Contexts;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.LoggerFactory;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** {@code delayqueue.transaction-aware=true} with a database whose pool has one connection. */
@ExtendWith({EmbeddedRedisExtension.class, OutputCaptureExtension.class})
abstract class DatabaseTransactionsFixture {

    static final Duration HOUR = Duration.ofHours(1);
    private final Logger log = (Logger) LoggerFactory.getLogger(CommittedOperations.class);
    final HikariDataSource dataSource = new HikariDataSource();
    TransactionTemplate transaction = new TransactionTemplate();
    JdbcTemplate database = new JdbcTemplate();
    ApplicationContextRunner runner = Contexts.runner();

    @BeforeEach
    void useRedisAndDatabase(EmbeddedRedis redis) {
        log.setLevel(Level.WARN);
        dataSource.setJdbcUrl("jdbc:h2:mem:" + System.nanoTime());
        dataSource.setMaximumPoolSize(1);
        dataSource.setConnectionTimeout(20_000);
        transaction = new TransactionTemplate(new DataSourceTransactionManager(dataSource));
        database = new JdbcTemplate(dataSource);
        database.execute("create table orders (id varchar primary key)");
        runner = Contexts.runner(redis)
                .withPropertyValues("delayqueue.transaction-aware=true", "delayqueue.command-timeout=5s");
    }

    @AfterEach
    void closeTheDatabase() {
        dataSource.close();
        log.setLevel(null);
    }

    void placeAndSchedule(DelayQueueOperations template, String id) {
        transaction.executeWithoutResult(status -> {
            database.update("insert into orders values (?)", id);
            scheduleWithId(template, id);
        });
    }

    static void scheduleWithId(DelayQueueOperations template, String id) {
        ScheduleResult result =
                template.message("orders", "x").id(id).delay(HOUR).schedule();
        assertThat(result.id()).isEqualTo(id);
    }

    /** To connect may take longer than a command. */
    static void connect(DelayQueueOperations template) {
        await().ignoreExceptions().until(() -> template.find("orders", "none").isEmpty());
    }

    /** Also if a command takes longer than it may. */
    static void awaitPending(ApplicationContext context, String topic, long messages) {
        await().ignoreExceptions().until(() -> pending(context, topic) == messages);
    }

    static long pending(ApplicationContext context, String topic) {
        return context.getBean(DelayQueueClient.class).stats(topic).pending().scheduled();
    }
}
