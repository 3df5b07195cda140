package io.delayqueue.gateway.sqs.action;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.ScheduleResult;
import io.delayqueue.gateway.security.Caller;
import io.delayqueue.gateway.security.Right;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import tools.jackson.databind.node.ObjectNode;

/** Schedules a message. */
public final class SendMessage implements SqsAction {

    /** Sends messages: by way of a journal, if there is one. */
    @FunctionalInterface
    public interface Sender {

        /** Sends a message of a caller. */
        CompletableFuture<ScheduleResult> send(Caller caller, OutgoingMessage message);
    }

    private final Sender sender;
    private final Function<String, Duration> queueDelay;

    /**
     * An action.
     *
     * @param sender sends the messages
     * @param queueDelay the delay of a topic's messages that set none
     */
    public SendMessage(Sender sender, Function<String, Duration> queueDelay) {
        this.sender = sender;
        this.queueDelay = queueDelay;
    }

    @Override
    public CompletableFuture<ObjectNode> perform(SqsCall call) {
        call.caller().require(Right.PRODUCE, call.topic());
        OutgoingSqsMessage message = OutgoingSqsMessage.of(
                call.topic(), call.caller().name(), queueDelay.apply(call.topic()), call.parameters());
        return sender.send(call.caller(), message.message()).thenApply(scheduled -> message.result());
    }
}
