package io.delayqueue.gateway.sqs.action;

import io.delayqueue.PullConsumer;
import io.delayqueue.Receipt;
import io.delayqueue.RetryOutcome;
import io.delayqueue.gateway.security.Right;
import io.delayqueue.gateway.sqs.protocol.SqsError;
import io.delayqueue.gateway.sqs.protocol.SqsException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Changes the lease of a message. Zero ends the attempt: the message is ready again, or dead-lettered if that was the last. */
public final class ChangeMessageVisibility implements SqsAction {

    private static final long MAX_SECONDS = Duration.ofHours(12).toSeconds();

    private final Function<String, PullConsumer> consumers;

    /**
     * @param consumers gives the pull consumer of a topic
     */
    public ChangeMessageVisibility(Function<String, PullConsumer> consumers) {
        this.consumers = consumers;
    }

    @Override
    public CompletableFuture<ObjectNode> perform(SqsCall call) {
        call.caller().require(Right.CONSUME, call.topic());
        Receipt receipt = ReceiptHandles.of(call);
        Long seconds = call.parameters().number("VisibilityTimeout", 0, MAX_SECONDS);
        if (seconds == null) {
            throw new SqsException(
                    SqsError.MISSING_PARAMETER, "The request must contain the parameter VisibilityTimeout.");
        }
        return change(consumers.apply(call.topic()), receipt, seconds).thenApply(ChangeMessageVisibility::result);
    }

    private static CompletableFuture<Boolean> change(PullConsumer consumer, Receipt receipt, long seconds) {
        if (seconds > 0) {
            return consumer.changeLeaseAsync(receipt, Duration.ofSeconds(seconds));
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
