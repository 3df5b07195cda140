package io.delayqueue.jdbc.restore;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.test.EmbeddedRedis;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.slf4j.LoggerFactory;

/** Transactions of callers hold rows of some messages for minutes, by changes that they did not commit: a refill goes round these. */
@Tag("slow")
class HeldRowsTests {

    private static final String TOPIC = RestoreFixture.TOPIC;
    private static final Duration HOUR = Duration.ofHours(1);
    private static final int COUNT = 1_500;
    private static final int HELD = 10;

    private final EmbeddedRedis server = EmbeddedRedis.start();

    @AfterEach
    void close() {
        server.close();
    }

    @EachDatabase
    void changesThatAreNotCommittedHoldUpNoOtherMessage(TestDatabase database) throws Exception {
        assertNoOtherIsHeldUp(database, Connection.TRANSACTION_READ_COMMITTED);
    }

    /** With repeatable reads, their default, locks of rows become locks of gaps when pages are split: neighbours may wait, too. */
    @Tag("soak")
    @EachDatabase({DatabaseKind.MARIADB, DatabaseKind.MYSQL})
    void changesThatAreNotCommittedHoldUpNoOtherMessageWhereGapsAreLocked(TestDatabase database) throws Exception {
        assertNoOtherIsHeldUp(database, Connection.TRANSACTION_REPEATABLE_READ);
    }

    private void assertNoOtherIsHeldUp(TestDatabase database, int isolation) throws Exception {
        ListAppender<ILoggingEvent> driver = new ListAppender<>();
        try (RestoreFixture here = new RestoreFixture(database, server.uri());
                Connection committing = transaction(database);
                Connection rollingBack = transaction(database)) {
            committing.setTransactionIsolation(isolation);
            rollingBack.setTransactionIsolation(isolation);
            here.relay.start();
            List<String> ids = here.schedule("a", COUNT, HOUR, Duration.ofSeconds(1));
            here.awaitSent();
            cancel(here, committing, ids.subList(0, HELD));
            cancel(here, rollingBack, ids.subList(700, 700 + HELD));
            here.redis().flushall();
            watchDriver(driver, true);

            here.watch.start();

            RestoreFixture.await().until(() -> here.scheduled() == COUNT - 2 * HELD);
            assertThat(here.rows(KnownPartitions.REMOVE)).as("claims are held").isZero();
            RestoreFixture.await().until(() -> here.restore.progress().topic() == null);
            assertThat(here.openRefills()).isEqualTo(1);
            assertThat(here.restore.losses()).hasSize(1);
            assertThat(here.reports).isEmpty();
            watchDriver(driver, false);
            assertThat(driver.list).as("lines of the driver").hasSizeLessThan(2 * HELD);

            committing.commit();
            rollingBack.rollback();
            RestoreFixture.await().until(() -> here.openRefills() == 0);
            RestoreFixture.await().until(() -> here.scheduled() == COUNT - HELD);
            here.awaitSent();
            assertThat(here.count("status = 'CANCELLED'")).isEqualTo(HELD);
            assertThat(here.scheduled()).isEqualTo(COUNT - HELD);
            assertThat(here.client.stats(TOPIC).totals().accepted()).isEqualTo(COUNT - HELD);
        }
    }

    /** A restore by hand tells of them. */
    @EachDatabase
    void aRestoreByHandLeavesThemAndSaysSo(TestDatabase database) throws Exception {
        try (RestoreFixture here = new RestoreFixture(database, server.uri());
                Connection caller = transaction(database)) {
            here.relay.start();
            List<String> ids = here.schedule("a", 100, HOUR);
            here.awaitSent();
            cancel(here, caller, ids.subList(3, 5));
            here.redis().flushall();

            RestoreReport report = here.restore.restore(RestoreRequest.all(), false);

            assertThat(report.restored()).isEqualTo(98);
            assertThat(report.waiting()).isEqualTo(2);
            assertThat(here.restore.losses()).hasSize(1);
            caller.rollback();
            assertThat(here.restore.restore(RestoreRequest.all(), false).restored())
                    .isEqualTo(2);
            assertThat(here.restore.losses()).isEmpty();
        }
    }

    /** With repeatable reads, a locking read holds the gaps between the rows, too: nobody can insert there. */
    @EachDatabase(DatabaseKind.MARIADB)
    void aGapThatACallerHoldsHoldsUpNoMessageBehindIt(TestDatabase database) throws Exception {
        ListAppender<ILoggingEvent> driver = new ListAppender<>();
        try (RestoreFixture here = new RestoreFixture(database, server.uri());
                Connection caller = transaction(database)) {
            here.relay.start();
            here.schedule("a", COUNT, HOUR, Duration.ofSeconds(1));
            here.awaitSent();
            here.reschedule("a5", Duration.ofDays(3), HOUR);
            // the read holds the gap before the next row, too
            here.reschedule("a51", Duration.ofDays(3), HOUR);
            caller.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            lockUntil(here, caller, "a5");
            here.redis().flushall();
            watchDriver(driver, true);
            long behind = here.count("id > 'a51'");
            assertThat(behind).isBetween(100L, COUNT - 100L);

            here.watch.start();

            RestoreFixture.await()
                    .untilAsserted(() -> assertThat(here.scheduled()).isEqualTo(behind));
            RestoreFixture.await().until(() -> here.restore.progress().topic() == null);
            watchDriver(driver, false);
            assertThat(driver.list).as("lines of the driver").hasSizeLessThan(300);
            caller.rollback();
            RestoreFixture.await().until(() -> here.scheduled() == COUNT - 2);
            here.endClaims();
            RestoreFixture.await().until(() -> here.openRefills() == 0);
            RestoreFixture.await().until(() -> here.scheduled() == COUNT);
        }
    }

    private static Connection transaction(TestDatabase database) throws SQLException {
        Connection connection = DriverManager.getConnection(database.url());
        connection.setAutoCommit(false);
        return connection;
    }

    /** As the outbox does it in a caller's transaction. */
    private static void cancel(RestoreFixture here, Connection caller, List<String> ids) throws SQLException {
        String now = here.database.dialect().nowMicros();
        String insert =
                "INSERT INTO delayqueue_outbox (topic, id, operations, changes, sender, send_at, created, failures)"
                        + " VALUES (?, ?, 'Cfixture0;', 1, 0, " + now + ", " + now + ", 0)";
        try (PreparedStatement statement = caller.prepareStatement(insert)) {
            for (String id : ids) {
                statement.setObject(1, here.name(TOPIC));
                statement.setObject(2, here.name(id));
                statement.executeUpdate();
            }
        }
    }

    private static void lockUntil(RestoreFixture here, Connection caller, String id) throws SQLException {
        try (PreparedStatement statement = caller.prepareStatement(
                "SELECT id FROM delayqueue_outbox WHERE topic = ? AND id <= ? ORDER BY id FOR UPDATE")) {
            statement.setObject(1, here.name(TOPIC));
            statement.setObject(2, here.name(id));
            assertThat(statement.executeQuery().next()).isTrue();
        }
    }

    private static void watchDriver(ListAppender<ILoggingEvent> lines, boolean watched) {
        Logger logger = (Logger) LoggerFactory.getLogger("org.mariadb.jdbc");
        if (watched) {
            lines.start();
            logger.addAppender(lines);
        } else {
            logger.detachAppender(lines);
        }
    }
}
