package io.delayqueue.gateway.sqs.dead;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.TopicStats;
import io.delayqueue.gateway.security.Right;
import io.delayqueue.gateway.sqs.protocol.Parameters;
import io.delayqueue.gateway.sqs.protocol.SqsError;
import io.delayqueue.gateway.sqs.protocol.SqsException;
import io.delayqueue.gateway.sqs.queue.Queue;
import io.delayqueue.gateway.sqs.queue.QueueCall;
import io.delayqueue.gateway.sqs.queue.Queues;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Starts, lists and cancels moves of dead letters to their queues. They wait for Redis. Safe for use by several threads. */
public final class MoveActions {

    private static final int MAX_RATE = 500;
    private static final int MAX_LISTED = 10;

    private final DelayQueueClient client;
    private final Queues queues;
    private final MoveTaskStore store;
    private final Moves moves;
    private final UnaryOperator<String> arn;
    private final Map<String, Function<QueueCall, ObjectNode>> actions = Map.of(
            "StartMessageMoveTask", this::start,
            "ListMessageMoveTasks", this::list,
            "CancelMessageMoveTask", this::cancel);

    /**
     * Actions.
     *
     * @param arn ARN of a queue of this name
     */
    public MoveActions(
            DelayQueueClient client, Queues queues, MoveTaskStore store, Moves moves, UnaryOperator<String> arn) {
        this.client = client;
        this.queues = queues;
        this.store = store;
        this.moves = moves;
        this.arn = arn;
    }

    /** The action of this name, or null. */
    public @Nullable Function<QueueCall, ObjectNode> find(String name) {
        return actions.get(name);
    }

    private ObjectNode start(QueueCall call) {
        Queue queue = source(call, call.parameters().required("SourceArn"));
        String source = queues.names().source(queue.name());
        String destination = call.parameters().text("DestinationArn");
        if (destination != null && !name(destination).equals(source)) {
            throw new SqsException(
                    SqsError.UNSUPPORTED_OPERATION,
                    "Messages of " + queue.name() + " can be moved to their own queue " + source + " only.");
        }
        Long rate = call.parameters().number("MaxNumberOfMessagesPerSecond", 1, MAX_RATE);
        TopicStats stats = client.stats(queue.topic());
        MoveTask task = new MoveTask(
                UUID.randomUUID().toString(),
                MoveTask.RUNNING,
                rate == null ? 0 : rate.intValue(),
                stats.dead(),
                0,
                stats.time().toEpochMilli(),
                null);
        if (!moves.begin(queue.name(), task)) {
            throw new SqsException(
                    SqsError.UNSUPPORTED_OPERATION,
                    "There is already a task running. Only one active task is allowed for a source queue arn at a given time.");
        }
        return JsonNodeFactory.instance.objectNode().put("TaskHandle", handle(queue, task));
    }

    private ObjectNode list(QueueCall call) {
        Parameters parameters = call.parameters();
        Queue queue = source(call, parameters.required("SourceArn"));
        Long max = parameters.number("MaxResults", 1, MAX_LISTED);
        ObjectNode result = JsonNodeFactory.instance.objectNode();
        ArrayNode results = result.putArray("Results");
        store.list(queue.name()).stream().limit(max == null ? 1 : max).forEach(task -> results.add(view(queue, task)));
        return result;
    }

    private ObjectNode view(Queue queue, MoveTask task) {
        ObjectNode view = JsonNodeFactory.instance.objectNode();
        if (task.isRunning()) {
            view.put("TaskHandle", handle(queue, task));
        }
        boolean cancelling = task.isRunning() && store.isCancelled(task);
        view.put("Status", cancelling ? "CANCELLING" : task.status());
        view.put("SourceArn", arn.apply(queue.name()));
        if (task.rate() > 0) {
            view.put("MaxNumberOfMessagesPerSecond", task.rate());
        }
        view.put("ApproximateNumberOfMessagesMoved", task.moved());
        view.put("ApproximateNumberOfMessagesToMove", task.toMove());
        if (task.failure() != null) {
            view.put("FailureReason", task.failure());
        }
        return view.put("StartedTimestamp", task.started());
    }

    private ObjectNode cancel(QueueCall call) {
        List<String> parts = parts(call.parameters().required("TaskHandle"));
        Queue queue = source(call, parts.get(1));
        MoveTask task = store.list(queue.name()).stream()
                .filter(kept -> kept.isRunning() && kept.id().equals(parts.get(0)))
                .findFirst()
                .orElseThrow(MoveActions::noTask);
        store.cancel(task);
        return JsonNodeFactory.instance.objectNode().put("ApproximateNumberOfMessagesMoved", task.moved());
    }

    private Queue source(QueueCall call, String sourceArn) {
        Queue queue;
        try {
            queue = queues.get(name(sourceArn));
        } catch (SqsException e) {
            if (e.error() != SqsError.QUEUE_DOES_NOT_EXIST) {
                throw e;
            }
            throw new SqsException(
                    SqsError.RESOURCE_NOT_FOUND,
                    "The resource that you specified for the SourceArn parameter doesn't exist.");
        }
        call.caller().require(Right.OPERATE, queue.topic());
        if (!queue.dead()) {
            throw new SqsException(
                    SqsError.INVALID_PARAMETER_VALUE, "Source queue must be configured as a Dead Letter Queue.");
        }
        return queue;
    }

    private static String name(String queueArn) {
        return queueArn.substring(queueArn.lastIndexOf(':') + 1);
    }

    private String handle(Queue queue, MoveTask task) {
        String text = task.id() + " " + arn.apply(queue.name());
        return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private static List<String> parts(String handle) {
        try {
            String text = new String(Base64.getUrlDecoder().decode(handle), StandardCharsets.UTF_8);
            List<String> parts = List.of(text.split(" ", -1));
            if (parts.size() == 2) {
                return parts;
            }
        } catch (IllegalArgumentException e) {
            // no handle
        }
        throw noTask();
    }

    private static SqsException noTask() {
        return new SqsException(SqsError.RESOURCE_NOT_FOUND, "The task does not exist, or is not running.");
    }
}
