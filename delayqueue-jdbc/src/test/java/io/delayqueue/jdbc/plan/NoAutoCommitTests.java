package io.delayqueue.jdbc.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.autoconfigure.JournalRestoreAutoConfiguration;
import io.delayqueue.jdbc.restore.JournalRestore;
import io.delayqueue.jdbc.restore.RestoreRequest;
import io.delayqueue.jdbc.testsupport.JournalApplication;
import io.delayqueue.jdbc.testsupport.JournalTraffic;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.test.EmbeddedRedis;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** A pool whose connections don't commit by themselves, and roll back what was left on them. */
@Tag("slow")
class NoAutoCommitTests {

    private static final Pattern WRITE = Pattern.compile("(INSERT|UPDATE|DELETE|MERGE) .*", Pattern.DOTALL);

    private final Set<String> written = ConcurrentHashMap.newKeySet();
    private final Queue<String> left = new ConcurrentLinkedQueue<>();

    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void nothingIsLeftOnAConnection(TestDatabase database) {
        DataSource plain = database.withSchema().dataSource();
        DataSource pool = watched(database.dataSource(settings -> settings.setAutoCommit(false)));
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            JournalApplication.withQuickRestoresOn(pool, redis.uri())
                    .withConfiguration(AutoConfigurations.of(JournalRestoreAutoConfiguration.class))
                    .run(context -> {
                        new JournalTraffic(context, plain).run();
                        context.getBean(JournalRestore.class).restore(RestoreRequest.all(), false);
                    });
        }
        assertThat(written).hasSizeGreaterThan(20);
        assertThat(left).isEmpty();
    }

    /** Notes writes of connections that were closed before a commit or a rollback. */
    private DataSource watched(DataSource pool) {
        return new DelegatingDataSource(pool) {
            @Override
            public Connection getConnection() throws SQLException {
                return watched(super.getConnection());
            }
        };
    }

    private Connection watched(Connection connection) {
        Set<String> open = ConcurrentHashMap.newKeySet();
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    switch (method.getName()) {
                        case "prepareStatement" -> {
                            String sql = (String) arguments[0];
                            if (WRITE.matcher(sql).matches()) {
                                open.add(sql);
                                written.add(sql);
                            }
                        }
                        case "commit" -> open.clear();
                        case "rollback" -> {
                            if (arguments == null) {
                                open.clear();
                            }
                        }
                        case "close" -> left.addAll(open);
                        default -> {}
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
