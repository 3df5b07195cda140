package io.delayqueue.gateway.sqs.action;

import io.delayqueue.PullConsumer;
import io.delayqueue.Receipt;
import io.delayqueue.RetryOutcome;
import io.delayqueue.gateway.security.Right;
import io.delayqueue.gateway.sqs.protocol.Parameters;
import io.delayqueue.gateway.sqs.protocol.SqsError;
import io.delayqueue.gateway.sqs.protocol.SqsException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Changes the lease of a message. Zero ends the attempt: the message is ready again, or dead-lettered if that was the last. */
public final class ChangeMessageVisibility implements SqsAction {

    static final long MAX_SECONDS = Duration.ofHours(12).toSeconds();

    private final SqsConsumers consumers;

    public ChangeMessageVisibility(SqsConsumers consumers) {
        this.consumers = consumers;
    }

    @Override
    public CompletableFuture<ObjectNode> perform(SqsCall call) {
        call.caller().require(Right.CONSUME, call.topic());
        Receipt receipt = ReceiptHandles.of(call);
        Duration visibility = visibility(call.parameters());
        return consumers
                .settle(call, consumer -> change(consumer, receipt, visibility))
                .thenApply(ChangeMessageVisibility::result);
    }

    /**
     * The visibility timeout of a call.
     *
     * @throws SqsException if it is missing or too long
     */
    public static Duration visibility(Parameters parameters) {
        Long seconds = parameters.number("VisibilityTimeout", 0, MAX_SECONDS);
        if (seconds == null) {
            throw new SqsException(
                    SqsError.MISSING_PARAMETER, "The request must contain the parameter VisibilityTimeout.");
        }
        return Duration.ofSeconds(seconds);
    }

    private static CompletableFuture<Boolean> change(PullConsumer consumer, Receipt receipt, Duration visibility) {
        if (!visibility.isZero()) {
            return consumer.changeLeaseAsync(receipt, visibility);
        }
        return consumer.retryAsync(receipt, Duration.ZERO, "visibility timeout set to 0")
                .thenApply(outcome -> outcome != RetryOutcome.LEASE_LOST);
    }

    private static ObjectNode result(boolean changed) {
        if (!changed) {
            throw new SqsException(
                    SqsError.MESSAGE_NOT_IN_FLIGHT, "The message is not in flight: its visibility timeout is over.");
        }
        return JsonNodeFactory.instance.objectNode();
    }
}
