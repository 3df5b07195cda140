package io.delayqueue.dashboard.http;

import io.delayqueue.Delay;
import io.delayqueue.spring.operator.Caller;
import io.delayqueue.spring.operator.DelayQueueOperator;
import io.delayqueue.spring.operator.Operation;
import io.delayqueue.spring.operator.OperationResult;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An operation that the page asks for. */
record OperationRequest(
        @Nullable Operation operation,
        @Nullable String topic,
        @Nullable String id,
        @Nullable List<String> ids,
        @Nullable Instant due,
        @Nullable Long delayMillis) {

    OperationResult run(DelayQueueOperator operator, Caller caller) {
        String on = required("topic", topic);
        return switch (required("operation", operation)) {
            case PAUSE -> operator.pause(caller, on);
            case RESUME -> operator.resume(caller, on);
            case CANCEL -> operator.cancel(caller, on, required("id", id));
            case RESCHEDULE -> operator.reschedule(caller, on, required("id", id), delay());
            case RUN_NOW -> operator.runNow(caller, on, required("id", id));
            case REDRIVE -> operator.redrive(caller, on, messages());
            case PURGE_DEAD_LETTERS -> operator.purgeDeadLetters(caller, on, messages());
            case PURGE_PENDING -> operator.purgePending(caller, on, messages());
        };
    }

    private Delay delay() {
        if ((due == null) == (delayMillis == null)) {
            throw ProblemException.invalid("either due or delayMillis is needed");
        }
        if (due != null) {
            return Delay.until(due);
        }
        long millis = required("delayMillis", delayMillis);
        if (millis < 0) {
            throw ProblemException.invalid("delayMillis must not be negative, as is " + millis);
        }
        return Delay.of(Duration.ofMillis(millis));
    }

    private List<String> messages() {
        if ((id == null) == (ids == null)) {
            throw ProblemException.invalid("either id or ids is needed");
        }
        return id != null ? List.of(id) : required("ids", ids);
    }

    static <T> T required(String name, @Nullable T value) {
        if (value == null) {
            throw ProblemException.invalid(name + " is needed");
        }
        return value;
    }
}
