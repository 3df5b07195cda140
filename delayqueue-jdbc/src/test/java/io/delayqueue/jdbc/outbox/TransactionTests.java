package io.delayqueue.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.delayqueue.CancelOutcome;
import io.delayqueue.Delay;
import io.delayqueue.OutboxAnswer;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.ScheduleOutcome;
import io.delayqueue.ScheduleResult;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The transaction that rows belong to. */
class TransactionTests {

    @EachDatabase
    void aRollbackLeavesNothing(TestDatabase database) throws Exception {
        WritingFixture journal = new WritingFixture(database);
        List<CompletableFuture<?>> futures = new ArrayList<>();

        journal.transaction.executeWithoutResult(status -> {
            futures.add(journal.sender.scheduleAsync(message("a")));
            futures.add(journal.sender.scheduleAllAsync(List.of(message("b"), message("c"))));
            futures.add(journal.sender.cancelAsync("orders", "d"));
            status.setRollbackOnly();
        });

        assertThat(journal.outboxIds()).isEmpty();
        assertThat(journal.messageIds()).isEmpty();
        assertThat(journal.offered).isEmpty();
        assertThat(futures).allMatch(CompletableFuture::isCancelled);
    }

    @EachDatabase
    void rowsAreHandedOverOnceTheTransactionEnded(TestDatabase database) {
        WritingFixture journal = new WritingFixture(database);
        List<String> offeredInside = new ArrayList<>();

        journal.transaction.executeWithoutResult(status -> {
            journal.sender.schedule(message("a"));
            journal.transaction.executeWithoutResult(same -> journal.sender.schedule(message("b")));
            journal.offered.forEach(change -> offeredInside.add(change.key().id()));
        });

        assertThat(offeredInside).isEmpty();
        assertThat(journal.offered).extracting(change -> change.key().id()).containsExactly("a", "b");
        assertThat(journal.outboxIds()).containsExactly("a", "b");
    }

    @EachDatabase
    void aCallWithoutATransactionHasItsOwn(TestDatabase database) throws Exception {
        WritingFixture journal = new WritingFixture(database);
        journal.answer = change -> Optional.of(new OutboxAnswer(OutboxAnswer.Outcome.REPLACED, false, null));

        ScheduleResult result = journal.sender.schedule(message("a"));
        ScheduleResult later = journal.sender.scheduleAsync(message("b")).get(10, TimeUnit.SECONDS);

        assertThat(result.outcome()).isEqualTo(ScheduleOutcome.REPLACED);
        assertThat(later.outcome()).isEqualTo(ScheduleOutcome.REPLACED);
        assertThat(journal.outboxIds()).containsExactly("a", "b");
        assertThat(TransactionSynchronizationManager.isActualTransactionActive())
                .isFalse();
    }

    @EachDatabase(DatabaseKind.H2)
    void aCallDoesNotWaitLongForAnAnswer(TestDatabase database) {
        WritingFixture journal = new WritingFixture(database);
        List<CompletableFuture<Optional<OutboxAnswer>>> unanswered = new ArrayList<>();
        journal.answer = null;

        long began = System.nanoTime();
        CancelOutcome outcome = journal.sender.cancel("orders", "a");
        for (int i = 0; i < 100; i++) {
            journal.sender.cancel("orders", "a" + i);
        }

        assertThat(outcome).isEqualTo(CancelOutcome.AFTER_COMMIT);
        assertThat(System.nanoTime() - began)
                .as("a call that waits, and a hundred behind it, which would take 20 s if each waited")
                .isLessThan(TimeUnit.SECONDS.toNanos(10));
        journal.offered.forEach(change -> unanswered.add(change.answer()));
        unanswered.forEach(
                answer -> answer.complete(Optional.of(new OutboxAnswer(OutboxAnswer.Outcome.NOT_FOUND, false, null))));
        journal.answer = change -> Optional.of(new OutboxAnswer(OutboxAnswer.Outcome.NOT_FOUND, false, null));
        assertThat(journal.sender.cancel("orders", "b")).isEqualTo(CancelOutcome.NOT_FOUND);
    }

    @EachDatabase
    void aPoolWithoutAutoCommitWorks(TestDatabase database) {
        WritingFixture journal = new WritingFixture(database, database.dataSource(pool -> {
            pool.setMaximumPoolSize(1);
            pool.setAutoCommit(false);
        }));

        journal.sender.schedule(message("own"));
        journal.transaction.executeWithoutResult(status -> journal.sender.schedule(message("joined")));

        DataSource other = database.dataSource();
        assertThat(new JdbcTemplate(other).queryForObject("SELECT COUNT(*) FROM delayqueue_outbox", Long.class))
                .isEqualTo(2);
        assertThat(journal.offered).hasSize(2);
    }

    @EachDatabase(DatabaseKind.H2)
    void aTransactionOfAnotherDataSourceIsRefusedByName(TestDatabase database) {
        WritingFixture journal = new WritingFixture(database);
        DataSource other = database.dataSource();
        JdbcTransactionManager manager = new JdbcTransactionManager(other);
        manager.addListener(journal.begun.listener(manager, "billingTransactions"));
        TransactionTemplate transaction = new TransactionTemplate(manager);
        transaction.setName("PayInvoice");

        transaction.executeWithoutResult(status -> {
            // binds a connection of the journal's DataSource that no transaction has
            journal.jdbc
                    .sql("SELECT COUNT(*) FROM delayqueue_outbox")
                    .query(Long.class)
                    .single();
            assertThatExceptionOfType(UnsuitableTransactionException.class)
                    .isThrownBy(() -> journal.sender.schedule(message("a")))
                    .withMessageContaining("PayInvoice")
                    .withMessageContaining("billingTransactions")
                    .withMessageContaining("DataSource 'dataSource'")
                    .withMessageContaining("delayQueueJournalDataSource");
        });

        assertThat(journal.outboxIds()).isEmpty();
    }

    @EachDatabase(DatabaseKind.H2)
    void aTransactionOfAnotherDataSourceInsideOneOfTheJournalDoesNotMatter(TestDatabase database) {
        WritingFixture journal = new WritingFixture(database);
        JdbcTransactionManager manager = new JdbcTransactionManager(database.dataSource());
        manager.addListener(journal.begun.listener(manager, "billingTransactions"));
        TransactionTemplate other = new TransactionTemplate(manager);

        journal.transaction.executeWithoutResult(status -> {
            other.executeWithoutResult(inner -> journal.sender.schedule(message("a")));
            status.setRollbackOnly();
        });
        journal.transaction.executeWithoutResult(
                status -> other.executeWithoutResult(inner -> journal.sender.schedule(message("b"))));

        assertThat(journal.outboxIds()).containsExactly("b");
    }

    @EachDatabase(DatabaseKind.H2)
    void aReadOnlyTransactionIsRefusedByName(TestDatabase database) {
        WritingFixture journal = new WritingFixture(database);
        TransactionTemplate readOnly = new TransactionTemplate(journal.manager);
        readOnly.setReadOnly(true);
        readOnly.setName("ListOrders");

        readOnly.executeWithoutResult(status -> assertThatExceptionOfType(UnsuitableTransactionException.class)
                .isThrownBy(() -> journal.sender.cancel("orders", "a"))
                .withMessageContaining("ListOrders")
                .withMessageContaining("read-only")
                .withMessageContaining("REQUIRES_NEW"));

        assertThat(journal.outboxIds()).isEmpty();
    }

    @EachDatabase
    void aManagerThatNobodyListensToIsRecognisedByItsConnection(TestDatabase database) {
        WritingFixture journal = new WritingFixture(database);
        TransactionTemplate known = new TransactionTemplate(new DataSourceTransactionManager(journal.dataSource));
        TransactionTemplate other = new TransactionTemplate(new DataSourceTransactionManager(database.dataSource()));

        known.executeWithoutResult(status -> {
            journal.sender.schedule(message("a"));
            status.setRollbackOnly();
        });
        known.executeWithoutResult(status -> journal.sender.schedule(message("b")));
        other.executeWithoutResult(status -> {
            journal.jdbc
                    .sql("SELECT COUNT(*) FROM delayqueue_outbox")
                    .query(Long.class)
                    .single();
            assertThatExceptionOfType(UnsuitableTransactionException.class)
                    .isThrownBy(() -> journal.sender.schedule(message("c")));
        });

        assertThat(journal.outboxIds()).containsExactly("b");
    }

    @EachDatabase(DatabaseKind.H2)
    void callsInSuspendedTransactionsHaveTheirOwn(TestDatabase database) {
        WritingFixture journal = new WritingFixture(database);
        TransactionTemplate none = journal.transaction(TransactionDefinition.PROPAGATION_NOT_SUPPORTED);
        TransactionTemplate fresh = journal.transaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW);

        journal.transaction.executeWithoutResult(status -> {
            journal.sender.schedule(message("outer"));
            none.executeWithoutResult(inner -> journal.sender.schedule(message("without")));
            fresh.executeWithoutResult(inner -> journal.sender.schedule(message("new")));
            status.setRollbackOnly();
        });

        assertThat(journal.outboxIds()).containsExactly("new", "without");
    }

    /** Phases of a transaction that end it by an exception. */
    enum Failing {
        BEFORE_COMMIT,
        COMMIT,
        AFTER_COMMIT
    }

    @ParameterizedTest
    @EnumSource(Failing.class)
    void aThreadForgetsTransactionsThatFailed(Failing phase) {
        FailingManager manager = new FailingManager(phase);
        BegunTransactions begun = new BegunTransactions();
        manager.addListener(begun.listener(manager, "failing"));
        TransactionTemplate transaction = new TransactionTemplate(manager);

        assertThatExceptionOfType(RuntimeException.class)
                .isThrownBy(() -> transaction.executeWithoutResult(status -> manager.register()));

        assertThat(begun.innermost()).isNull();
    }

    private static OutgoingMessage message(String id) {
        return OutgoingMessage.to("orders")
                .id(id)
                .payload(new byte[] {1})
                .delay(Delay.NONE)
                .build();
    }
}
