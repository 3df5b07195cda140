package io.delayqueue.jdbc.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.OutboxAnswer;
import io.delayqueue.OutboxAnswer.Outcome;
import io.delayqueue.ScheduleOutcome;
import io.delayqueue.jdbc.outbox.CommittedChange;
import io.delayqueue.jdbc.outbox.HandOver;
import io.delayqueue.jdbc.outbox.JournalSender;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.MessageSender;
import io.delayqueue.spring.autoconfigure.DelayQueueAutoConfiguration;
import io.delayqueue.spring.autoconfigure.DelayQueueJacksonAutoConfiguration;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcClientAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionTemplate;

class JournalAutoConfigurationTests {

    private final List<CommittedChange> offered = new ArrayList<>();

    /** No test connects to Redis: the hand-over keeps what it is offered. */
    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DataSourceAutoConfiguration.class,
                    DataSourceTransactionManagerAutoConfiguration.class,
                    TransactionAutoConfiguration.class,
                    JdbcTemplateAutoConfiguration.class,
                    JdbcClientAutoConfiguration.class,
                    DataRedisAutoConfiguration.class,
                    JacksonAutoConfiguration.class,
                    DelayQueueJacksonAutoConfiguration.class,
                    DelayQueueAutoConfiguration.class,
                    JournalSchemaAutoConfiguration.class,
                    JournalAutoConfiguration.class))
            .withPropertyValues(
                    "spring.datasource.url=jdbc:h2:mem:" + System.nanoTime() + ";DB_CLOSE_DELAY=-1",
                    "spring.data.redis.port=1",
                    "delayqueue.journal.business-key=order");

    private final ApplicationContextRunner sending = runner.withBean(HandOver.class, () -> this::offer);

    private void offer(Collection<CommittedChange> changes) {
        offered.addAll(changes);
        changes.forEach(change -> change.answer().complete(Optional.of(OutboxAnswer.of(Outcome.KEPT, false))));
    }

    @Test
    void theTemplatesCallsBelongToTheCallersTransaction() {
        sending.withPropertyValues("delayqueue.transaction-aware=true").run(context -> {
            DelayQueueOperations template = context.getBean(DelayQueueOperations.class);
            TransactionTemplate transaction = context.getBean(TransactionTemplate.class);

            transaction.executeWithoutResult(status -> {
                template.schedule("orders", "rolled back", Duration.ofHours(1));
                status.setRollbackOnly();
            });
            transaction.executeWithoutResult(status -> template.message("orders", "committed")
                    .header("order", "A-17")
                    .delay(Duration.ofHours(1))
                    .schedule());

            assertThat(context).hasSingleBean(JournalSender.class);
            assertThat(context.getBean(JdbcClient.class)
                            .sql("SELECT business_key FROM delayqueue_message")
                            .query(String.class)
                            .list())
                    .containsExactly("A-17");
            assertThat(offered).hasSize(1);
            assertThat(template.message("orders", "own").schedule().outcome()).isEqualTo(ScheduleOutcome.KEPT);
        });
    }

    @Test
    void listenersAfterTheCommitLoseNothing() {
        sending.withBean(OrderListener.class).run(context -> {
            context.getBean(TransactionTemplate.class)
                    .executeWithoutResult(status -> context.publishEvent(new OrderPlaced("A-17")));

            assertThat(context.getBean(JdbcClient.class)
                            .sql("SELECT id FROM delayqueue_outbox")
                            .query(String.class)
                            .list())
                    .containsExactly("A-17");
            assertThat(offered).hasSize(1);
        });
    }

    @Test
    void withoutAHandOverNothingIsRecorded() {
        runner.run(context -> assertThat(context)
                .hasNotFailed()
                .hasSingleBean(DelayQueueOperations.class)
                .doesNotHaveBean(MessageSender.class));
    }

    @Test
    void anOwnSenderTakesPrecedence() {
        MessageSender own = (MessageSender) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {MessageSender.class},
                (proxy, method, arguments) -> method.getReturnType() == boolean.class ? true : null);
        sending.withBean("own", MessageSender.class, () -> own)
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(MessageSender.class)
                        .doesNotHaveBean(JournalSender.class));
    }

    @Test
    void disabledJournalHasNoBeans() {
        sending.withPropertyValues("delayqueue.journal.enabled=false")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(DelayQueueOperations.class)
                        .doesNotHaveBean(MessageSender.class)
                        .doesNotHaveBean(TransactionListeners.class));
    }

    @Test
    void backsOffWithoutADataSource() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        DataRedisAutoConfiguration.class,
                        JacksonAutoConfiguration.class,
                        DelayQueueJacksonAutoConfiguration.class,
                        DelayQueueAutoConfiguration.class,
                        JournalSchemaAutoConfiguration.class,
                        JournalAutoConfiguration.class))
                .withBean(HandOver.class, () -> this::offer)
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(MessageSender.class));
    }

    record OrderPlaced(String id) {}

    /** Schedules after the commit, as users do. */
    static final class OrderListener {

        private final DelayQueueOperations template;

        OrderListener(DelayQueueOperations template) {
            this.template = template;
        }

        @TransactionalEventListener(phase = TransactionPhase.AFTER_COMMIT)
        public void schedule(OrderPlaced order) {
            template.message("orders", order.id())
                    .id(order.id())
                    .delay(Duration.ofHours(1))
                    .schedule();
        }
    }
}
