package io.delayqueue.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.Everyday;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** Transactions that change the same ids at the same time. */
@Everyday(DatabaseKind.MARIADB)
class ManyTransactionsOneIdTests {

    private static final int THREADS = 8;
    private static final int TRANSACTIONS = 15;

    @EachDatabase
    void changesOfAnIdAreInTheOrderOfTheirCommits(TestDatabase database) throws Exception {
        WritingFixture journal = new WritingFixture(database);
        List<String> committed = Collections.synchronizedList(new ArrayList<>());

        inParallel(() -> {
            for (int i = 0; i < TRANSACTIONS; i++) {
                OutgoingMessage message = OutgoingMessage.to("orders")
                        .id("a")
                        .payload(new byte[0])
                        .build();
                journal.transaction.executeWithoutResult(status -> {
                    journal.sender.schedule(message);
                    // the row is locked from here to the commit
                    committed.add(message.generation());
                });
            }
        });

        assertThat(journal.changes("a")).extracting(Change::token).isEqualTo(committed);
        assertThat(committed).hasSize(THREADS * TRANSACTIONS);
        assertThat(WritingFixture.number(journal.outbox("a").get("changes"))).isEqualTo(THREADS * TRANSACTIONS);
        assertThat(journal.outbox("a")).containsEntry("generation", committed.get(committed.size() - 1));
    }

    @EachDatabase
    void bulksOfTheSameIdsInAnyOrderDontDeadlock(TestDatabase database) throws Exception {
        WritingFixture journal = new WritingFixture(database);

        inParallel(() -> {
            List<String> ids = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                ids.add("id-" + i);
            }
            for (int i = 0; i < TRANSACTIONS; i++) {
                Collections.shuffle(ids);
                // without a transaction: a conflict would be repeated, but there is none
                journal.transaction.executeWithoutResult(status -> journal.sender.cancelAll("orders", ids));
            }
        });

        for (int i = 0; i < 20; i++) {
            assertThat(journal.changes("id-" + i)).hasSize(THREADS * TRANSACTIONS);
        }
    }

    /** MySQL knows no such conflict: its UPDATE sees what was committed since the snapshot. */
    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void aConflictOfTheCallersTransactionIsAFailureThatRetriesKnow(TestDatabase database) {
        WritingFixture journal = new WritingFixture(database, database.dataSourceWithConflicts(pool -> {}));
        journal.sender.cancel("orders", "a");
        TransactionTemplate snapshot = new TransactionTemplate(journal.manager);
        snapshot.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);
        TransactionTemplate other = journal.transaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW);

        assertThatExceptionOfType(ConcurrencyFailureException.class)
                .isThrownBy(() -> snapshot.executeWithoutResult(status -> {
                    journal.outbox("a"); // takes the snapshot
                    other.executeWithoutResult(inner -> journal.sender.cancel("orders", "a"));
                    journal.sender.cancel("orders", "a");
                }));

        assertThat(journal.changes("a")).hasSize(2);
    }

    @EachDatabase
    void theVictimOfADeadlockGetsAFailureThatRetriesKnowAndLeavesNothing(TestDatabase database) throws Exception {
        WritingFixture journal = new WritingFixture(database);
        CyclicBarrier bothHoldOne = new CyclicBarrier(2);
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            List<Future<Boolean>> both = List.of(
                    threads.submit(() -> commits(journal, bothHoldOne, "a", "b")),
                    threads.submit(() -> commits(journal, bothHoldOne, "b", "a")));
            int committed = 0;
            for (Future<Boolean> each : both) {
                committed += each.get(60, TimeUnit.SECONDS) ? 1 : 0;
            }
            // a database that finds the deadlock by a timeout may end both
            assertThat(committed).isLessThan(2);
            assertThat(journal.outboxIds()).hasSize(2 * committed);
            assertThat(journal.offered).hasSize(2 * committed);
        } finally {
            threads.shutdownNow();
        }

        journal.transaction.executeWithoutResult(status -> journal.sender.cancel("orders", "a"));
        assertThat(journal.outboxIds()).contains("a");
    }

    /** The caller can't repeat a transaction that it does not have. */
    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void aCallWithoutATransactionIsRepeatedAfterADeadlock(TestDatabase database) throws Exception {
        WritingFixture journal = new WritingFixture(database);
        List<String> many = IntStream.range(0, 200).mapToObj(i -> "other" + i).toList();
        journal.sender.cancelAll("orders", many);
        int calls = 0;
        boolean callWasVictim = false;
        while (!callWasVictim && calls < 10) {
            callWasVictim = deadlock(database, journal, many);
            calls++;
        }
        assertThat(callWasVictim).isTrue();
    }

    /** Another transaction changes the ids of a bulk in the other order, which is not done through the journal; whether it survived. */
    private static boolean deadlock(TestDatabase database, WritingFixture journal, List<String> many) throws Exception {
        journal.sender.cancelAll("orders", List.of("a", "b"));
        int before = journal.changes("a").size();
        ExecutorService threads = Executors.newSingleThreadExecutor();
        try {
            boolean survived = journal.transaction.execute(status -> {
                // so much that InnoDB rather rolls back the call
                journal.sender.cancelAll("orders", many);
                journal.sender.cancel("orders", "b");
                Future<?> call = threads.submit(() -> journal.sender.cancelAll("orders", List.of("a", "b")));
                await().atMost(Duration.ofSeconds(60)).until(database::isSomebodyWaiting);
                assertThat(call).isNotDone();
                try {
                    journal.sender.cancel("orders", "a");
                    return true;
                } catch (ConcurrencyFailureException e) {
                    status.setRollbackOnly();
                    return false;
                }
            });
            threads.shutdown();
            assertThat(threads.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
            assertThat(journal.changes("a")).hasSize(before + (survived ? 2 : 1));
            return survived;
        } finally {
            threads.shutdownNow();
        }
    }

    /** Whether the transaction was committed; else it failed as it should. */
    private static boolean commits(WritingFixture journal, CyclicBarrier bothHoldOne, String first, String second) {
        try {
            journal.transaction.executeWithoutResult(status -> {
                journal.sender.cancel("orders", first);
                try {
                    bothHoldOne.await(30, TimeUnit.SECONDS);
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
                journal.sender.cancel("orders", second);
            });
            return true;
        } catch (ConcurrencyFailureException e) {
            return false;
        }
    }

    private static void inParallel(Runnable work) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            CountDownLatch start = new CountDownLatch(THREADS);
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                all.add(threads.submit(() -> {
                    start.countDown();
                    start.await();
                    work.run();
                    return null;
                }));
            }
            for (Future<?> each : all) {
                each.get(60, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
    }
}
