package io.delayqueue.spring.actuate;

import io.delayqueue.Delay;
import io.delayqueue.spring.operator.BulkOperations;
import io.delayqueue.spring.operator.BulkRequest;
import io.delayqueue.spring.operator.Caller;
import io.delayqueue.spring.operator.DelayQueueOperator;
import io.delayqueue.spring.operator.Operation;
import io.delayqueue.spring.operator.OperationResult;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;

/**
 * Parameters of a request for an operation. One that has no meaning for its action is refused, or something would be done that the
 * caller did not mean.
 *
 * @param action the action
 * @param topic its topic
 * @param id a message
 * @param ids some messages
 * @param due new due time of a message
 * @param delay new delay of a message
 * @param bulk parameters of bulk operations
 */
record WriteRequest(
        DelayQueueAction action,
        @Nullable String topic,
        @Nullable String id,
        @Nullable IdList ids,
        @Nullable Instant due,
        @Nullable Duration delay,
        Bulk bulk) {

    /**
     * Parameters of bulk operations.
     *
     * @param operation the action to plan
     * @param until latest time of dead-lettering, or due time
     * @param errorGroup id of an error group
     * @param token token of a plan or job
     * @param rate messages to change in a second
     */
    record Bulk(
            @Nullable DelayQueueAction operation,
            @Nullable Instant until,
            @Nullable String errorGroup,
            @Nullable String token,
            @Nullable Integer rate) {}

    DelayQueueDescriptor run(DelayQueueOperator operator, Caller caller) {
        try {
            return switch (action) {
                case PLAN -> plan(operator.bulk(), caller);
                case START -> {
                    refuseAllBut("token", "rate");
                    yield BulkActions.job(operator.bulk().start(caller, required("token", bulk.token), bulk.rate));
                }
                case STOP -> {
                    refuseAllBut("token");
                    yield BulkActions.job(operator.bulk().stop(caller, required("token", bulk.token)));
                }
                default -> single(operator, caller, required("topic", topic));
            };
        } catch (IllegalArgumentException e) {
            throw invalid(String.valueOf(e.getMessage()));
        }
    }

    OperationDescriptor refused(String outcome) {
        return new OperationDescriptor(action.text(), topic, outcome, 0);
    }

    private PlanDescriptor plan(BulkOperations operations, Caller caller) {
        refuseAllBut("topic", "operation", "until", "errorGroup");
        String planned = required("operation", bulk.operation).name();
        Operation operation = Arrays.stream(Operation.values())
                .filter(each -> each.name().equals(planned))
                .findFirst()
                .orElseThrow(() -> invalid(
                        "parameter 'operation' must be 'redrive', 'purge-dead-letters' or" + " 'purge-pending'"));
        return BulkActions.plan(
                operations, caller, new BulkRequest(operation, required("topic", topic), bulk.until, bulk.errorGroup));
    }

    private OperationDescriptor single(DelayQueueOperator operator, Caller caller, String of) {
        switch (action) {
            case PAUSE, RESUME -> refuseAllBut("topic");
            case CANCEL, RUN_NOW -> refuseAllBut("topic", "id");
            case RESCHEDULE -> refuseAllBut("topic", "id", "due", "delay");
            default -> refuseAllBut("topic", id == null ? "ids" : "id");
        }
        OperationResult result = switch (action) {
            case PAUSE -> operator.pause(caller, of);
            case RESUME -> operator.resume(caller, of);
            case CANCEL -> operator.cancel(caller, of, required("id", id));
            case RESCHEDULE -> operator.reschedule(caller, of, required("id", id), newDelay());
            case RUN_NOW -> operator.runNow(caller, of, required("id", id));
            case REDRIVE -> operator.redrive(caller, of, someIds());
            case PURGE_DEAD_LETTERS -> operator.purgeDeadLetters(caller, of, someIds());
            case PURGE_PENDING -> operator.purgePending(caller, of, someIds());
            case PLAN, START, STOP -> throw new IllegalStateException("a bulk operation: " + action);
        };
        return new OperationDescriptor(
                action.text(), of, result.outcome().name().toLowerCase(Locale.ROOT), result.count());
    }

    private List<String> someIds() {
        return id != null ? List.of(id) : required("ids", ids).ids();
    }

    private Delay newDelay() {
        if ((due == null) == (delay == null)) {
            throw invalid("action 'reschedule' needs the parameter 'due' or 'delay'");
        }
        return due == null ? Delay.of(Objects.requireNonNull(delay)) : Delay.until(due);
    }

    private void refuseAllBut(String... names) {
        Map<String, @Nullable Object> given = new LinkedHashMap<>();
        given.put("topic", topic);
        given.put("id", id);
        given.put("ids", ids);
        given.put("due", due);
        given.put("delay", delay);
        given.put("operation", bulk.operation);
        given.put("until", bulk.until);
        given.put("errorGroup", bulk.errorGroup);
        given.put("token", bulk.token);
        given.put("rate", bulk.rate);
        given.values().removeIf(Objects::isNull);
        given.keySet().removeAll(Set.of(names));
        for (String name : given.keySet()) {
            throw invalid("parameter '" + name + "' has no meaning for the action '" + action.text() + "'");
        }
    }

    private <T> T required(String name, @Nullable T value) {
        if (value == null) {
            throw invalid("action '" + action.text() + "' needs the parameter '" + name + "'");
        }
        return value;
    }

    private static InvalidEndpointRequestException invalid(String reason) {
        return new InvalidEndpointRequestException(reason, reason);
    }
}
