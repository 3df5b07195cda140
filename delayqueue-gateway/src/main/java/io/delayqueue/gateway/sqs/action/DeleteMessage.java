package io.delayqueue.gateway.sqs.action;

import io.delayqueue.PullConsumer;
import io.delayqueue.Receipt;
import io.delayqueue.gateway.security.Right;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Acks a message. As with SQS, a genuine receipt that is no longer good is no error, and nothing is done. */
public final class DeleteMessage implements SqsAction {

    private final Function<String, PullConsumer> consumers;

    /**
     * @param consumers gives the pull consumer of a topic
     */
    public DeleteMessage(Function<String, PullConsumer> consumers) {
        this.consumers = consumers;
    }

    @Override
    public CompletableFuture<ObjectNode> perform(SqsCall call) {
        call.caller().require(Right.CONSUME, call.topic());
        Receipt receipt = ReceiptHandles.of(call);
        return consumers
                .apply(call.topic())
                .ackAsync(receipt)
                .thenApply(acked -> JsonNodeFactory.instance.objectNode());
    }
}
