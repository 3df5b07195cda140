package io.delayqueue.jdbc.relay;

import static io.delayqueue.jdbc.relay.OutboxFixture.ENDED;
import static io.delayqueue.jdbc.relay.OutboxFixture.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.Everyday;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Tests free rows while hand-over and relays record others as sent: that is no deadlock, of which the test would be the victim. MariaDB
 * made one of it: {@link OrderPerIdOnServersTests} failed now and then.
 */
@Everyday(DatabaseKind.MARIADB)
class FreedRowsTests {

    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB, DatabaseKind.MYSQL})
    void rowsAreFreedWhileATransactionRemovesOne(TestDatabase database) throws Exception {
        OutboxFixture rows = new OutboxFixture(database);
        rows.scheduled("a", "aaaaaaaa", 1, ENDED);
        rows.scheduled("b", "bbbbbbbb", 1, 60_000_000);
        String ofA = " WHERE topic = 'orders' AND id = 'a'";
        String byKey = "delayqueue_outbox" + rows.database.dialect().byIndex("PRIMARY");
        try (Connection connection = DriverManager.getConnection(database.url());
                Statement recorder = connection.createStatement()) {
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            connection.setAutoCommit(false);
            recorder.executeQuery("SELECT changes FROM " + byKey + ofA + " FOR UPDATE");
            CompletableFuture<Void> freed = CompletableFuture.runAsync(rows::freeRows);
            await().until(database::isSomebodyWaiting);

            assertThat(recorder.executeUpdate("DELETE FROM delayqueue_outbox" + ofA))
                    .isEqualTo(1);
            connection.commit();

            freed.get(1, TimeUnit.MINUTES);
        }
        assertThat(rows.operationsOf("a")).isEmpty();
        assertThat(rows.jdbc
                        .sql("SELECT send_at FROM delayqueue_outbox WHERE id = ?")
                        .param(rows.name("b"))
                        .query(Long.class)
                        .single())
                .isLessThanOrEqualTo(rows.now());
    }
}
