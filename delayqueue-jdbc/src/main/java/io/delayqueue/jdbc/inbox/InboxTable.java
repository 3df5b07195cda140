package io.delayqueue.jdbc.inbox;

import io.delayqueue.ReceivedMessage;
import io.delayqueue.jdbc.dialect.Dialect;
import io.delayqueue.jdbc.support.JournalDatabase;
import java.util.List;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The messages that a listener handled. Every call belongs to the transaction of its thread. */
final class InboxTable {

    /** For a transaction of another owner of the message. */
    private static final int LONGEST_WAIT_SECONDS = 2;

    private final JdbcClient jdbc;
    private final JdbcClient hurried;
    private final Dialect dialect;
    private final String listener;
    private final String insert;
    private final String delete;

    InboxTable(JournalDatabase database, String listener) {
        JdbcTemplate hurried = new JdbcTemplate(database.dataSource());
        hurried.setQueryTimeout(LONGEST_WAIT_SECONDS);
        this.jdbc = database.jdbc();
        this.hurried = JdbcClient.create(hurried);
        this.dialect = database.dialect();
        this.listener = listener;
        String table = database.tables().inbox();
        this.insert = dialect.insertIfAbsent("INTO " + table
                + " (topic, id, generation, listener, handled) VALUES (?, ?, ?, ?, " + dialect.nowMicros() + ")");
        this.delete = dialect.deleteByKey(table) + " WHERE topic = ? AND id = ? AND generation = ? AND listener = ?";
    }

    /**
     * Records a message. If another transaction has just done so, it waits for the end of that one, for two seconds at most.
     *
     * @throws QueryTimeoutException or, with some databases, a conflict if that transaction goes on
     * @return false if the message was recorded before; the transaction is as it was then
     */
    boolean insert(ReceivedMessage message) {
        try {
            return hurried.sql(insert).params(key(message)).update() == 1;
        } catch (DuplicateKeyException e) {
            return false;
        }
    }

    /** Forgets a message, which may be delivered again. */
    void delete(ReceivedMessage message) {
        jdbc.sql(delete).params(key(message)).update();
    }

    private List<Object> key(ReceivedMessage message) {
        return List.of(
                dialect.name(message.topic()),
                dialect.name(message.id()),
                message.generation(),
                dialect.name(listener));
    }
}
