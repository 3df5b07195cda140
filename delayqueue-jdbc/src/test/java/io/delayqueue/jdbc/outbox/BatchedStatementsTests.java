package io.delayqueue.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.jdbc.database.DatabaseKind;
import io.delayqueue.jdbc.database.EachDatabase;
import io.delayqueue.jdbc.database.TestDatabase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/** The cost of a bulk in statements. */
class BatchedStatementsTests {

    private final AtomicInteger executions = new AtomicInteger();
    private final AtomicInteger commits = new AtomicInteger();

    /** H2 is left out: without a round trip, it takes rows one at a time. */
    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB, DatabaseKind.MYSQL})
    void aHundredMessagesAreOneTransactionWithTwoStatements(TestDatabase database) {
        WritingFixture journal = new WritingFixture(database, counting(database.dataSource(), DataSource.class));
        List<OutgoingMessage> messages = IntStream.range(0, 100)
                .mapToObj(i -> OutgoingMessage.to("orders")
                        .id("id-" + i)
                        .payload(new byte[200])
                        .header("order", "A-" + i)
                        .build())
                .toList();
        executions.set(0);
        commits.set(0);

        journal.sender.scheduleAll(messages);
        assertThat(executions).hasValue(2);
        assertThat(commits).hasValue(1);

        journal.sender.cancelAll(
                "orders", messages.stream().map(OutgoingMessage::id).toList());
        assertThat(executions).hasValue(3);
        assertThat(commits).hasValue(2);
        assertThat(journal.outboxIds()).hasSize(100);
    }

    /** Hands all calls on, and counts those that go to the database. */
    private <T> T counting(T target, Class<T> type) {
        return type.cast(Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    Object result = call(target, method, arguments);
                    if (method.getName().startsWith("execute")) {
                        executions.incrementAndGet();
                    } else if (method.getName().equals("commit")) {
                        commits.incrementAndGet();
                    }
                    if (result instanceof PreparedStatement statement) {
                        return counting(statement, PreparedStatement.class);
                    }
                    return result instanceof Connection connection ? counting(connection, Connection.class) : result;
                }));
    }

    private static Object call(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
