package io.delayqueue.jdbc.outbox;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** A database that has no server: it only records the statements that are prepared. */
final class StatementRecorder implements InvocationHandler {

    private final String product;
    private final List<String> statements = new ArrayList<>();
    private int batch;

    StatementRecorder(String product) {
        this.product = product;
    }

    DataSource dataSource() {
        return proxy(DataSource.class);
    }

    List<String> statements() {
        return statements;
    }

    private <T> T proxy(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {type}, this));
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) {
        switch (method.getName()) {
            case "getConnection":
                return proxy(Connection.class);
            case "getMetaData":
                return proxy(DatabaseMetaData.class);
            case "getDatabaseProductName", "getDatabaseProductVersion":
                return product;
            case "prepareStatement":
                statements.add((String) arguments[0]);
                return proxy(PreparedStatement.class);
            case "addBatch":
                batch++;
                return null;
            case "executeBatch":
                int[] counts = new int[batch];
                batch = 0;
                return counts;
            case "hashCode":
                return System.identityHashCode(proxy);
            case "equals":
                return proxy == arguments[0];
            default:
                return nothing(method.getReturnType());
        }
    }

    private static Object nothing(Class<?> type) {
        if (type == boolean.class) {
            return true;
        }
        return type == int.class ? (Object) 0 : null;
    }
}
