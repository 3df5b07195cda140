package io.delayqueue.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import com.zaxxer.hikari.HikariDataSource;
import io.delayqueue.ClientOverloadedException;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.ScheduleResult;
import io.delayqueue.spring.testsupport.Contexts;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.LoggerFactory;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

/** {@code delayqueue.transaction-aware=true} with a database whose pool has one connection, and a Redis that goes away. */
@ExtendWith({EmbeddedRedisExtension.class, OutputCaptureExtension.class})
class DatabaseTransactionsTests {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final byte[] MEGABYTE = new byte[1024 * 1024];

    private final Logger log = (Logger) LoggerFactory.getLogger(CommittedOperations.class);
    private final HikariDataSource dataSource = new HikariDataSource();
    private TransactionTemplate transaction = new TransactionTemplate();
    private JdbcTemplate database = new JdbcTemplate();
    private ApplicationContextRunner runner = Contexts.runner();

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

    @Test
    void redisThatIsAwayHoldsTheOnlyConnectionBriefly(EmbeddedRedis redis) throws Exception {
        int orders = 60;
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            runner.run(context -> {
                DelayQueueOperations template = context.getBean(DelayQueueOperations.class);
                connect(template);
                placeAndSchedule(template, "first");
                awaitPending(context, "orders", 1);
                redis.pause();
                long began = System.nanoTime();
                List<Future<?>> commits = new ArrayList<>();
                for (int i = 0; i < orders; i++) {
                    String id = "order-" + i;
                    commits.add(threads.submit(() -> placeAndSchedule(template, id)));
                }
                for (Future<?> commit : commits) {
                    commit.get(60, TimeUnit.SECONDS);
                }
                assertThat(Duration.ofNanos(System.nanoTime() - began))
                        .as("time of %d commits; one call of Redis takes 5 s to fail", orders)
                        .isLessThan(Duration.ofSeconds(15));
                assertThat(count()).isEqualTo(orders + 1);

                redis.resume();
                awaitPending(context, "orders", orders + 1);
            });
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void rollbackToASavepointDropsWhatCameAfterIt() {
        TransactionTemplate nested = nested();
        runner.run(context -> {
            DelayQueueOperations template = context.getBean(DelayQueueOperations.class);
            connect(template);
            template.schedule("orders", "old", HOUR);
            List<CompletableFuture<ScheduleResult>> futures = new ArrayList<>();
            transaction.executeWithoutResult(outer -> {
                scheduleWithId(template, "outer");
                for (int i = 0; i < 100; i++) {
                    String id = "inner-" + i;
                    boolean rollsBack = i % 2 == 1;
                    nested.executeWithoutResult(inner -> {
                        futures.add(template.message("orders", "x")
                                .id(id)
                                .delay(HOUR)
                                .scheduleAsync());
                        if (rollsBack) {
                            inner.setRollbackOnly();
                        }
                    });
                }
            });

            awaitPending(context, "orders", 52);
            for (int i = 0; i < 100; i++) {
                assertThat(template.find("orders", "inner-" + i).isPresent()).isEqualTo(i % 2 == 0);
                assertThat(futures.get(i).isCancelled()).isEqualTo(i % 2 == 1);
            }
        });
    }

    @Test
    void savepointOlderThanTheFirstCallDropsAllCalls() {
        runner.run(context -> {
            DelayQueueOperations template = context.getBean(DelayQueueOperations.class);
            connect(template);
            template.message("orders", "x").id("kept").delay(HOUR).schedule();
            transaction.executeWithoutResult(status -> {
                Object savepoint = status.createSavepoint();
                template.cancel("orders", "kept");
                scheduleWithId(template, "dropped");
                status.rollbackToSavepoint(savepoint);
                scheduleWithId(template, "second");
                Object inner = status.createSavepoint();
                scheduleWithId(template, "third");
                status.rollbackToSavepoint(inner);
                status.rollbackToSavepoint(savepoint);
                scheduleWithId(template, "last");
            });

            awaitPending(context, "orders", 2);
            assertThat(template.find("orders", "kept")).isPresent();
            assertThat(template.find("orders", "last")).isPresent();
        });
    }

    @Test
    void callsOnOneMessageKeepTheirOrderAcrossTransactionsWhileRedisIsAway(EmbeddedRedis redis) {
        runner.run(context -> {
            DelayQueueOperations template = context.getBean(DelayQueueOperations.class);
            connect(template);
            redis.pause();
            for (int i = 0; i < 20; i++) {
                String id = "order-" + i;
                transaction.executeWithoutResult(status -> scheduleWithId(template, id));
                transaction.executeWithoutResult(status -> template.cancel("orders", id));
                if (i % 2 == 0) {
                    transaction.executeWithoutResult(status -> scheduleWithId(template, id));
                    transaction.executeWithoutResult(status -> template.reschedule("orders", id, Duration.ofHours(9)));
                }
            }
            redis.resume();

            await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
                for (int i = 0; i < 20; i++) {
                    var found = template.find("orders", "order-" + i);
                    assertThat(found.isPresent()).isEqualTo(i % 2 == 0);
                    found.ifPresent(message ->
                            assertThat(message.due()).isAfter(Instant.now().plus(Duration.ofHours(8))));
                }
            });
        });
    }

    @Test
    void topicThatIsFullDelaysNoOtherAndGetsItsMessagesOnceThereIsRoom() {
        runner.withPropertyValues("delayqueue.topics.full.max-pending=1").run(context -> {
            DelayQueueOperations template = context.getBean(DelayQueueOperations.class);
            connect(template);
            DelayQueueClient client = context.getBean(DelayQueueClient.class);
            String inTheWay = template.schedule("full", "x", HOUR);
            transaction.executeWithoutResult(status ->
                    template.message("full", "x").id("waits").delay(HOUR).schedule());

            for (int i = 0; i < 50; i++) {
                placeAndSchedule(template, "order-" + i);
            }
            awaitPending(context, "orders", 50);
            assertThat(template.find("full", "waits")).isEmpty();

            client.cancel("full", inTheWay);
            await().until(() -> template.find("full", "waits").isPresent());
        });
    }

    @Test
    void closingWaitsForWhatRedisHasNotTakenYet(EmbeddedRedis redis) {
        runner.withPropertyValues("delayqueue.shutdown-timeout=20s").run(context -> {
            DelayQueueOperations template = context.getBean(DelayQueueOperations.class);
            connect(template);
            redis.pause();
            for (int i = 0; i < 30; i++) {
                placeAndSchedule(template, "order-" + i);
            }
            CompletableFuture<Void> close = CompletableFuture.runAsync(context.getSourceApplicationContext()::close);
            await().during(Duration.ofMillis(300)).until(() -> !close.isDone());
            redis.resume();
            close.get(30, TimeUnit.SECONDS);
        });
        runner.run(context -> {
            connect(context.getBean(DelayQueueOperations.class));
            assertThat(pending(context, "orders")).isEqualTo(30);
        });
    }

    @Test
    void closingLogsTheIdsOfWhatRedisDidNotTake(EmbeddedRedis redis, CapturedOutput output) {
        List<CompletableFuture<ScheduleResult>> futures = new ArrayList<>();
        runner.withPropertyValues("delayqueue.shutdown-timeout=300ms").run(context -> {
            DelayQueueOperations template = context.getBean(DelayQueueOperations.class);
            connect(template);
            redis.pause();
            transaction.executeWithoutResult(status -> {
                for (int i = 0; i < 250; i++) {
                    futures.add(template.message("orders", "x")
                            .id("order-" + i)
                            .delay(HOUR)
                            .scheduleAsync());
                }
                template.cancel("other", "cancelled-one");
            });
            context.getSourceApplicationContext().close();

            for (int i = 0; i < 250; i++) {
                assertThat(output).contains("schedule 'order-" + i + "' of topic 'orders'");
            }
            assertThat(output).contains("cancel 'cancelled-one' of topic 'other'", "with unknown outcome");
            assertThat(futures).allMatch(CompletableFuture::isCompletedExceptionally);
        });
        redis.resume();
    }

    @Test
    void commitWhoseOutcomeIsUnknownSendsNothingAndLogsTheIds(CapturedOutput output) {
        TransactionTemplate lost = new TransactionTemplate(new DataSourceTransactionManager(dataSource) {
            @Override
            protected void doCommit(DefaultTransactionStatus status) {
                throw new TransactionSystemException("connection lost on purpose");
            }
        });
        runner.run(context -> {
            DelayQueueOperations template = context.getBean(DelayQueueOperations.class);
            connect(template);
            List<CompletableFuture<ScheduleResult>> futures = new ArrayList<>();
            assertThatExceptionOfType(TransactionSystemException.class)
                    .isThrownBy(() -> lost.executeWithoutResult(status -> {
                        scheduleWithId(template, "in-doubt");
                        futures.add(template.message("orders", "x")
                                .id("too")
                                .delay(HOUR)
                                .scheduleAsync());
                    }));

            assertThat(output)
                    .contains("the outcome of their transaction is unknown", "'in-doubt' of topic 'orders'", "'too'");
            assertThat(futures.get(0)).failsWithin(Duration.ZERO);
            assertThat(pending(context, "orders")).isZero();
        });
    }

    @Test
    void commitIsRefusedWhileTooMuchOfItsTopicWaits(EmbeddedRedis redis) {
        runner.withPropertyValues("delayqueue.shutdown-timeout=20s").run(context -> {
            DelayQueueOperations template = context.getBean(DelayQueueOperations.class);
            connect(template);
            redis.pause();
            transaction.executeWithoutResult(status -> {
                for (int i = 0; i < 17; i++) {
                    template.schedule("orders", MEGABYTE, HOUR);
                }
            });

            assertThatExceptionOfType(ClientOverloadedException.class)
                    .isThrownBy(() -> placeAndSchedule(template, "refused"))
                    .withMessageContaining("the transaction is rolled back")
                    .satisfies(refusal -> assertThat(refusal.topic()).isEqualTo("orders"));
            assertThat(count()).as("rolled back").isZero();
            transaction.executeWithoutResult(status -> template.schedule("other", "x", HOUR));

            redis.resume();
            awaitPending(context, "orders", 17);
            awaitPending(context, "other", 1);
            placeAndSchedule(template, "accepted");
            awaitPending(context, "orders", 18);
        });
    }

    @Test
    void applicationsThatShareATransactionAllSend() {
        runner.run(one -> runner.withPropertyValues("delayqueue.key-prefix=dq:other")
                .run(other -> {
                    transaction.executeWithoutResult(status -> {
                        one.getBean(DelayQueueOperations.class).schedule("orders", "x", HOUR);
                        other.getBean(DelayQueueOperations.class).schedule("orders", "x", HOUR);
                    });
                    awaitPending(one, "orders", 1);
                    awaitPending(other, "orders", 1);
                }));
    }

    @Test
    void restartedApplicationRepeatsAgain(EmbeddedRedis redis, CapturedOutput output) {
        runner.withPropertyValues("delayqueue.command-timeout=500ms").run(context -> {
            DelayQueueOperations template = context.getBean(DelayQueueOperations.class);
            context.getSourceApplicationContext().stop();
            context.getSourceApplicationContext().start();
            connect(template);
            redis.pause();
            placeAndSchedule(template, "order");
            await().until(() -> output.getOut().contains("wait for Redis and are repeated"));
            redis.resume();
            awaitPending(context, "orders", 1);
        });
    }

    private TransactionTemplate nested() {
        TransactionTemplate nested = new TransactionTemplate(transaction.getTransactionManager());
        nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
        return nested;
    }

    private void placeAndSchedule(DelayQueueOperations template, String id) {
        transaction.executeWithoutResult(status -> {
            database.update("insert into orders values (?)", id);
            scheduleWithId(template, id);
        });
    }

    private static void scheduleWithId(DelayQueueOperations template, String id) {
        ScheduleResult result =
                template.message("orders", "x").id(id).delay(HOUR).schedule();
        assertThat(result.id()).isEqualTo(id);
    }

    private int count() {
        Integer count = database.queryForObject("select count(*) from orders", Integer.class);
        return count == null ? -1 : count;
    }

    /** To connect may take longer than a command. */
    private static void connect(DelayQueueOperations template) {
        await().ignoreExceptions().until(() -> template.find("orders", "none").isEmpty());
    }

    /** Also if a command takes longer than it may. */
    private static void awaitPending(ApplicationContext context, String topic, long messages) {
        await().ignoreExceptions().until(() -> pending(context, topic) == messages);
    }

    private static long pending(ApplicationContext context, String topic) {
        return context.getBean(DelayQueueClient.class).stats(topic).pending().scheduled();
    }
}
