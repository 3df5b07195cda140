package io.delayqueue.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.arjuna.ats.arjuna.common.ObjectStoreEnvironmentBean;
import com.arjuna.ats.internal.arjuna.objectstore.VolatileStore;
import com.arjuna.common.internal.util.propertyservice.BeanPopulator;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import jakarta.transaction.RollbackException;
import jakarta.transaction.SystemException;
import jakarta.transaction.Transaction;
import jakarta.transaction.TransactionManager;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.XAConnection;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.BeforeAll;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.transaction.jta.JtaTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Transactions of a JTA server, with a DataSource that takes part in them. */
class JtaTests {

    @BeforeAll
    static void keepNoLogs() {
        for (String store : new String[] {null, "stateStore", "communicationStore"}) {
            BeanPopulator.getNamedInstance(ObjectStoreEnvironmentBean.class, store)
                    .setObjectStoreType(VolatileStore.class.getName());
        }
    }

    @EachDatabase(DatabaseKind.H2)
    void itsTransactionsAreJoined(TestDatabase database) {
        WritingFixture journal = new WritingFixture(database, new JtaDataSource(database.url()));
        TransactionTemplate transaction = new TransactionTemplate(manager(journal));

        transaction.executeWithoutResult(status -> {
            journal.sender.schedule(message("rolled-back"));
            status.setRollbackOnly();
        });
        transaction.executeWithoutResult(status -> {
            journal.sender.schedule(message("committed"));
            assertThat(journal.offered).isEmpty();
        });

        assertThat(journal.outboxIds()).containsExactly("committed");
        assertThat(journal.offered).hasSize(1);
    }

    @EachDatabase(DatabaseKind.H2)
    void callsOfHooksAfterTheCommitHaveTransactionsOfTheirOwn(TestDatabase database) {
        WritingFixture journal = new WritingFixture(database, new JtaDataSource(database.url()));

        new TransactionTemplate(manager(journal)).executeWithoutResult(status -> {
            journal.sender.schedule(message("inside"));
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    journal.sender.schedule(message("late"));
                }
            });
        });

        assertThat(journal.outboxIds()).containsExactly("inside", "late");
        assertThat(journal.offered).hasSize(2);
    }

    @EachDatabase(DatabaseKind.H2)
    void aCallWithoutATransactionHasItsOwn(TestDatabase database) {
        WritingFixture journal = new WritingFixture(database, new JtaDataSource(database.url()));
        manager(journal);

        journal.sender.schedule(message("own"));

        assertThat(journal.outboxIds()).containsExactly("own");
        assertThat(journal.offered).hasSize(1);
    }

    private static JtaTransactionManager manager(WritingFixture journal) {
        JtaTransactionManager manager = new JtaTransactionManager(
                com.arjuna.ats.jta.UserTransaction.userTransaction(),
                com.arjuna.ats.jta.TransactionManager.transactionManager());
        manager.afterPropertiesSet();
        manager.addListener(journal.begun.listener(manager, "jta"));
        return manager;
    }

    private static OutgoingMessage message(String id) {
        return OutgoingMessage.to("orders").id(id).payload(new byte[] {1}).build();
    }

    /** Gives each JTA transaction one connection, as pools of JTA servers do; without one, connections are local. */
    private static final class JtaDataSource extends AbstractDataSource {

        private final TransactionManager server = com.arjuna.ats.jta.TransactionManager.transactionManager();
        private final Map<Transaction, Connection> connections = new ConcurrentHashMap<>();
        private final JdbcDataSource h2 = new JdbcDataSource();

        JtaDataSource(String url) {
            // it adds user and password by itself
            h2.setURL(url.replaceAll(";(?i:user|password)=[^;]*", ""));
            h2.setUser("sa");
            h2.setPassword("");
        }

        @Override
        public Connection getConnection() throws SQLException {
            try {
                Transaction transaction = server.getTransaction();
                if (transaction == null) {
                    return h2.getConnection();
                }
                Connection known = connections.get(transaction);
                return known == null ? enlist(transaction) : known;
            } catch (SystemException | RollbackException e) {
                throw new SQLException(e);
            }
        }

        private Connection enlist(Transaction transaction) throws SQLException, SystemException, RollbackException {
            XAConnection physical = h2.getXAConnection();
            Connection connection = physical.getConnection();
            transaction.enlistResource(physical.getXAResource());
            Connection enlisted = (Connection) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                        if (method.getName().equals("close")) {
                            // the transaction keeps it
                            return null;
                        }
                        try {
                            return method.invoke(connection, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
            connections.put(transaction, enlisted);
            return enlisted;
        }

        @Override
        public Connection getConnection(String user, String password) throws SQLException {
            return getConnection();
        }
    }
}
