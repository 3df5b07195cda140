package io.delayqueue.gateway.sqs.action;

import io.delayqueue.AsyncOperations;
import io.delayqueue.gateway.security.Right;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import tools.jackson.databind.node.ObjectNode;

/** Schedules a message. */
public final class SendMessage implements SqsAction {

    private final AsyncOperations client;
    private final Function<String, Duration> queueDelay;

    /**
     * @param queueDelay the delay of a topic's messages that set none
     */
    public SendMessage(AsyncOperations client, Function<String, Duration> queueDelay) {
        this.client = client;
        this.queueDelay = queueDelay;
    }

    @Override
    public CompletableFuture<ObjectNode> perform(SqsCall call) {
        call.caller().require(Right.PRODUCE, call.topic());
        OutgoingSqsMessage message = OutgoingSqsMessage.of(
                call.topic(), call.caller().name(), queueDelay.apply(call.topic()), call.parameters());
        return client.scheduleAsync(message.message()).thenApply(scheduled -> message.result());
    }
}
