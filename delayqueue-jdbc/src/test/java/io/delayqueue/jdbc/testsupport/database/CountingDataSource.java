package io.delayqueue.jdbc.testsupport.database;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Hands all calls on, and counts those that go to the database. */
public final class CountingDataSource extends DelegatingDataSource {

    private final AtomicInteger executions = new AtomicInteger();
    private final AtomicInteger commits = new AtomicInteger();

    public CountingDataSource(DataSource dataSource) {
        super(dataSource);
    }

    /** Statements since the last reset. Each row of a JDBC batch is one, as MariaDB's driver sends it. */
    public int executions() {
        return executions.get();
    }

    /** Commits since the last reset. */
    public int commits() {
        return commits.get();
    }

    public void reset() {
        executions.set(0);
        commits.set(0);
    }

    @Override
    public Connection getConnection() throws SQLException {
        return counting(super.getConnection(), Connection.class);
    }

    private <T> T counting(T target, Class<T> type) {
        return type.cast(Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    Object result = call(target, method, arguments);
                    switch (method.getName()) {
                        case "execute", "executeQuery", "executeUpdate", "executeLargeUpdate", "addBatch" ->
                            executions.incrementAndGet();
                        case "commit" -> commits.incrementAndGet();
                        default -> {}
                    }
                    return result instanceof PreparedStatement statement
                            ? counting(statement, PreparedStatement.class)
                            : result;
                }));
    }

    private static @Nullable Object call(Object target, Method method, Object @Nullable [] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
