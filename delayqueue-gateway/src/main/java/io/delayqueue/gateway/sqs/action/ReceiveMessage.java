package io.delayqueue.gateway.sqs.action;

import io.delayqueue.PulledMessage;
import io.delayqueue.gateway.claim.PullConsumers;
import io.delayqueue.gateway.security.ByteBudget;
import io.delayqueue.gateway.security.Right;
import io.delayqueue.gateway.sqs.protocol.Parameters;
import io.delayqueue.gateway.sqs.protocol.SqsErrors;
import io.delayqueue.gateway.sqs.queue.QueueSettings;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Claims messages. Once the answer is written, they have their visibility timeout. */
public final class ReceiveMessage {

    private static final int MAX_MESSAGES = 10;
    private static final int MAX_WAIT_SECONDS = 20;

    private final SqsConsumers consumers;
    private final ByteBudget memory;
    private final Function<String, QueueSettings> settings;
    private final MessageProblems problems = new MessageProblems();

    /**
     * An action.
     *
     * @param memory of all answers with messages
     * @param settings settings of a topic's queue
     */
    public ReceiveMessage(SqsConsumers consumers, ByteBudget memory, Function<String, QueueSettings> settings) {
        this.consumers = consumers;
        this.memory = memory;
        this.settings = settings;
    }

    /**
     * A receive that a client asks for.
     *
     * @param call the call
     * @param consumers receives and settles its messages
     * @param max largest number of messages
     * @param longestWait longest wait for the first
     * @param visibility lease of the messages once they are delivered; zero ends their attempt at once
     * @param problems told of messages that can't be shown whole
     */
    public record Receive(
            SqsCall call,
            PullConsumers consumers,
            int max,
            Duration longestWait,
            Duration visibility,
            MessageProblems problems) {}

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
                consumers.of(call.topic()),
                max == null ? 1 : max.intValue(),
                wait == null ? queue.receiveWait() : Duration.ofSeconds(wait),
                visibility == null ? queue.visibilityTimeout() : Duration.ofSeconds(visibility),
                problems);
    }

    /**
     * Waits for messages, without a thread. Cancelling the future ends the wait.
     *
     * @throws io.delayqueue.gateway.sqs.protocol.SqsException that the service is unavailable, while answers use up their memory
     */
    public CompletableFuture<List<PulledMessage>> claim(Receive receive) {
        if (memory.isUsedUp(receive.call().caller())) {
            // or they would be claimed in vain
            throw SqsErrors.unavailable();
        }
        return consumers.receive(receive);
    }

    /** The delivery of claimed messages, which are released if this fails. */
    public Delivery delivery(Receive receive, List<PulledMessage> messages) {
        return ClaimedMessages.of(receive, messages, memory);
    }
}
