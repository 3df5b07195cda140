package io.delayqueue.spring.actuate;

import io.delayqueue.spring.operator.BulkJob;
import io.delayqueue.spring.operator.BulkOperations;
import io.delayqueue.spring.operator.BulkPlan;
import io.delayqueue.spring.operator.BulkRequest;
import io.delayqueue.spring.operator.Caller;
import io.delayqueue.spring.operator.Operation;
import java.util.Locale;

/** Bulk operations in descriptors. */
final class BulkActions {

    private BulkActions() {}

    static PlanDescriptor plan(BulkOperations bulk, Caller caller, BulkRequest request) {
        BulkPlan plan = bulk.plan(caller, request);
        BulkRequest planned = plan.request();
        return new PlanDescriptor(
                plan.token(),
                text(planned.operation()),
                planned.topic(),
                planned.until(),
                planned.errorGroup(),
                plan.count(),
                plan.matching(),
                plan.expires());
    }

    static JobDescriptor job(BulkJob job) {
        return new JobDescriptor(
                job.token(),
                text(job.request().operation()),
                job.request().topic(),
                job.state().name().toLowerCase(Locale.ROOT),
                job.startedBy(),
                job.planned(),
                job.changed(),
                job.perSecond(),
                job.started(),
                job.ended(),
                job.error());
    }

    /** As the action of the same name is written. */
    private static String text(Operation operation) {
        return DelayQueueAction.valueOf(operation.name()).text();
    }
}
