package io.delayqueue.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueException;
import io.delayqueue.ScheduleResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

/** Calls follow their transaction's savepoints and its outcome, with a real database. */
class DatabaseTransactionsTests extends DatabaseTransactionsFixture {

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
    void topicThatIsFullDelaysNoOtherAndGetsItsMessagesOnceItHasCapacity() {
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
            assertThat(futures.get(0))
                    .failsWithin(Duration.ofSeconds(20))
                    .withThrowableThat()
                    .withCauseInstanceOf(DelayQueueException.class)
                    .withMessageContaining("The outcome of the transaction is unknown");
            assertThat(pending(context, "orders")).isZero();
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

    private TransactionTemplate nested() {
        TransactionTemplate nested = new TransactionTemplate(transaction.getTransactionManager());
        nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
        return nested;
    }
}
