package io.delayqueue.jdbc.testsupport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.Delay;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.DuplicatePolicy;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.jdbc.Journal;
import io.delayqueue.jdbc.JournalMessage;
import io.delayqueue.jdbc.JournalPage;
import io.delayqueue.jdbc.JournalQuery;
import io.delayqueue.jdbc.MessageStatus;
import io.delayqueue.jdbc.relay.OutboxOperator;
import io.delayqueue.jdbc.relay.RareStatements;
import io.delayqueue.jdbc.restore.ComparedTopic;
import io.delayqueue.jdbc.restore.Difference;
import io.delayqueue.jdbc.restore.JournalRestore;
import io.delayqueue.jdbc.restore.RareRestoreStatements;
import io.delayqueue.jdbc.restore.RestoreRequest;
import io.delayqueue.jdbc.support.JournalDatabase;
import io.delayqueue.jdbc.support.JournalTables;
import io.delayqueue.jdbc.support.JournalTransaction;
import io.delayqueue.spring.DelayQueueOperations;
import io.lettuce.core.RedisClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Uses the journal in each way that runs statements of its own. */
public final class JournalTraffic {

    /** The topic of its messages. */
    public static final String TOPIC = "orders";

    /** Takes rows of tables that a test has filled: no relay sends them. */
    public static final long OTHER_SENDER = 7;

    /** A topic whose messages are over since long. */
    private static final String OLD = "old";

    private static final List<String> FINISHED =
            List.of("ACKED", "CANCELLED", "EXPIRED", "DEAD", "PURGED", "REPLACED", "REJECTED", "KEPT", "UNRECORDED");

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
        rareCases();
        handledMessages();
        storiesAndSearches();
        comparison();
        restores();
        oldRows();
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
        template.reschedule(TOPIC, ids.get(2), Duration.ofHours(3));
        template.cancelAll(TOPIC, ids.subList(3, MANY / 2));
        awaitSent();
    }

    /** Rows whose process died: the relay takes them. */
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
        assertThat(operator.unblockAll(TOPIC)).isOne();
        awaitBlocked(operator);
        jdbc.sql("DELETE FROM delayqueue_outbox WHERE topic = ? AND id = ?")
                .params(name(TOPIC), name(prefix + "blocked"))
                .update();
    }

    /** A row that is sent in the end. */
    private void rareCases() {
        message(prefix + "rare", "r0000001");
        jdbc.sql("INSERT INTO delayqueue_outbox (topic, id, operations, changes, sender, send_at, created, failures)"
                        + " VALUES (?, ?, 'Sr0000001;', 1, 1, "
                        + database.dialect().nowMicros()
                        + " + 10000000, 1700000000000000, 0)")
                .params(name(TOPIC), name(prefix + "rare"))
                .update();
        RareStatements.run(
                context.getBean(JournalDatabase.class),
                context.getBean(JournalTransaction.class),
                TOPIC,
                prefix + "rare");
        RareRestoreStatements.run(
                context.getBean(JournalDatabase.class), context.getBean(JournalTransaction.class), TOPIC);
        awaitSent();
    }

    private void handledMessages() {
        DelayQueueOperations template = context.getBean(DelayQueueOperations.class);
        String topic = JournalApplication.OrderListener.TOPIC;
        long before = rows("inbox", topic);
        template.schedule(topic, "once", Duration.ZERO);
        template.schedule(topic, "again", Duration.ZERO);
        await().atMost(Duration.ofSeconds(60)).until(() -> rows("inbox", topic) >= before + 2);
        template.schedule(topic, "dead", Duration.ZERO);
        // the ack of a message that the journal does not have
        context.getBean(DelayQueueClient.class)
                .schedule(OutgoingMessage.to(topic)
                        .id(prefix + "plain")
                        .payload("\"plain\"".getBytes(StandardCharsets.UTF_8))
                        .build());
        Journal journal = context.getBean(Journal.class);
        await().atMost(Duration.ofSeconds(60))
                .until(() -> !journal.story(topic, prefix + "plain").messages().isEmpty());
    }

    /** Events are there when the audit has written them; the pages have few messages, so that there is a next one. */
    private void storiesAndSearches() {
        Journal journal = context.getBean(Journal.class);
        awaitMessages(JournalApplication.OrderListener.TOPIC, MessageStatus.ACKED, 2);
        // not an ack: recorded by a statement of its own
        awaitMessages(JournalApplication.OrderListener.TOPIC, MessageStatus.DEAD, 1);
        for (JournalQuery.Builder query :
                List.of(JournalQuery.ofTopic(TOPIC), JournalQuery.ofBusinessKey("A-17"), businessKeyOf(TOPIC))) {
            JournalPage page = journal.search(query.limit(1).build());
            JournalQuery next = query.from(Instant.EPOCH)
                    .to(Instant.now().plusSeconds(1_000_000))
                    .build();
            journal.search(next.after(page.next()));
            for (JournalMessage message : page.messages()) {
                assertThat(journal.story(message.topic(), message.id()).messages())
                        .isNotEmpty();
            }
        }
    }

    /** Of a topic whose messages somebody changed without the journal: another due time, and an end. */
    private void comparison() {
        String topic = prefix + "compared";
        List<String> ids = context.getBean(DelayQueueOperations.class)
                .scheduleAll(topic, List.of("a", "b", "c"), Duration.ofHours(1));
        awaitSent();
        RedisClient redis =
                RedisClient.create(String.valueOf(context.getEnvironment().getProperty("spring.data.redis.url")));
        try (DelayQueueClient plain =
                DelayQueueClient.create(redis, DelayQueueOptions.builder().build())) {
            plain.reschedule(topic, ids.get(0), Delay.of(Duration.ofHours(3)));
            plain.cancel(topic, ids.get(1));
        } finally {
            redis.shutdown();
        }

        assertThat(ComparedTopic.compare(context, topic)).singleElement().satisfies(report -> {
            assertThat(report.unrecorded()).isOne();
            assertThat(report.count(Difference.Kind.OTHER_DUE)).isOne();
        });
        awaitMessages(topic, MessageStatus.UNRECORDED, 1);
    }

    /** A topic that Redis lost, and a dead letter. */
    private void restores() {
        DelayQueueOperations template = context.getBean(DelayQueueOperations.class);
        String topic = prefix + "restored";
        List<String> ids = template.scheduleAll(topic, List.of("a", "b", "c"), Duration.ofHours(1));
        awaitSent();
        JournalRestore restore = context.getBean(JournalRestore.class);
        try (RedisConnection redis =
                context.getBean(RedisConnectionFactory.class).getConnection()) {
            redis.serverCommands().flushAll();
        }
        assertThat(restore.restore(RestoreRequest.topic(topic), true).restored())
                .isZero();
        assertThat(restore.restore(RestoreRequest.topic(topic), false).restored())
                .isEqualTo(ids.size());
        awaitSent();
        String dead = context.getBean(Journal.class)
                .search(JournalQuery.ofTopic(JournalApplication.OrderListener.TOPIC)
                        .statuses(MessageStatus.DEAD)
                        .build())
                .messages()
                .get(0)
                .id();
        assertThat(restore.restore(RestoreRequest.id(JournalApplication.OrderListener.TOPIC, dead), false)
                        .restored())
                .isEqualTo(1);
        awaitSent();
        assertThat(restore.losses()).noneMatch(loss -> loss.topic().equals(topic));
        context.getBean(DelayQueueClient.class).forceDeleteTopic(topic);
        awaitMessages(topic, MessageStatus.PURGED, ids.size());
    }

    private void awaitMessages(String topic, MessageStatus status, int count) {
        Journal journal = context.getBean(Journal.class);
        await().atMost(Duration.ofSeconds(60))
                .until(() -> journal.search(JournalQuery.ofTopic(topic)
                                        .statuses(status)
                                        .build())
                                .messages()
                                .size()
                        >= count);
    }

    private static JournalQuery.Builder businessKeyOf(String topic) {
        return JournalQuery.ofBusinessKey("A-17").topic(topic);
    }

    /** Rows of each kind that retention deletes. */
    private void oldRows() {
        for (String status : FINISHED) {
            message(OLD, status, "o0000001", status, 1L);
        }
        jdbc.sql("INSERT INTO delayqueue_event (topic, id, event_time, sequence_no, generation, to_status)"
                        + " VALUES (?, ?, 1, 1, 'o0000001', 'ACKED')")
                .params(name(OLD), name("a"))
                .update();
        jdbc.sql(
                        "INSERT INTO delayqueue_inbox (topic, id, generation, listener, handled) VALUES (?, ?, 'o0000001', ?, 1)")
                .params(name(OLD), name("a"), name("orders"))
                .update();
        for (String instance : List.of("host-1", "host-2")) {
            jdbc.sql("INSERT INTO delayqueue_partition (topic, part, instance, epoch, sent, ended, updated)"
                            + " VALUES (?, 0, ?, 'e1', 1, 1, 1)")
                    .params(name(OLD), name(instance))
                    .update();
        }
        await().atMost(Duration.ofSeconds(90))
                .until(() -> rows("message", OLD) == 0
                        && rows("event", OLD) == 0
                        && rows("inbox", OLD) == 0
                        && rows("partition", OLD) == 1);
        jdbc.sql("DELETE FROM delayqueue_partition WHERE topic = ?")
                .param(name(OLD))
                .update();
    }

    private long rows(String table, String topic) {
        return jdbc.sql("SELECT COUNT(*) FROM delayqueue_" + table + " WHERE topic = ?")
                .param(name(topic))
                .query(Long.class)
                .single();
    }

    private static void awaitBlocked(OutboxOperator operator) {
        await().atMost(Duration.ofSeconds(60))
                .until(() -> operator.status().blocked() == 1
                        && operator.status().lag().isZero());
    }

    /** Rows of the tables' filling are taken. */
    private void awaitSent() {
        await().atMost(Duration.ofSeconds(60))
                .until(() -> jdbc.sql("SELECT COUNT(*) FROM delayqueue_outbox WHERE sender <> ?")
                                .param(OTHER_SENDER)
                                .query(Long.class)
                                .single()
                        == 0);
    }

    private void message(String id, String generation) {
        message(TOPIC, id, generation, "OUTBOX", null);
    }

    private void message(String topic, String id, String generation, String status, @Nullable Long finished) {
        jdbc.sql("INSERT INTO delayqueue_message (topic, id, generation, status, attempts, priority, duplicates, due,"
                        + " due_is_instant, created, updated, finished, headers, payload)"
                        + " VALUES (?, ?, ?, ?, 0, 4, 'REJECT', 4700000000000000, 0, 1, 1, ?, '{}', ?)")
                .params(name(topic), name(id), generation, status, finished, new byte[] {1})
                .update();
    }

    /** A row that is free. */
    private void row(String id, String operations, int changes) {
        jdbc.sql("INSERT INTO delayqueue_outbox (topic, id, operations, changes, sender, send_at, created, failures)"
                        + " VALUES (?, ?, ?, ?, 1, " + database.dialect().nowMicros()
                        + " - 1000000, 1700000000000000, 0)")
                .params(name(TOPIC), name(id), operations, changes)
                .update();
    }

    private Object name(String name) {
        return database.dialect().name(name);
    }
}
