package io.delayqueue.jdbc.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.database.EachDatabase;
import io.delayqueue.jdbc.database.TestDatabase;
import io.delayqueue.jdbc.support.JournalDatabase;
import io.delayqueue.jdbc.support.JournalTables;
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
