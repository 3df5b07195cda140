package io.delayqueue.gateway.sqs.action;

import io.delayqueue.PulledMessage;
import io.delayqueue.gateway.security.Right;
import io.delayqueue.gateway.sqs.protocol.Parameters;
import io.delayqueue.gateway.sqs.queue.QueueSettings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Claims messages. They have a short lease until the answer is written, then their visibility timeout. */
public final class ReceiveMessage {

    private static final int MAX_MESSAGES = 10;
    private static final int MAX_WAIT_SECONDS = 20;

    private final SqsConsumers consumers;
    private final Function<String, QueueSettings> settings;

    /**
     * An action.
     *
     * @param settings settings of a topic's queue
     */
    public ReceiveMessage(SqsConsumers consumers, Function<String, QueueSettings> settings) {
        this.consumers = consumers;
        this.settings = settings;
    }

    /**
     * A receive that a client asks for.
     *
     * @param call the call
     * @param max largest number of messages
     * @param longestWait longest wait for the first
     * @param visibility lease of the messages once they are delivered; zero ends their attempt at once
     */
    public record Receive(SqsCall call, int max, Duration longestWait, Duration visibility) {}

    /** Reads a request. */
    public Receive read(SqsCall call) {
        call.caller().require(Right.CONSUME, call.topic());
        Parameters parameters = call.parameters();
        QueueSettings queue = settings.apply(call.topic());
        Long max = parameters.number("MaxNumberOfMessages", 1, MAX_MESSAGES);
        Long wait = parameters.number("WaitTimeSeconds", 0, MAX_WAIT_SECONDS);
        Long visibility = parameters.number("VisibilityTimeout", 0, ChangeMessageVisibility.MAX_SECONDS);
        return new Receive(
                call,
                max == null ? 1 : max.intValue(),
                wait == null ? queue.receiveWait() : Duration.ofSeconds(wait),
                visibility == null ? queue.visibilityTimeout() : Duration.ofSeconds(visibility));
    }

    /** Waits for messages, without a thread. Cancelling the future ends the wait. */
    public CompletableFuture<List<PulledMessage>> claim(Receive receive) {
        String topic = receive.call().topic();
        return consumers.of(topic).receive(topic, receive.max(), receive.longestWait());
    }

    /** The answer with these messages. */
    public static ObjectNode result(Receive receive, List<PulledMessage> messages) {
        MessageView view = new MessageView(receive.call().parameters());
        ObjectNode result = JsonNodeFactory.instance.objectNode();
        ArrayNode list = result.putArray("Messages");
        messages.forEach(
                message -> list.add(view.of(message.message(), message.receipt().toString(), Map.of())));
        return result;
    }
}
