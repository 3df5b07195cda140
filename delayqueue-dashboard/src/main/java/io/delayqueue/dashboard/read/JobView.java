package io.delayqueue.dashboard.read;

import io.delayqueue.spring.operator.BulkJob;
import io.delayqueue.spring.operator.Operation;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A bulk operation that was started. */
public record JobView(
        String token,
        Operation operation,
        String topic,
        @Nullable Instant until,
        @Nullable String errorGroup,
        BulkJob.State state,
        String startedBy,
        long planned,
        long changed,
        double perSecond,
        Instant started,
        @Nullable Instant ended,
        @Nullable String error) {

    /** A job as the page shows it. */
    public static JobView of(BulkJob job) {
        return new JobView(
                job.token(),
                job.request().operation(),
                job.request().topic(),
                job.request().until(),
                job.request().errorGroup(),
                job.state(),
                job.startedBy(),
                job.planned(),
                job.changed(),
                Math.round(job.perSecond() * 10) / 10.0,
                job.started(),
                job.ended(),
                job.error());
    }

    /** Jobs as the page shows them. */
    public static List<JobView> latestFirst(List<BulkJob> jobs) {
        List<JobView> views = new ArrayList<>(jobs.stream().map(JobView::of).toList());
        Collections.reverse(views);
        return List.copyOf(views);
    }
}
