package io.delayqueue.jdbc.plan;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/**
 * Parameters of a statement, as its caller set them.
 *
 * @param calls calls of its setters
 */
record Parameters(List<Setter> calls) {

    Parameters {
        calls = List.copyOf(calls);
    }

    /** A call such as {@code setLong(3, 42)}. */
    record Setter(Method method, Object[] arguments) {}

    /** Sets the same parameters for another statement of the same connection. */
    void setFor(PreparedStatement statement) throws SQLException {
        for (Setter call : calls) {
            try {
                call.method().invoke(statement, call.arguments());
            } catch (InvocationTargetException e) {
                throw new SQLException(e.getCause());
            } catch (IllegalAccessException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
