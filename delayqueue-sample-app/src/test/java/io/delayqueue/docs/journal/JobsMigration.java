package io.delayqueue.docs.journal;

import io.delayqueue.DuplicatePolicy;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.spring.DelayQueueOperations;
import java.time.OffsetDateTime;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

// tag::moving[]
@Component
class JobsMigration {

    private final JdbcClient jdbc;
    private final DelayQueueOperations delayQueue;

    JobsMigration(JdbcClient jdbc, DelayQueueOperations delayQueue) {
        this.jdbc = jdbc;
        this.delayQueue = delayQueue;
    }

    /** Moves up to 500 jobs. None is left if it answers 0. */
    @Transactional
    public int moveBatch() {
        List<Job> jobs = jdbc.sql("SELECT id, invoice, due FROM jobs WHERE NOT done AND NOT moved ORDER BY id"
                        + " FETCH FIRST 500 ROWS ONLY FOR UPDATE")
                .query(Job.class)
                .list();
        if (jobs.isEmpty()) {
            return 0;
        }
        delayQueue.scheduleAll(jobs.stream().map(this::message).toList());
        jdbc.sql("UPDATE jobs SET moved = TRUE WHERE id IN (:ids)")
                .param("ids", jobs.stream().map(Job::id).toList())
                .update();
        return jobs.size();
    }

    private OutgoingMessage message(Job job) {
        return delayQueue
                .message("invoice-reminder", job.invoice())
                .id(String.valueOf(job.id()))
                .dueAt(job.due().toInstant())
                .ifExists(DuplicatePolicy.KEEP)
                .build();
    }

    private record Job(long id, String invoice, OffsetDateTime due) {}
}
// end::moving[]
