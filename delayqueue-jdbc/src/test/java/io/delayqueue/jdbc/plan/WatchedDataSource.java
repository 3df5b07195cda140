package io.delayqueue.jdbc.plan;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** A DataSource whose prepared statements are watched. It may pretend to be another product. */
final class WatchedDataSource extends DelegatingDataSource {

    private final StatementWatcher watcher;
    private final @Nullable String product;

    WatchedDataSource(DataSource dataSource, StatementWatcher watcher) {
        this(dataSource, watcher, null);
    }

    /** @param product name of the database as its metadata shall tell it, or null for the true one */
    WatchedDataSource(DataSource dataSource, StatementWatcher watcher, @Nullable String product) {
        super(dataSource);
        this.watcher = watcher;
        this.product = product;
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection connection = super.getConnection();
        return proxy(Connection.class, (self, method, arguments) -> {
            if (method.getName().equals("prepareStatement")) {
                String sql = (String) arguments[0];
                arguments[0] = watcher.translate(sql);
                return watched(connection, sql, (PreparedStatement) invoke(connection, method, arguments));
            }
            if (method.getName().equals("getMetaData") && product != null) {
                return renamed(connection.getMetaData(), product);
            }
            return invoke(connection, method, arguments);
        });
    }

    private PreparedStatement watched(Connection connection, String sql, PreparedStatement statement) {
        List<Parameters.Setter> setters = new ArrayList<>();
        return proxy(PreparedStatement.class, (self, method, arguments) -> {
            String name = method.getName();
            if (name.startsWith("set") && arguments.length > 1) {
                setters.add(new Parameters.Setter(method, arguments));
            }
            if (!name.startsWith("execute")) {
                return invoke(statement, method, arguments);
            }
            watcher.before(connection, sql, new Parameters(setters));
            Object result = invoke(statement, method, arguments);
            watcher.after(connection, sql);
            return result;
        });
    }

    private static DatabaseMetaData renamed(DatabaseMetaData metaData, String product) {
        return proxy(
                DatabaseMetaData.class,
                (self, method, arguments) -> method.getName().equals("getDatabaseProductName")
                        ? product
                        : invoke(metaData, method, arguments));
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private static @Nullable Object invoke(Object target, Method method, Object @Nullable [] arguments)
            throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
