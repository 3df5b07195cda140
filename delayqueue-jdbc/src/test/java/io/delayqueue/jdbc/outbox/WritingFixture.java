package io.delayqueue.jdbc.outbox;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.OutboxAnswer;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.jdbc.support.JournalDatabase;
import io.delayqueue.jdbc.support.JournalTables;
import io.delayqueue.jdbc.support.JournalTransaction;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** The beans that write to the journal of a test's database. Nothing is sent: the hand-over only keeps what it is offered. */
final class WritingFixture {

    static final long SENDER = 42;
    static final Duration SEND_TIMEOUT = Duration.ofSeconds(10);

    /** A message with this header is refused by the client's check. */
    static final String BAD_HEADER = "bad";

    /** Refuses payloads of more than 1 MiB; is never connected. */
    private static final DelayQueueClient CLIENT = DelayQueueClient.create(
            RedisClient.create("redis://127.0.0.1:1"),
            DelayQueueOptions.builder().messageCheck(WritingFixture::check).build());

    /** Answers that the hand-over gives at once; if null, it gives none. */
    volatile @Nullable Function<CommittedChange, Optional<OutboxAnswer>> answer = change -> Optional.empty();

    final List<CommittedChange> offered = new CopyOnWriteArrayList<>();
    final BegunTransactions begun = new BegunTransactions();
    final DataSource dataSource;
    final JdbcClient jdbc;
    final JournalSender sender;
    final JdbcTransactionManager manager;
    final TransactionTemplate transaction;
    private final JournalDatabase database;

    WritingFixture(TestDatabase test) {
        this(test, test.dataSource());
    }

    WritingFixture(TestDatabase test, DataSource dataSource) {
        this.dataSource = dataSource;
        test.withSchema();
        this.database = new JournalDatabase(dataSource, new JournalTables(JournalTables.DEFAULT_PREFIX));
        this.jdbc = database.jdbc();
        this.sender = new JournalSender(
                CLIENT,
                new WriteTransactions(
                        new CallerTransaction(dataSource, "dataSource", begun),
                        new JournalTransaction(dataSource, database.dialect())),
                new OutboxWriter(database, new WriteSettings(SENDER, SEND_TIMEOUT, "order")),
                this::offer,
                topic -> "trace-of-" + topic);
        this.manager = new JdbcTransactionManager(dataSource);
        manager.addListener(begun.listener(manager, "manager"));
        this.transaction = new TransactionTemplate(manager);
    }

    private static void check(OutgoingMessage message) {
        if (message.headers().containsKey(BAD_HEADER)) {
            throw new IllegalArgumentException("bad header");
        }
    }

    private void offer(Collection<CommittedChange> changes) {
        offered.addAll(changes);
        Function<CommittedChange, Optional<OutboxAnswer>> known = answer;
        if (known != null) {
            changes.forEach(change -> change.answer().complete(known.apply(change)));
        }
    }

    TransactionTemplate transaction(int propagation) {
        TransactionTemplate template = new TransactionTemplate(manager);
        template.setPropagationBehavior(propagation);
        return template;
    }

    TransactionTemplate nested() {
        return transaction(TransactionDefinition.PROPAGATION_NESTED);
    }

    Object name(String name) {
        return database.dialect().name(name);
    }

    /** Ids with a row in the outbox, in their order. */
    List<String> outboxIds() {
        return jdbc.sql("SELECT id FROM delayqueue_outbox ORDER BY id")
                .query((row, number) -> database.dialect().name(row, "id"))
                .list();
    }

    List<String> messageIds() {
        return jdbc.sql("SELECT id FROM delayqueue_message ORDER BY id")
                .query((row, number) -> database.dialect().name(row, "id"))
                .list();
    }

    Map<String, Object> outbox(String id) {
        return row("delayqueue_outbox", id);
    }

    Map<String, Object> message(String id) {
        return row("delayqueue_message", id);
    }

    List<Change> changes(String id) {
        return Change.decode(outbox(id).get("operations").toString());
    }

    private Map<String, Object> row(String table, String id) {
        return jdbc.sql("SELECT * FROM " + table + " WHERE topic = ? AND id = ?")
                .params(database.dialect().name("orders"), database.dialect().name(id))
                .query()
                .singleRow();
    }

    long now() {
        return jdbc.sql("SELECT " + database.dialect().nowMicros())
                .query(Long.class)
                .single();
    }

    static long number(Object value) {
        return ((Number) value).longValue();
    }
}
