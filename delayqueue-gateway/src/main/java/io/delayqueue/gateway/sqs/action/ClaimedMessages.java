package io.delayqueue.gateway.sqs.action;

import io.delayqueue.PulledMessage;
import io.delayqueue.gateway.claim.AnswerThreads;
import io.delayqueue.gateway.claim.ClaimDelivery;
import io.delayqueue.gateway.claim.PullConsumers;
import io.delayqueue.gateway.security.ByteBudget;
import io.delayqueue.gateway.security.Caller;
import io.delayqueue.gateway.sqs.protocol.SqsErrors;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Claimed messages on their way to a client. Once the answer is written, they have their visibility timeout. */
final class ClaimedMessages implements Delivery {

    private final ObjectNode result;
    private final ClaimDelivery delivery;
    private final AnswerThreads answers;
    private final Caller caller;
    private final ByteBudget memory;
    private final long bytes;
    private final AtomicBoolean ended = new AtomicBoolean();

    private ClaimedMessages(
            ReceiveMessage.Receive receive, List<PulledMessage> messages, ByteBudget memory, long bytes) {
        this.caller = receive.call().caller();
        this.memory = memory;
        this.bytes = bytes;
        this.answers = receive.consumers().answers();
        this.delivery = ClaimDelivery.toKeepLeases(receive.consumers(), messages, receive.visibility());
        this.result = result(receive, messages);
    }

    /**
     * Messages as the answer to a receive: as many as there is memory for, the others are released.
     *
     * @throws io.delayqueue.gateway.sqs.protocol.SqsException that the service is unavailable, if there is memory for none, or too many
     *     answers are under way
     */
    static ClaimedMessages of(ReceiveMessage.Receive receive, List<PulledMessage> claimed, ByteBudget memory) {
        PullConsumers consumers = receive.consumers();
        List<PulledMessage> taken = new ArrayList<>();
        List<PulledMessage> refused = new ArrayList<>();
        long bytes = 0;
        boolean hasRoom = !claimed.isEmpty() && consumers.answers().tryBegin();
        for (PulledMessage message : claimed) {
            long size = ClaimDelivery.bytes(message.message());
            if (hasRoom && refused.isEmpty() && memory.tryTake(receive.call().caller(), size)) {
                bytes += size;
                taken.add(message);
            } else {
                refused.add(message);
            }
        }
        new ClaimDelivery(consumers, refused, receive.visibility()).release();
        if (taken.isEmpty() && !refused.isEmpty()) {
            if (hasRoom) {
                consumers.answers().end();
            }
            throw SqsErrors.unavailable();
        }
        try {
            return new ClaimedMessages(receive, taken, memory, bytes);
        } catch (RuntimeException e) {
            memory.giveBack(receive.call().caller(), bytes);
            if (hasRoom) {
                consumers.answers().end();
            }
            new ClaimDelivery(consumers, taken, receive.visibility()).release();
            throw e;
        }
    }

    private static ObjectNode result(ReceiveMessage.Receive receive, List<PulledMessage> messages) {
        MessageView view = new MessageView(receive.call().parameters(), receive.problems());
        ObjectNode result = JsonNodeFactory.instance.objectNode();
        ArrayNode list = result.putArray("Messages");
        messages.forEach(
                message -> list.add(view.of(message.message(), message.receipt().toString(), Map.of())));
        return result;
    }

    @Override
    public ObjectNode result() {
        return result;
    }

    @Override
    public boolean isEmpty() {
        return bytes == 0;
    }

    @Override
    public void renew() {
        delivery.renew();
    }

    @Override
    public void beginLease() {
        delivery.beginLease();
    }

    @Override
    public void confirm() {
        delivery.confirm();
        end();
    }

    @Override
    public void release() {
        delivery.release();
        end();
    }

    private void end() {
        if (ended.compareAndSet(false, true)) {
            memory.giveBack(caller, bytes);
            if (!isEmpty()) {
                answers.end();
            }
        }
    }
}
