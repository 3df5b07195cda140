package io.delayqueue.jdbc.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.PartitionMark;
import io.delayqueue.jdbc.support.JournalDatabase;
import io.delayqueue.jdbc.support.JournalTables;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.test.EmbeddedRedis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

class DeletedTopicTests {

    private static final int INSTANCES = 4;
    private static final int TOPICS = 20;

    /** Another instance deletes the topic while an answer of Redis is on its way to this one. */
    @EachDatabase
    void anAnswerFromBeforeTheDeletionExpectsNothing(TestDatabase database) {
        JournalDatabase journal = new JournalDatabase(
                database.withSchema().dataSource(), new JournalTables(JournalTables.DEFAULT_PREFIX));
        SeenMarks here = new SeenMarks(journal, "here");
        PartitionMark before = new PartitionMark("orders", 0, "before", 5, 3);
        assertThat(here.doubtful(List.of(before))).isEmpty();
        here.note(before);
        assertThat(here.doubtful(List.of(before))).isEmpty();

        new SeenMarks(journal, "there").topicDeleting("orders");

        assertThat(here.doubtful(List.of(before))).containsExactly(before);
        assertThat(expectedEpochs(journal)).isEmpty();
        // the topic is used anew
        PartitionMark after = new PartitionMark("orders", 0, "after", 1, 0);
        assertThat(here.doubtful(List.of(after))).isEmpty();
        assertThat(expectedEpochs(journal)).containsExactly("after");
    }

    /** The deletion ended before Redis' partitions were deleted, or the topic's next epoch was seen with an ack first. */
    @EachDatabase
    void anEpochThatRedisStillHasIsExpectedAgain(TestDatabase database) {
        try (EmbeddedRedis server = EmbeddedRedis.start();
                RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.start();
            here.schedule("a", 3, Duration.ofHours(1));
            here.awaitSent();
            String epoch = here.expectedEpoch();

            new SeenMarks(here.database, "there").topicDeleting(RestoreFixture.TOPIC);
            here.schedule("b", 3, Duration.ofHours(1));

            RestoreFixture.await()
                    .ignoreExceptions()
                    .until(() -> here.expectedEpoch().equals(epoch));
            here.endClaims();
            here.awaitSent();
            assertThat(here.scheduled()).isEqualTo(6);
            assertThat(here.losses).isEmpty();
        }
    }

    private static List<String> expectedEpochs(JournalDatabase journal) {
        return journal.jdbc()
                .sql("SELECT epoch FROM delayqueue_partition WHERE instance = ?")
                .param(journal.dialect().name(KnownPartitions.EXPECTED))
                .query(String.class)
                .list();
    }

    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.H2})
    void itsLossIsForgotten(TestDatabase database) {
        try (EmbeddedRedis server = EmbeddedRedis.start();
                RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.relay.start();
            here.schedule("a", 3, Duration.ofHours(1));
            here.awaitSent();
            here.redis().flushall();
            assertThat(here.restore.check(RestoreFixture.TOPIC)).isTrue();
            assertThat(here.restore.losses()).hasSize(1);

            here.client.forceDeleteTopic(RestoreFixture.TOPIC);
            here.jdbc.sql("DELETE FROM delayqueue_message").update();

            assertThat(here.restore.topics()).isEmpty();
            assertThat(here.restore.losses()).isEmpty();
        }
    }

    @EachDatabase
    void whatItsComparisonsKnewIsDeleted(TestDatabase database) {
        try (EmbeddedRedis server = EmbeddedRedis.start();
                RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.relay.start();
            here.schedule("a", 3, Duration.ofHours(1));
            here.awaitSent();
            here.restore.compare(RestoreFixture.TOPIC, () -> false);
            assertThat(comparisons(here)).isEqualTo(1);

            here.client.forceDeleteTopic(RestoreFixture.TOPIC);

            assertThat(comparisons(here)).isZero();
        }
    }

    private static long comparisons(RestoreFixture here) {
        return here.jdbc
                .sql("SELECT COUNT(*) FROM delayqueue_lease WHERE name LIKE 'compare:%'")
                .query(Long.class)
                .single();
    }

    @EachDatabase
    void severalInstancesMayDeleteATopicAtOnce(TestDatabase database) throws Exception {
        JournalDatabase journal = new JournalDatabase(
                database.withSchema().dataSource(), new JournalTables(JournalTables.DEFAULT_PREFIX));
        CyclicBarrier together = new CyclicBarrier(INSTANCES);
        ExecutorService threads = Executors.newFixedThreadPool(INSTANCES);
        try {
            List<Future<?>> instances = new ArrayList<>();
            for (int i = 0; i < INSTANCES; i++) {
                SeenMarks seen = new SeenMarks(journal, "instance " + i);
                instances.add(threads.submit(() -> {
                    for (int topic = 0; topic < TOPICS; topic++) {
                        together.await(1, TimeUnit.MINUTES);
                        seen.topicDeleting("topic " + topic);
                    }
                    return null;
                }));
            }
            for (Future<?> instance : instances) {
                instance.get(2, TimeUnit.MINUTES);
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(journal.jdbc()
                        .sql("SELECT COUNT(*) FROM delayqueue_partition WHERE sent > 1000000")
                        .query(Integer.class)
                        .single())
                .isEqualTo(TOPICS);
    }
}
