package io.delayqueue.jdbc.support;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcOperations;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Ends transactions whose server does not answer any more, as after a failure of its machine: TCP waits for a quarter of an hour, and for
 * a process that stands still for ever. Drivers without network timeouts wait as they do. Thread-safe.
 */
final class SilenceLimit {

    private static final Logger log = LoggerFactory.getLogger("io.delayqueue.jdbc");

    private final JdbcOperations jdbc;
    private final int millis;
    private volatile boolean unsupported;

    /** @param longest more than any statement takes whose server is well */
    SilenceLimit(JdbcOperations jdbc, Duration longest) {
        this.jdbc = jdbc;
        this.millis = Math.toIntExact(longest.toMillis());
    }

    /** Begins with the transaction of this thread, and ends with it. A shorter limit of the connection's own stays. */
    void begin() {
        if (unsupported) {
            return;
        }
        int before = limit(millis);
        if (before >= 0) {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCompletion(int status) {
                    end(before);
                }
            });
        }
    }

    /** The limit before, in ms; -1 if nothing was changed. */
    private int limit(int most) {
        Integer before = jdbc.execute((ConnectionCallback<Integer>) connection -> limit(connection, most));
        return before == null ? -1 : before;
    }

    private int limit(Connection connection, int most) throws SQLException {
        try {
            int before = connection.getNetworkTimeout();
            if (before > 0 && before <= most) {
                return -1;
            }
            connection.setNetworkTimeout(Runnable::run, most);
            return before;
        } catch (SQLFeatureNotSupportedException | AbstractMethodError e) {
            unsupported = true;
            return -1;
        }
    }

    private void end(int before) {
        try {
            jdbc.execute((ConnectionCallback<Boolean>) connection -> {
                connection.setNetworkTimeout(Runnable::run, before);
                return true;
            });
        } catch (DataAccessException e) {
            log.debug("A connection of the journal is broken", e);
        }
    }
}
