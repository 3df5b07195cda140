package io.delayqueue.jdbc.support;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.Everyday;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

@Everyday(DatabaseKind.H2)
class JournalLeaseTests {

    private static final Duration LONG = Duration.ofMinutes(1);

    @EachDatabase
    void oneOwnerAtATime(TestDatabase database) {
        JournalDatabase journal = journal(database);
        JournalLease one = lease(journal, "work");
        JournalLease other = lease(journal, "work");

        assertThat(one.tryHold(LONG)).isTrue();
        assertThat(other.tryHold(LONG)).isFalse();
        assertThat(lease(journal, "other work").tryHold(LONG)).isTrue();
        assertThat(one.tryHold(LONG)).isTrue();

        other.release();
        assertThat(other.tryHold(LONG)).isFalse();
        one.release();
        assertThat(other.tryHold(LONG)).isTrue();
        assertThat(one.tryHold(LONG)).isFalse();
    }

    @EachDatabase
    void theLeaseOfAnOwnerThatDiedEnds(TestDatabase database) {
        JournalDatabase journal = journal(database);
        lease(journal, "work").tryHold(LONG);
        JournalLease next = lease(journal, "work");

        assertThat(next.tryHold(LONG)).isFalse();
        journal.jdbc()
                .sql("UPDATE delayqueue_lease SET expires = "
                        + journal.dialect().nowMicros() + " - 1")
                .update();
        assertThat(next.tryHold(LONG)).isTrue();
    }

    /** Its owner died, and then the database's clock was corrected by two hours. */
    @EachDatabase
    void aLeaseThatEndsLaterThanAnyIsFree(TestDatabase database) {
        JournalDatabase journal = journal(database);
        lease(journal, "work").tryHold(Duration.ofHours(2));

        assertThat(lease(journal, "work").tryHold(LONG)).isTrue();
        assertThat(lease(journal, "work").tryHold(LONG)).isFalse();
    }

    @EachDatabase
    void eightInstancesThatStartTogetherAgree(TestDatabase database) throws Exception {
        JournalDatabase journal = journal(database);
        CyclicBarrier together = new CyclicBarrier(8);

        List<CompletableFuture<Boolean>> all = IntStream.range(0, 8)
                .mapToObj(i -> CompletableFuture.supplyAsync(
                        () -> {
                            JournalLease lease = lease(journal, "work");
                            try {
                                together.await(30, TimeUnit.SECONDS);
                            } catch (Exception e) {
                                throw new IllegalStateException(e);
                            }
                            return lease.tryHold(LONG);
                        },
                        task -> new Thread(task).start()))
                .toList();
        int owners = 0;
        for (CompletableFuture<Boolean> one : all) {
            owners += one.get(30, TimeUnit.SECONDS) ? 1 : 0;
        }
        assertThat(owners).isOne();
    }

    private static JournalDatabase journal(TestDatabase database) {
        return new JournalDatabase(database.withSchema().dataSource(), new JournalTables(JournalTables.DEFAULT_PREFIX));
    }

    private static JournalLease lease(JournalDatabase journal, String name) {
        return new JournalLease(journal, new JournalTransaction(journal.dataSource(), journal.dialect()), name);
    }
}
