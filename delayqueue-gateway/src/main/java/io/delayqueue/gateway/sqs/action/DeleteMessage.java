package io.delayqueue.gateway.sqs.action;

import io.delayqueue.Receipt;
import io.delayqueue.gateway.security.Right;
import io.delayqueue.gateway.sqs.protocol.Parameters;
import io.delayqueue.gateway.sqs.protocol.SqsException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
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

    /** Acks the messages of a batch together. A handle that is no receipt stops no other one. */
    public List<CompletableFuture<ObjectNode>> performAll(SqsCall call, List<Parameters> entries) {
        call.caller().require(Right.CONSUME, call.topic());
        List<Receipt> receipts = new ArrayList<>();
        List<@Nullable SqsException> refused = new ArrayList<>();
        for (Parameters entry : entries) {
            try {
                receipts.add(ReceiptHandles.of(new SqsCall(call.caller(), call.topic(), entry)));
                refused.add(null);
            } catch (SqsException e) {
                refused.add(e);
            }
        }
        List<CompletableFuture<Boolean>> all =
                receipts.isEmpty() ? List.of() : consumers.settleAll(call, consumer -> consumer.ackAllAsync(receipts));
        Iterator<CompletableFuture<Boolean>> acked = all.iterator();
        List<CompletableFuture<ObjectNode>> results = new ArrayList<>();
        for (SqsException refusal : refused) {
            results.add(
                    refusal != null
                            ? CompletableFuture.failedFuture(refusal)
                            : acked.next().thenApply(held -> JsonNodeFactory.instance.objectNode()));
        }
        return results;
    }
}
