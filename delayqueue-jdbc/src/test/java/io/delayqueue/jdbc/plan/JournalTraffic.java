package io.delayqueue.jdbc.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DuplicatePolicy;
import io.delayqueue.jdbc.JournalDatabase;
import io.delayqueue.jdbc.JournalTables;
import io.delayqueue.jdbc.relay.OutboxOperator;
import io.delayqueue.spring.DelayQueueOperations;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Uses the journal in each way that runs statements of its own. */
public final class JournalTraffic {

    private static final String TOPIC = FilledTables.TOPIC;

    /** Rows of a batch. */
    private static final int MANY = 100;

    /** Makes ids of this use: a database may be used several times. */
    private final String prefix = "new-" + System.nanoTime() + "-";

    private final ApplicationContext context;
    private final JournalDatabase database;
    private final JdbcClient jdbc;

    /** @param dataSource the application's database, for what the journal's own code does not do */
    public JournalTraffic(ApplicationContext context, DataSource dataSource) {
        this.context = context;
        this.database = new JournalDatabase(dataSource, new JournalTables(JournalTables.DEFAULT_PREFIX));
        this.jdbc = database.jdbc();
    }

    public void run() {
        callsOfTheTemplate();
        relayOfWhatOthersLeft();
        blockedIds();
    }

    private void callsOfTheTemplate() {
        DelayQueueOperations template = context.getBean(DelayQueueOperations.class);
        List<String> ids = template.scheduleAll(
                TOPIC, IntStream.range(0, MANY).mapToObj(i -> "order " + i).toList(), Duration.ofHours(1));
        for (DuplicatePolicy policy : DuplicatePolicy.values()) {
            template.message(TOPIC, "again")
                    .id(ids.get(0))
                    .header("order", "A-17")
                    .delay(Duration.ofHours(2))
                    .ifExists(policy)
                    .schedule();
        }
        template.reschedule(TOPIC, ids.get(1), Duration.ofHours(3));
        template.reschedule(TOPIC, ids.get(1), Instant.now().plusSeconds(60));
        template.cancel(TOPIC, ids.get(2));
        template.cancelAll(TOPIC, ids.subList(3, MANY / 2));
        awaitSent();
    }

    /** Rows whose process died: the relay claims them. */
    private void relayOfWhatOthersLeft() {
        for (int i = 1; i < MANY; i++) {
            message(prefix + i, "l0000001");
            row(prefix + i, "Sl0000001;", 1);
        }
        message(prefix + 0, "l0000001");
        message(prefix + 0, "l0000002");
        row(prefix + 0, "Sl0000001;Cc0000001;Sl0000002;", 3);
        awaitSent();
    }

    /** The first change is sent, the second one fails: its message has no row. */
    private void blockedIds() {
        message(prefix + "blocked", "b0000001");
        row(prefix + "blocked", "Sb0000001;Sb9999999;", 2);
        OutboxOperator operator = context.getBean(OutboxOperator.class);
        awaitBlocked(operator);
        assertThat(operator.blocked(10)).hasSize(1);
        assertThat(operator.unblock(TOPIC, prefix + "blocked")).isTrue();
        awaitBlocked(operator);
        jdbc.sql("DELETE FROM delayqueue_outbox WHERE topic = ? AND id = ?")
                .params(name(TOPIC), name(prefix + "blocked"))
                .update();
    }

    private static void awaitBlocked(OutboxOperator operator) {
        await().atMost(Duration.ofSeconds(30))
                .until(() -> operator.status().blocked() == 1
                        && operator.status().lag().isZero());
    }

    /** Rows of the tables' filling have claims that end in a hundred years. */
    private void awaitSent() {
        await().atMost(Duration.ofSeconds(30))
                .until(() -> jdbc.sql("SELECT COUNT(*) FROM delayqueue_outbox WHERE claim <> ?")
                                .param(FilledTables.CLAIM)
                                .query(Long.class)
                                .single()
                        == 0);
    }

    private void message(String id, String generation) {
        jdbc.sql("INSERT INTO delayqueue_message (topic, id, generation, status, attempts, priority, duplicates, due,"
                        + " due_is_instant, created, updated, headers, payload)"
                        + " VALUES (?, ?, ?, 'OUTBOX', 0, 4, 'REJECT', 4700000000000000, 0, 1, 1, '{}', ?)")
                .params(name(TOPIC), name(id), generation, new byte[] {1})
                .update();
    }

    /** A row whose claim has ended. */
    private void row(String id, String operations, int changes) {
        jdbc.sql("INSERT INTO delayqueue_outbox (topic, id, operations, changes, claim, send_at, created, failures)"
                        + " VALUES (?, ?, ?, ?, 1, " + database.dialect().nowMicros()
                        + " - 1000000, 1700000000000000, 0)")
                .params(name(TOPIC), name(id), operations, changes)
                .update();
    }

    private Object name(String name) {
        return database.dialect().name(name);
    }
}
