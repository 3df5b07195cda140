package io.delayqueue.jdbc.dialect;

import java.sql.SQLException;
import java.util.Set;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.TransientDataAccessException;

/** Tells failures of conflicts from others, by Spring's classes first, then by the database's own codes. */
final class SqlErrors {

    private SqlErrors() {}

    static boolean isConflict(DataAccessException failure, Set<Integer> vendorCodes) {
        if (failure instanceof TransientDataAccessException) {
            return true;
        }
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql
                    && (isConflictState(sql) || vendorCodes.contains(sql.getErrorCode()))) {
                return true;
            }
        }
        return false;
    }

    /** Class 40 of the SQL standard: the transaction was rolled back. */
    private static boolean isConflictState(SQLException failure) {
        String state = failure.getSQLState();
        return state != null && state.startsWith("40");
    }

    static boolean hasState(DataAccessException failure, String state) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql && state.equals(sql.getSQLState())) {
                return true;
            }
        }
        return false;
    }

    static boolean hasCode(DataAccessException failure, int code) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql && sql.getErrorCode() == code) {
                return true;
            }
        }
        return false;
    }
}
