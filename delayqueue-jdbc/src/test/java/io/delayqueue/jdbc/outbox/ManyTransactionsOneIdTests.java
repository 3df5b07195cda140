package io.delayqueue.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.jdbc.database.DatabaseKind;
import io.delayqueue.jdbc.database.EachDatabase;
import io.delayqueue.jdbc.database.TestDatabase;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** Transactions that change the same ids at the same time. */
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
