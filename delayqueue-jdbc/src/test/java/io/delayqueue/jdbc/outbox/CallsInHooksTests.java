package io.delayqueue.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.Delay;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Calls in the hooks of a transaction, behind its end. */
class CallsInHooksTests {

    @EachDatabase
    void callsOfHooksAfterTheCommitHaveTransactionsOfTheirOwn(TestDatabase database) {
        // such a pool rolls back what is left on a connection; others happen to commit it
        WritingFixture journal = new WritingFixture(database, database.dataSource(pool -> pool.setAutoCommit(false)));
        List<String> problems = new ArrayList<>();

        journal.transaction.executeWithoutResult(status -> {
            journal.sender.schedule(message("inside"));
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void beforeCommit(boolean readOnly) {
                    journal.sender.schedule(message("before-commit"));
                }

                @Override
                public void afterCommit() {
                    journal.sender.schedule(message("after-commit"));
                    if (!journal.outboxIds().contains("after-commit")) {
                        problems.add("not committed at once");
                    }
                }

                @Override
                public void afterCompletion(int completion) {
                    journal.sender.scheduleAll(List.of(message("after-completion-1"), message("after-completion-2")));
                    journal.transaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
                            .executeWithoutResult(inner -> journal.sender.schedule(message("new-transaction")));
                }
            });
        });

        String[] all = {
            "after-commit", "after-completion-1", "after-completion-2", "before-commit", "inside", "new-transaction"
        };
        assertThat(problems).isEmpty();
        assertThat(journal.outboxIds()).containsExactly(all);
        assertThat(journal.offered).extracting(change -> change.key().id()).containsExactlyInAnyOrder(all);
        journal.transaction.executeWithoutResult(status -> {
            journal.sender.schedule(message("next"));
            status.setRollbackOnly();
        });
        assertThat(journal.outboxIds()).doesNotContain("next");
    }

    @EachDatabase
    void callsOfHooksAfterARollbackAreKept(TestDatabase database) {
        WritingFixture journal = new WritingFixture(database);

        journal.transaction.executeWithoutResult(status -> {
            journal.sender.schedule(message("inside"));
            status.setRollbackOnly();
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCompletion(int completion) {
                    journal.sender.schedule(message("after-rollback"));
                }
            });
        });

        assertThat(journal.outboxIds()).containsExactly("after-rollback");
    }

    @EachDatabase
    void aPoolOfOneRefusesACallAfterTheCommitByName(TestDatabase database) {
        WritingFixture journal = new WritingFixture(database, database.dataSource(pool -> {
            pool.setMaximumPoolSize(1);
            pool.setConnectionTimeout(250);
            // the first connection may take its time
            pool.setMinimumIdle(1);
            pool.setInitializationFailTimeout(60_000);
        }));
        List<Throwable> failures = new ArrayList<>();

        journal.transaction.executeWithoutResult(status -> {
            journal.sender.schedule(message("inside"));
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    try {
                        journal.sender.schedule(message("late"));
                    } catch (RuntimeException e) {
                        failures.add(e);
                    }
                }
            });
        });

        assertThat(failures)
                .singleElement()
                .satisfies(failure -> assertThat(failure)
                        .isInstanceOf(DataAccessResourceFailureException.class)
                        .hasMessageContaining("in a hook after the end of the transaction")
                        .hasMessageContaining("the pool of the DataSource 'dataSource' has none left")
                        .hasMessageContaining("Nothing was written"));
        assertThat(journal.outboxIds()).containsExactly("inside");
        assertThat(journal.offered).hasSize(1);
    }

    @EachDatabase(DatabaseKind.H2)
    void callsInTheLastHooksOfAManagerThatNobodyListensToAreKept(TestDatabase database) {
        WritingFixture journal = new WritingFixture(database);

        new TransactionTemplate(new DataSourceTransactionManager(journal.dataSource))
                .executeWithoutResult(status ->
                        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                            @Override
                            public void afterCompletion(int completion) {
                                journal.sender.schedule(message("a"));
                            }
                        }));

        assertThat(journal.outboxIds()).containsExactly("a");
        assertThat(journal.offered).hasSize(1);
    }

    @EachDatabase(DatabaseKind.H2)
    void aCallAfterTheCommitOfAManagerThatNobodyListensToIsRefusedByName(TestDatabase database) {
        WritingFixture journal = new WritingFixture(database, database.dataSource(pool -> pool.setAutoCommit(false)));
        TransactionTemplate transaction = new TransactionTemplate(new DataSourceTransactionManager(journal.dataSource));
        transaction.setName("PlaceOrder");
        List<Throwable> refusals = new ArrayList<>();

        transaction.executeWithoutResult(status -> {
            journal.sender.schedule(message("inside"));
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    try {
                        journal.sender.schedule(message("late"));
                    } catch (UnsuitableTransactionException e) {
                        refusals.add(e);
                    }
                }
            });
        });

        assertThat(journal.outboxIds()).containsExactly("inside");
        assertThat(refusals).hasSize(1);
        assertThat(refusals.get(0)).hasMessageContaining("PlaceOrder").hasMessageContaining("bean");
    }

    private static OutgoingMessage message(String id) {
        return OutgoingMessage.to("orders")
                .id(id)
                .payload(new byte[] {1})
                .delay(Delay.NONE)
                .build();
    }
}
