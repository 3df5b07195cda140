package io.delayqueue.gateway.sqs.action;

import io.delayqueue.gateway.sqs.protocol.SqsException;
import java.util.concurrent.CompletableFuture;
import tools.jackson.databind.node.ObjectNode;

/** One action of SQS on a queue. Safe for use by several threads. */
public interface SqsAction {

    /**
     * Does it, without a thread that waits.
     *
     * @return the result, named as in the JSON protocol
     * @throws SqsException if the request is invalid; nothing was done
     */
    CompletableFuture<ObjectNode> perform(SqsCall call);
}
