package io.delayqueue.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.jdbc.database.DatabaseKind;
import io.delayqueue.jdbc.database.EachDatabase;
import io.delayqueue.jdbc.database.Everyday;
import io.delayqueue.jdbc.database.TestDatabase;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
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

    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB, DatabaseKind.MYSQL})
    void aConflictOfTheCallersTransactionIsAFailureThatRetriesKnow(TestDatabase database) {
        WritingFixture journal = new WritingFixture(database);
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
