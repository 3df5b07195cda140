package io.delayqueue.gateway.sqs.endpoint;

import io.delayqueue.gateway.security.Caller;
import io.delayqueue.gateway.sqs.action.ReceiveMessage;
import io.delayqueue.gateway.sqs.action.SqsAction;
import io.delayqueue.gateway.sqs.action.SqsCall;
import io.delayqueue.gateway.sqs.action.SqsConsumers;
import io.delayqueue.gateway.sqs.dead.DeadMessages;
import io.delayqueue.gateway.sqs.dead.DeadReceives;
import io.delayqueue.gateway.sqs.limit.BlockingCalls;
import io.delayqueue.gateway.sqs.limit.LongCalls;
import io.delayqueue.gateway.sqs.protocol.SqsError;
import io.delayqueue.gateway.sqs.protocol.SqsException;
import io.delayqueue.gateway.sqs.protocol.SqsRequest;
import io.delayqueue.gateway.sqs.queue.Queue;
import io.delayqueue.gateway.sqs.queue.QueueCall;
import io.delayqueue.gateway.sqs.queue.QueueLookups;
import io.delayqueue.gateway.sqs.queue.Queues;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * All actions by their names.
 *
 * @param queues the queues
 * @param lookups finds them
 * @param queueActions actions on queues
 * @param messageActions actions on messages, but for receive
 * @param deadMessages actions on messages of dead-letter queues, but for receive
 * @param deadReceives receives messages of dead-letter queues
 * @param receive receives messages
 * @param consumers pull consumers of the queues
 * @param blocking makes those that wait for Redis
 * @param removals makes those that take as long as a queue has messages
 */
public record SqsActions(
        Queues queues,
        QueueLookups lookups,
        Function<String, @Nullable Function<QueueCall, ObjectNode>> queueActions,
        Map<String, SqsAction> messageActions,
        DeadMessages deadMessages,
        DeadReceives deadReceives,
        ReceiveMessage receive,
        SqsConsumers consumers,
        BlockingCalls blocking,
        LongCalls<ObjectNode> removals) {

    static final String RECEIVE = "ReceiveMessage";

    /** Of policies. */
    private static final Set<String> UNSUPPORTED = Set.of("AddPermission", "RemovePermission");

    /** They delete all messages, in many steps. */
    private static final Set<String> REMOVALS = Set.of("DeleteQueue", "PurgeQueue");

    /** The result of an action on queues; null if there is none of this name. */
    @Nullable
    CompletableFuture<ObjectNode> perform(SqsRequest request, Caller caller, @Nullable String queue, String baseUrl) {
        String name = request.action();
        if (UNSUPPORTED.contains(name)) {
            throw new SqsException(SqsError.UNSUPPORTED_OPERATION, "The action " + name + " is not supported.");
        }
        Function<QueueCall, ObjectNode> onQueue = queueActions.apply(name);
        if (onQueue == null) {
            return null;
        }
        QueueCall call = new QueueCall(caller, queue, baseUrl, request.parameters());
        return REMOVALS.contains(name)
                ? removals.call(caller, name + ' ' + queue, () -> onQueue.apply(call))
                : blocking.call(caller, () -> onQueue.apply(call));
    }

    /** Whether there is an action of this name on messages. Receives are some, too. */
    boolean isOnMessages(String name) {
        return name.equals(RECEIVE) || messageActions.containsKey(name) || deadMessages.find(name) != null;
    }

    /** The result of an action on messages of a queue, but of a receive. */
    CompletableFuture<ObjectNode> perform(SqsRequest request, Caller caller, Queue of) {
        String name = request.action();
        SqsAction action = of.dead() ? deadMessages.find(name) : messageActions.get(name);
        if (action == null) {
            throw new SqsException(
                    SqsError.UNSUPPORTED_OPERATION,
                    "Messages are not sent to a dead-letter queue: those of "
                            + queues.names().source(of.name()) + " come here when they have failed too often.");
        }
        SqsCall call = new SqsCall(caller, of.topic(), request.parameters());
        return of.dead()
                ? blocking.call(caller, () -> action.perform(call)).thenCompose(result -> result)
                : action.perform(call);
    }

    /** Receives that wait for messages or dead letters in this instance. */
    public int waiting() {
        return consumers.waiting() + deadReceives.waiting();
    }
}
