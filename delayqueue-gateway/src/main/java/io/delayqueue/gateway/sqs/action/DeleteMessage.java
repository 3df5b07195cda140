package io.delayqueue.gateway.sqs.action;

import io.delayqueue.Receipt;
import io.delayqueue.gateway.security.Right;
import java.util.concurrent.CompletableFuture;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Acks a message. As with SQS, a genuine receipt that is no longer good is no error, and nothing is done. */
public final class DeleteMessage implements SqsAction {

    private final SqsConsumers consumers;

    public DeleteMessage(SqsConsumers consumers) {
        this.consumers = consumers;
    }

    @Override
    public CompletableFuture<ObjectNode> perform(SqsCall call) {
        call.caller().require(Right.CONSUME, call.topic());
        Receipt receipt = ReceiptHandles.of(call);
        return consumers
                .settle(call, consumer -> consumer.ackAsync(receipt))
                .thenApply(acked -> JsonNodeFactory.instance.objectNode());
    }
}
