package io.delayqueue.docs.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.MessageState;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.test.EmbeddedRedis;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/** The journal's page is right: its code runs. */
@TestInstance(Lifecycle.PER_CLASS)
class JournalPageTests {

    private static final Duration WAIT = Duration.ofSeconds(60);

    private final EmbeddedRedis redis = EmbeddedRedis.start();
    private ConfigurableApplicationContext application;
    private DelayQueueOperations queue;
    private DelayQueueClient client;
    private JdbcClient jdbc;
    private TransactionTemplate transaction;

    @BeforeAll
    void start() {
        application = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .run(
                        "--spring.data.redis.url=" + redis.uri(),
                        "--spring.datasource.url=jdbc:h2:mem:journalPage",
                        "--spring.sql.init.mode=never",
                        "--delayqueue.journal.enabled=true",
                        "--delayqueue.journal.business-key=order",
                        "--delayqueue.command-timeout=20s");
        queue = application.getBean(DelayQueueOperations.class);
        client = application.getBean(DelayQueueClient.class);
        jdbc = application.getBean(JdbcClient.class);
        transaction = application.getBean(TransactionTemplate.class);
        jdbc.sql("CREATE TABLE orders (number VARCHAR(20) PRIMARY KEY, paid BOOLEAN DEFAULT FALSE)")
                .update();
        jdbc.sql("CREATE TABLE invoices (order_number VARCHAR(20))").update();
        jdbc.sql("CREATE TABLE jobs (id BIGINT PRIMARY KEY, invoice VARCHAR(20), due TIMESTAMP WITH TIME ZONE,"
                        + " done BOOLEAN DEFAULT FALSE, moved BOOLEAN DEFAULT FALSE)")
                .update();
    }

    @AfterAll
    void stop() {
        application.close();
        redis.close();
    }

    @Test
    void remindersArePartOfTheOrdersTransactions() {
        Orders orders = application.getBean(Orders.class);
        transaction.executeWithoutResult(status -> {
            orders.place("A-0");
            status.setRollbackOnly();
        });

        orders.place("A-1");
        orders.place("A-2");
        orders.pay("A-2");

        await().atMost(WAIT).until(() -> queue.find("payment-overdue", "A-1").isPresent());
        await().atMost(WAIT).until(() -> queue.find("payment-overdue", "A-2").isEmpty());
        assertThat(queue.find("payment-overdue", "A-0")).isEmpty();
    }

    @Test
    void anInvoiceIsCreated() {
        queue.message("order-closed", "A-3").id("A-3").delay(Duration.ZERO).schedule();

        await().atMost(WAIT).until(() -> rows("invoices WHERE order_number = 'A-3'") == 1);
    }

    @Test
    void storiesAreRead() {
        queue.message("order-timeout", "late")
                .id("order-17")
                .header("order", "A-17")
                .delay(Duration.ofHours(1))
                .schedule();

        assertThat(application.getBean(Stories.class).messages()).isEqualTo(2);
    }

    @Test
    void jobsOfAHomeMadeTableAreMovedOnceEach() {
        jdbc.sql("INSERT INTO jobs (id, invoice, due, done) SELECT x, 'B-' || x,"
                        + " DATEADD(HOUR, x, CURRENT_TIMESTAMP), x > 1200 FROM SYSTEM_RANGE(1, 1300)")
                .update();
        JobsMigration migration = application.getBean(JobsMigration.class);

        transaction.executeWithoutResult(status -> {
            assertThat(migration.moveBatch()).isEqualTo(500);
            status.setRollbackOnly();
        });
        assertThat(rows("jobs WHERE moved")).isZero();
        assertThat(migration.moveBatch()).isEqualTo(500);
        assertThat(migration.moveBatch()).isEqualTo(500);
        assertThat(migration.moveBatch()).isEqualTo(200);
        assertThat(migration.moveBatch()).isZero();

        await().atMost(WAIT)
                .until(() -> client.stats("invoice-reminder").pending().total() == 1200);
        assertThat(queue.find("invoice-reminder", "1200").orElseThrow().state()).isEqualTo(MessageState.SCHEDULED);
        assertThat(queue.find("invoice-reminder", "1201")).isEmpty();
    }

    private int rows(String from) {
        return jdbc.sql("SELECT COUNT(*) FROM " + from).query(Integer.class).single();
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import({Orders.class, Invoices.class, Stories.class, JobsMigration.class})
    static class Application {}
}
