package io.delayqueue.jdbc.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.PartitionMark;
import io.delayqueue.jdbc.support.JournalDatabase;
import io.delayqueue.jdbc.support.JournalTables;
import io.delayqueue.jdbc.testsupport.database.CountingDataSource;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Marks are written when they changed, and trusted to be there only while they can be. */
class SeenMarksTests {

    private static final int PARTITIONS = 16;

    /** More than a statement asks for. */
    private static final List<String> TOPICS =
            IntStream.range(0, 120).mapToObj(i -> "topic-" + i).toList();

    private final AtomicLong nanos = new AtomicLong(System.nanoTime());

    /** Marks of an instance that knows the epochs. */
    private SeenMarks marks(JournalDatabase database, List<String> topics) {
        SeenMarks seen = new SeenMarks(database, "here", nanos::get);
        List<PartitionMark> all = topics.stream()
                .flatMap(topic -> IntStream.range(0, PARTITIONS).mapToObj(part -> mark(topic, part, 1)))
                .toList();
        all.forEach(seen::note);
        assertThat(seen.doubtful(all)).isEmpty();
        return seen;
    }

    private static PartitionMark mark(String topic, int partition, long ended) {
        return new PartitionMark(topic, partition, "epoch", 5, ended);
    }

    private static JournalDatabase journal(TestDatabase database) {
        return new JournalDatabase(database.withSchema().dataSource(), new JournalTables(JournalTables.DEFAULT_PREFIX));
    }

    private static TransactionTemplate transaction(JournalDatabase database) {
        return new TransactionTemplate(new JdbcTransactionManager(database.dataSource()));
    }

    @EachDatabase
    void aBatchWritesTheMarksThatChanged(TestDatabase test) {
        JournalDatabase database = journal(test);
        SeenMarks seen = marks(database, TOPICS);
        TransactionTemplate transaction = transaction(database);
        transaction.executeWithoutResult(status -> seen.writeEnded(TOPICS));
        assertThat(ends(database.jdbc(), "ended = 1")).isEqualTo(TOPICS.size() * PARTITIONS);

        database.jdbc().sql("UPDATE delayqueue_partition SET updated = 0").update();
        TOPICS.forEach(topic -> seen.note(mark(topic, 3, 2)));
        transaction.executeWithoutResult(status -> seen.writeEnded(TOPICS));

        assertThat(ends(database.jdbc(), "ended = 2 AND updated > 0")).isEqualTo(TOPICS.size());
        assertThat(ends(database.jdbc(), "ended = 1 AND updated = 0")).isEqualTo(TOPICS.size() * (PARTITIONS - 1));
    }

    @EachDatabase(DatabaseKind.H2)
    void aMarkWhoseTransactionIsRolledBackIsWrittenAgain(TestDatabase test) {
        JournalDatabase database = journal(test);
        SeenMarks seen = marks(database, List.of("a"));
        TransactionTemplate transaction = transaction(database);
        transaction.executeWithoutResult(status -> {
            seen.writeEnded(List.of("a"));
            status.setRollbackOnly();
        });
        assertThat(ends(database.jdbc(), "ended = 1")).isZero();

        transaction.executeWithoutResult(status -> seen.writeEnded(List.of("a")));

        assertThat(ends(database.jdbc(), "ended = 1")).isEqualTo(PARTITIONS);
    }

    /** Rows of an instance that was idle for a day are deleted, if others have the same marks. */
    @EachDatabase(DatabaseKind.H2)
    void aRowThatMayBeDeletedIsWrittenAgain(TestDatabase test) {
        JournalDatabase database = journal(test);
        SeenMarks seen = marks(database, List.of("a"));
        TransactionTemplate transaction = transaction(database);
        transaction.executeWithoutResult(status -> seen.writeEnded(List.of("a")));
        database.jdbc()
                .sql("DELETE FROM delayqueue_partition WHERE instance LIKE '%/ends'")
                .update();

        nanos.addAndGet(Duration.ofHours(2).toNanos());
        transaction.executeWithoutResult(status -> seen.writeEnded(List.of("a")));

        assertThat(ends(database.jdbc(), "ended = 1")).isEqualTo(PARTITIONS);
    }

    /** A transaction that expects another epoch sees only committed rows: until then the epoch itself is locked. */
    @EachDatabase
    void theEpochIsLockedUntilARowIsKnownToBeThere(TestDatabase test) throws Exception {
        JournalDatabase database = journal(test);
        SeenMarks seen = marks(database, List.of("a"));
        TransactionTemplate transaction = transaction(database);
        Set<PartitionMark> sent = Set.of(mark("a", 0, 1));
        transaction.executeWithoutResult(status -> {
            seen.writeSent(sent);
            status.setRollbackOnly();
        });

        assertThat(isEpochFreeDuring(database, transaction, () -> seen.writeSent(sent)))
                .as("after a roll-back")
                .isFalse();
        assertThat(isEpochFreeDuring(database, transaction, () -> seen.writeSent(sent)))
                .as("with a row")
                .isTrue();
        // as an instance that found the row to be idle for a day
        database.jdbc()
                .sql("DELETE FROM delayqueue_partition WHERE instance = ?")
                .param(database.dialect().name("here"))
                .update();
        nanos.addAndGet(Duration.ofHours(2).toNanos());
        assertThat(isEpochFreeDuring(database, transaction, () -> seen.writeSent(sent)))
                .as("with a row that may be deleted, and was")
                .isFalse();
        assertThat(isEpochFreeDuring(database, transaction, () -> seen.writeSent(sent)))
                .as("with a row again")
                .isTrue();
    }

    @EachDatabase
    void theEpochIsLockedUntilARowOfEndsIsKnownToBeThere(TestDatabase test) {
        JournalDatabase database = journal(test);
        SeenMarks seen = marks(database, List.of("a"));
        TransactionTemplate transaction = transaction(database);
        assertThat(isEpochFreeDuring(database, transaction, () -> seen.writeEnded(List.of("a"))))
                .as("for the first row")
                .isFalse();
        assertThat(ends(database.jdbc(), "ended = 1")).isEqualTo(PARTITIONS);

        seen.note(mark("a", 0, 2));
        assertThat(isEpochFreeDuring(database, transaction, () -> seen.writeEnded(List.of("a"))))
                .as("with a row")
                .isTrue();
        assertThat(ends(database.jdbc(), "ended = 2")).isEqualTo(1);
    }

    @EachDatabase(DatabaseKind.H2)
    void topicsThatOthersDeletedAreForgotten(TestDatabase test) {
        JournalDatabase database = journal(test);
        SeenMarks seen = marks(database, TOPICS);
        TransactionTemplate transaction = transaction(database);
        transaction.executeWithoutResult(status -> {
            seen.writeEnded(TOPICS);
            seen.writeSent(TOPICS.stream().map(topic -> mark(topic, 0, 1)).toList());
        });
        assertThat(seen.size()).isEqualTo(TOPICS.size() * (PARTITIONS + PARTITIONS + 1));

        seen.retain(Set.of("topic-7"));
        nanos.addAndGet(Duration.ofMinutes(30).toNanos());
        // it is in use again
        seen.retain(Set.of("topic-7", "topic-8"));
        assertThat(seen.of("topic-6", 0, "epoch")).isNotNull();
        nanos.addAndGet(Duration.ofMinutes(31).toNanos());
        seen.retain(Set.of("topic-7"));

        assertThat(seen.size()).isEqualTo(2 * (PARTITIONS + PARTITIONS + 1));
        assertThat(seen.of("topic-6", 0, "epoch")).isNull();
        assertThat(seen.of("topic-7", 0, "epoch")).isNotNull();
        assertThat(seen.of("topic-8", 0, "epoch")).isNotNull();
    }

    /** Its rows of the former epoch are what the decision on a loss goes by, and may be deleted with the topic. */
    @EachDatabase(DatabaseKind.H2)
    void theEpochIsLockedForTheFirstRowOfAnotherEpoch(TestDatabase test) {
        JournalDatabase database = journal(test);
        SeenMarks seen = marks(database, List.of("a"));
        TransactionTemplate transaction = transaction(database);
        transaction.executeWithoutResult(status -> seen.writeSent(Set.of(mark("a", 0, 1))));
        database.jdbc()
                .sql("UPDATE delayqueue_partition SET epoch = 'next' WHERE instance = ?")
                .param(KnownPartitions.EXPECTED)
                .update();
        Set<PartitionMark> sent = Set.of(new PartitionMark("a", 0, "next", 6, 1));

        assertThat(isEpochFreeDuring(database, transaction, () -> seen.writeSent(sent)))
                .isFalse();
        assertThat(isEpochFreeDuring(database, transaction, () -> seen.writeSent(sent)))
                .isTrue();
    }

    /** One that asks for the epochs, one for a bulk of rows on PostgreSQL, and some on MariaDB. */
    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB, DatabaseKind.MYSQL})
    void aBatchOfManyTopicsTakesFewStatements(TestDatabase test) {
        CountingDataSource counting = new CountingDataSource(test.withSchema().dataSource());
        JournalDatabase database = new JournalDatabase(counting, new JournalTables(JournalTables.DEFAULT_PREFIX));
        List<String> topics = TOPICS.subList(0, 90);
        SeenMarks seen = marks(database, topics);
        TransactionTemplate transaction = transaction(database);
        counting.reset();
        transaction.executeWithoutResult(status -> seen.writeEnded(topics));
        int rows = topics.size() * PARTITIONS;
        // the epochs of first rows are locked topic by topic
        assertThat(counting.executions()).isBetween(2, 2 + topics.size() + rows / 100);

        counting.reset();
        transaction.executeWithoutResult(status -> seen.writeEnded(topics));
        assertThat(counting.executions()).as("none has changed").isZero();

        topics.forEach(topic -> seen.note(mark(topic, 3, 2)));
        counting.reset();
        transaction.executeWithoutResult(status -> seen.writeEnded(topics));
        assertThat(counting.executions()).as("one has changed of each topic").isEqualTo(2);

        Set<PartitionMark> sent =
                topics.stream().map(topic -> mark(topic, 3, 2)).collect(Collectors.toSet());
        transaction.executeWithoutResult(status -> seen.writeSent(sent));
        counting.reset();
        transaction.executeWithoutResult(status -> {
            assertThat(seen.doubtful(sent)).isEmpty();
            seen.writeSent(sent);
        });
        assertThat(counting.executions())
                .as("rows, and the epochs before and after")
                .isEqualTo(3);
    }

    private static boolean isEpochFreeDuring(JournalDatabase database, TransactionTemplate transaction, Runnable work) {
        return Boolean.TRUE.equals(transaction.execute(status -> {
            work.run();
            return CompletableFuture.supplyAsync(() -> !transaction
                            .execute(other -> database.jdbc()
                                    .sql("SELECT epoch FROM delayqueue_partition WHERE topic = ? AND part = 0"
                                            + " AND instance = ? FOR UPDATE SKIP LOCKED")
                                    .params(
                                            database.dialect().name("a"),
                                            database.dialect().name(KnownPartitions.EXPECTED))
                                    .query(String.class)
                                    .list())
                            .isEmpty())
                    .orTimeout(30, TimeUnit.SECONDS)
                    .join();
        }));
    }

    private static long ends(JdbcClient jdbc, String condition) {
        return jdbc.sql("SELECT COUNT(*) FROM delayqueue_partition WHERE instance LIKE '%/ends' AND " + condition)
                .query(Long.class)
                .single();
    }
}
