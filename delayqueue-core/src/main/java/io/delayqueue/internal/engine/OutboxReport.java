package io.delayqueue.internal.engine;

import io.delayqueue.OutboxOperation;
import io.delayqueue.ScheduleOutcome;
import io.delayqueue.ScheduleResult;
import io.delayqueue.internal.engine.shared.SafeObserver;
import io.delayqueue.internal.store.OutboxBatchAnswer;
import io.delayqueue.internal.store.OutboxBatchAnswer.Change;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Tells observers what an outbox's calls changed, as if each were a call of the client.
 *
 * @param context of the outbox
 * @param topic of the changes
 * @param beganNanos when the call began, by {@link System#nanoTime()}
 */
record OutboxReport(OutboxContext context, String topic, long beganNanos) {

    /** Reports what this batch changed; not what earlier calls did. */
    void of(List<OutboxOperation> operations, OutboxBatchAnswer answer) {
        Duration ago = Duration.ofNanos(System.nanoTime() - beganNanos);
        int accepted = 0;
        List<ScheduleResult> rejected = new ArrayList<>(0);
        SafeObserver observer = context.client().observer();
        for (int i = 0; i < operations.size(); i++) {
            Change change = answer.changes().get(i);
            if (change.repeated()) {
                continue;
            }
            String id = operations.get(i).id();
            switch (change.result()) {
                case SCHEDULED, REPLACED -> accepted++;
                case REJECTED_DUPLICATE ->
                    rejected.add(new ScheduleResult(id, ScheduleOutcome.REJECTED_DUPLICATE, change.existing()));
                case CANCELLED -> observer.call(each -> each.cancelled(topic, id, ago));
                case RESCHEDULED -> {
                    if (operations.get(i) instanceof OutboxOperation.Reschedule reschedule) {
                        observer.call(each -> each.rescheduled(topic, id, reschedule.delay(), ago));
                    }
                }
                default -> {
                    // nothing that observers are told
                }
            }
        }
        if (accepted > 0) {
            int count = accepted;
            observer.call(each -> each.accepted(topic, count));
        }
        if (!rejected.isEmpty()) {
            context.scheduler().duplicatesRejected(topic, rejected);
        }
        if (answer.headWaitMicros() >= 0) {
            context.earlierHead().accept(topic, answer.headWaitMicros());
        }
    }
}
