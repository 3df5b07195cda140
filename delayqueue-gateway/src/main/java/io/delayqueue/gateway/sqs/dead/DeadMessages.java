package io.delayqueue.gateway.sqs.dead;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.gateway.security.Right;
import io.delayqueue.gateway.sqs.action.Batch;
import io.delayqueue.gateway.sqs.action.ChangeMessageVisibility;
import io.delayqueue.gateway.sqs.action.SqsAction;
import io.delayqueue.gateway.sqs.action.SqsCall;
import io.delayqueue.gateway.sqs.protocol.SqsError;
import io.delayqueue.gateway.sqs.protocol.SqsException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The actions on messages of dead-letter queues, but for receive. They wait for Redis. Safe for use by several threads. */
public final class DeadMessages {

    /** Nobody else receives a dead letter in the time between the look at its hold and its deletion. */
    private static final Duration WHILE_DELETED = Duration.ofSeconds(30);

    private final DelayQueueClient client;
    private final DeadHolds holds;
    private final Map<String, SqsAction> actions;

    /** Actions on the dead letters of a client. */
    public DeadMessages(DelayQueueClient client, DeadHolds holds) {
        this.client = client;
        this.holds = holds;
        SqsAction delete = this::delete;
        SqsAction change = this::change;
        this.actions = Map.of(
                "DeleteMessage",
                delete,
                "DeleteMessageBatch",
                Batch.ofWaiting(delete),
                "ChangeMessageVisibility",
                change,
                "ChangeMessageVisibilityBatch",
                Batch.ofWaiting(change));
    }

    /** The action of this name; null if dead-letter queues have none. */
    public @Nullable SqsAction find(String name) {
        return actions.get(name);
    }

    /** Purges the dead letter, unless the visibility timeout is over: another client may have it. A later dead letter of its id stays. */
    private CompletableFuture<ObjectNode> delete(SqsCall call) {
        call.caller().require(Right.CONSUME, call.topic());
        DeadHandle handle = DeadHandle.of(call);
        if (holds.prolong(handle, WHILE_DELETED)) {
            client.deadLetters(handle.topic()).purgeUntil(handle.deadLetteredAt(), List.of(handle.id()));
            holds.release(handle);
        }
        return done();
    }

    private CompletableFuture<ObjectNode> change(SqsCall call) {
        call.caller().require(Right.CONSUME, call.topic());
        DeadHandle handle = DeadHandle.of(call);
        Duration visibility = ChangeMessageVisibility.visibility(call.parameters());
        boolean held = visibility.isZero() ? holds.release(handle) : holds.change(handle, visibility);
        if (!held) {
            throw new SqsException(
                    SqsError.MESSAGE_NOT_IN_FLIGHT, "The message is not in flight: its visibility timeout is over.");
        }
        return done();
    }

    private static CompletableFuture<ObjectNode> done() {
        return CompletableFuture.completedFuture(JsonNodeFactory.instance.objectNode());
    }
}
