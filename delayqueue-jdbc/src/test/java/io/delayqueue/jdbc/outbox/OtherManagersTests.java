package io.delayqueue.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.Everyday;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Transaction managers whose resource is not a DataSource, but that bind the connection they use, as JPA's and Hibernate's do. */
@Everyday(DatabaseKind.H2)
class OtherManagersTests {

    @EachDatabase
    void aSessionsTransactionIsJoined(TestDatabase database) {
        WritingFixture journal = new WritingFixture(database);
        SessionManager manager = new SessionManager(journal.dataSource);
        manager.addListener(journal.begun.listener(manager, "sessions"));
        TransactionTemplate transaction = new TransactionTemplate(manager);

        transaction.executeWithoutResult(status -> {
            journal.sender.schedule(message("rolled-back"));
            status.setRollbackOnly();
        });
        transaction.executeWithoutResult(status -> journal.sender.schedule(message("committed")));

        assertThat(journal.outboxIds()).containsExactly("committed");
        assertThat(journal.offered).hasSize(1);
    }

    @EachDatabase
    void aCallAfterASessionsCommitHasAConnectionOfItsOwn(TestDatabase database) {
        WritingFixture journal = new WritingFixture(database);
        SessionManager manager = new SessionManager(journal.dataSource);
        manager.addListener(journal.begun.listener(manager, "sessions"));

        new TransactionTemplate(manager).executeWithoutResult(status -> {
            Object bound = TransactionSynchronizationManager.getResource(journal.dataSource);
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    journal.sender.schedule(message("late"));
                    manager.spoilLateWrites();
                    assertThat(TransactionSynchronizationManager.getResource(journal.dataSource))
                            .isSameAs(bound);
                }
            });
        });

        assertThat(journal.outboxIds()).containsExactly("late");
    }

    @EachDatabase(DatabaseKind.H2)
    void anUnheardSessionsTransactionIsJoined(TestDatabase database) {
        WritingFixture journal = new WritingFixture(database);
        TransactionTemplate transaction = new TransactionTemplate(new SessionManager(journal.dataSource));

        transaction.executeWithoutResult(status -> {
            journal.sender.schedule(message("rolled-back"));
            status.setRollbackOnly();
        });

        assertThat(journal.outboxIds()).isEmpty();
    }

    private static OutgoingMessage message(String id) {
        return OutgoingMessage.to("orders").id(id).payload(new byte[] {1}).build();
    }

    /** Binds the connection of its session without marking it as synchronized with the transaction. */
    private static final class SessionManager extends AbstractPlatformTransactionManager {

        private static final long serialVersionUID = 1L;

        private final transient DataSource dataSource;
        private transient Connection connection;

        SessionManager(DataSource dataSource) {
            this.dataSource = dataSource;
        }

        /** Rolls back what was written to the session's connection behind its commit. */
        void spoilLateWrites() {
            run(connection::rollback);
        }

        @Override
        protected Object doGetTransaction() {
            return new Object();
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {
            run(() -> {
                connection = dataSource.getConnection();
                connection.setAutoCommit(false);
            });
            TransactionSynchronizationManager.bindResource(dataSource, new ConnectionHolder(connection));
        }

        @Override
        protected void doCommit(DefaultTransactionStatus status) {
            run(connection::commit);
        }

        @Override
        protected void doRollback(DefaultTransactionStatus status) {
            run(connection::rollback);
        }

        @Override
        protected void doCleanupAfterCompletion(Object transaction) {
            TransactionSynchronizationManager.unbindResource(dataSource);
            run(() -> {
                connection.setAutoCommit(true);
                connection.close();
            });
        }

        private static void run(Statement statement) {
            try {
                statement.run();
            } catch (SQLException e) {
                throw new TransactionSystemException("session", e);
            }
        }
    }

    private interface Statement {
        void run() throws SQLException;
    }
}
