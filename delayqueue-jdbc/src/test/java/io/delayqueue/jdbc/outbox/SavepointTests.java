package io.delayqueue.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.ScheduleResult;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.Everyday;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.springframework.jdbc.datasource.DataSourceUtils;

/** Rollbacks to savepoints: rows decide, not hooks. */
@Everyday(DatabaseKind.H2)
class SavepointTests {

    @EachDatabase
    void nestedTransactionsLeaveOnlyTheRowsOfThoseThatCommit(TestDatabase database) {
        WritingFixture journal = new WritingFixture(database);
        List<CompletableFuture<ScheduleResult>> futures = new ArrayList<>();

        journal.transaction.executeWithoutResult(outer -> {
            journal.sender.schedule(message("outer"));
            for (int i = 0; i < 10; i++) {
                int number = i;
                journal.nested().executeWithoutResult(inner -> {
                    futures.add(journal.sender.scheduleAsync(message("inner-" + number)));
                    if (number % 2 == 1) {
                        inner.setRollbackOnly();
                    }
                });
            }
        });

        String[] committed = {"inner-0", "inner-2", "inner-4", "inner-6", "inner-8", "outer"};
        assertThat(journal.outboxIds()).containsExactly(committed);
        assertThat(journal.messageIds()).containsExactly(committed);
        assertThat(journal.offered).extracting(change -> change.key().id()).containsExactlyInAnyOrder(committed);
        for (int i = 0; i < 10; i++) {
            assertThat(futures.get(i).isCancelled()).isEqualTo(i % 2 == 1);
        }
    }

    @EachDatabase
    void aSavepointOlderThanTheFirstCallDropsAllCalls(TestDatabase database) {
        WritingFixture journal = new WritingFixture(database);

        journal.transaction.executeWithoutResult(status -> {
            Object savepoint = status.createSavepoint();
            journal.sender.schedule(message("dropped"));
            status.rollbackToSavepoint(savepoint);
            journal.sender.schedule(message("kept"));
        });

        assertThat(journal.outboxIds()).containsExactly("kept");
        assertThat(journal.offered).extracting(change -> change.key().id()).containsExactly("kept");
    }

    @EachDatabase
    void aRollbackThatSpringDoesNotSeeLeavesNoRow(TestDatabase database) {
        WritingFixture journal = new WritingFixture(database);
        OutgoingMessage kept = message("kept");

        journal.transaction.executeWithoutResult(status -> {
            journal.sender.schedule(kept);
            Connection connection = DataSourceUtils.getConnection(journal.dataSource);
            try {
                Savepoint savepoint = connection.setSavepoint();
                journal.sender.schedule(message("dropped"));
                journal.sender.cancel("orders", "kept");
                connection.rollback(savepoint);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });

        assertThat(journal.outboxIds()).containsExactly("kept");
        assertThat(journal.messageIds()).containsExactly("kept");
        assertThat(journal.changes("kept")).containsExactly(new Change.Schedule(kept.generation()));
    }

    private static OutgoingMessage message(String id) {
        return OutgoingMessage.to("orders").id(id).payload(new byte[] {1}).build();
    }
}
