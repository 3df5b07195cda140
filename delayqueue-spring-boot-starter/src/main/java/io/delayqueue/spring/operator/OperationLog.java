package io.delayqueue.spring.operator;

import io.delayqueue.spring.operator.OperatorEvent.Outcome;
import io.delayqueue.spring.operator.OperatorEvent.Step;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reports each operation once, to the log and the listeners. Checks rights, since denied operations are reported, too. Thread-safe. */
final class OperationLog {

    private static final Logger LOG = LoggerFactory.getLogger(DelayQueueOperator.class);

    private final List<OperatorListener> listeners;

    OperationLog(List<OperatorListener> listeners) {
        this.listeners = List.copyOf(listeners);
    }

    /** @throws MissingRightException if the caller lacks the right */
    void require(Caller caller, Operation operation, String topic, Collection<String> ids) {
        if (!caller.has(operation.right())) {
            MissingRightException missing = new MissingRightException(
                    caller, operation.right(), operation.words() + " in topic '" + LogText.of(topic) + "'");
            tell(new OperatorEvent(
                    caller.name(),
                    operation,
                    Step.WHOLE,
                    topic,
                    first(ids),
                    Outcome.DENIED,
                    0,
                    "lacks the right " + operation.right()));
            throw missing;
        }
    }

    /** Carries out an operation, if the caller has the right, and tells its end. An argument that can't be one is no operation. */
    OperationResult run(
            Caller caller, Operation operation, String topic, Collection<String> ids, Supplier<OperationResult> call) {
        require(caller, operation, topic, ids);
        OperationResult result;
        try {
            result = call.get();
        } catch (IllegalArgumentException e) {
            // nothing was sent
            throw e;
        } catch (RuntimeException e) {
            failed(caller, operation, topic, ids, e);
            throw e;
        }
        done(caller, operation, topic, ids, result);
        return result;
    }

    private void done(
            Caller caller, Operation operation, String topic, Collection<String> ids, OperationResult result) {
        Outcome outcome = switch (result.outcome()) {
            case DONE -> Outcome.DONE;
            case RECORDED -> Outcome.RECORDED;
            case IN_FLIGHT -> Outcome.IN_FLIGHT;
            case NOT_FOUND -> Outcome.NOT_FOUND;
        };
        tell(new OperatorEvent(caller.name(), operation, Step.WHOLE, topic, first(ids), outcome, result.count(), null));
    }

    private void failed(
            Caller caller, Operation operation, String topic, Collection<String> ids, RuntimeException error) {
        tell(new OperatorEvent(
                caller.name(), operation, Step.WHOLE, topic, first(ids), Outcome.FAILED, 0, String.valueOf(error)));
    }

    void tell(OperatorEvent event) {
        log(event);
        for (OperatorListener listener : listeners) {
            try {
                listener.onOperation(event);
            } catch (RuntimeException e) {
                LOG.warn("OperatorListener {} failed", listener.getClass().getName(), e);
            }
        }
    }

    private static void log(OperatorEvent event) {
        String ids = event.ids().isEmpty()
                ? ""
                : event.ids().stream().map(LogText::of).collect(Collectors.joining("', '", ", ids '", "'"));
        String step = switch (event.step()) {
            case WHOLE -> "";
            case BULK_BEGIN -> " (bulk, begin)";
            case BULK_END -> " (bulk, end)";
        };
        String line = "Operator '" + LogText.of(event.caller()) + "': "
                + event.operation().words() + step + ", topic '" + LogText.of(event.topic()) + "'" + ids + ": "
                + event.outcome() + ", " + event.count() + " messages" + because(event.error());
        if (event.outcome() == Outcome.DENIED || event.outcome() == Outcome.FAILED) {
            LOG.warn("{}", line);
        } else {
            LOG.info("{}", line);
        }
    }

    private static String because(@Nullable String error) {
        return error == null ? "" : ": " + LogText.ofError(error);
    }

    private static List<String> first(Collection<String> ids) {
        return ids.stream().limit(OperatorEvent.MAX_IDS).toList();
    }
}
