package io.delayqueue.gateway.sqs.dead;

import io.delayqueue.ReceivedMessage;
import io.delayqueue.gateway.claim.AnswerThreads;
import io.delayqueue.gateway.claim.ClaimDelivery;
import io.delayqueue.gateway.security.ByteBudget;
import io.delayqueue.gateway.sqs.action.Delivery;
import io.delayqueue.gateway.sqs.action.MessageView;
import io.delayqueue.gateway.sqs.action.ReceiveMessage;
import io.delayqueue.gateway.sqs.protocol.SqsErrors;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Dead letters on their way to a client: hidden shortly until the answer is written, then for their visibility timeout. */
final class DeadDelivery implements Delivery {

    private static final Logger log = LoggerFactory.getLogger(DeadDelivery.class);

    private final ReceiveMessage.Receive receive;
    private final DeadHolds holds;
    private final ByteBudget memory;
    private final Duration deliveryLease;
    private final AnswerThreads answers;
    private final MessageView view;
    private final List<DeadHandle> handles = new ArrayList<>();
    private final ObjectNode result = JsonNodeFactory.instance.objectNode();
    private final ArrayNode messages = result.putArray("Messages");
    private final AtomicBoolean renewing = new AtomicBoolean();
    private final AtomicBoolean visibilityBegun = new AtomicBoolean();
    private final AtomicBoolean ended = new AtomicBoolean();
    private long bytes;

    /** One without dead letters. */
    DeadDelivery(ReceiveMessage.Receive receive, DeadHolds holds, ByteBudget memory, Duration deliveryLease) {
        this.receive = receive;
        this.holds = holds;
        this.memory = memory;
        this.deliveryLease = deliveryLease;
        this.answers = receive.consumers().answers();
        this.view = new MessageView(receive.call().parameters(), receive.problems());
    }

    /** Holds a dead letter. False if another receive holds it. */
    boolean hold(DeadHandle handle) {
        return receive.visibility().isZero() || holds.hold(handle, deliveryLease);
    }

    /**
     * Adds a dead letter that is held. Returns whether there may be more.
     *
     * @throws io.delayqueue.gateway.sqs.protocol.SqsException that the service is unavailable, if there is memory for none, or too many
     *     answers are under way
     */
    boolean add(DeadHandle handle, ReceivedMessage message, Map<String, String> further) {
        long size = ClaimDelivery.bytes(message);
        boolean hasRoom = !handles.isEmpty() || answers.tryBegin();
        if (!hasRoom || !memory.tryTake(receive.call().caller(), size)) {
            if (hasRoom && handles.isEmpty()) {
                answers.end();
            }
            leave(handle);
            if (handles.isEmpty()) {
                throw SqsErrors.unavailable();
            }
            return false;
        }
        bytes += size;
        handles.add(handle);
        messages.add(view.of(message, handle.toString(), further));
        return handles.size() < receive.max();
    }

    /** Ends the hold of a dead letter that was not added, if it has one. Does not wait for that. */
    void leave(DeadHandle handle) {
        sendForEach(List.of(handle), holds::releaseAsync);
    }

    @Override
    public boolean isEmpty() {
        return handles.isEmpty();
    }

    @Override
    public ObjectNode result() {
        return result;
    }

    /** Not once the visibility timeout has begun: it may be shorter. */
    @Override
    public void renew() {
        // a renewal that Redis has not answered is not repeated
        if (!visibilityBegun.get() && renewing.compareAndSet(false, true)) {
            sendForEach(handles, this::prolong).whenComplete((done, failure) -> renewing.set(false));
        }
    }

    private CompletableFuture<Long> prolong(DeadHandle handle) {
        return visibilityBegun.get() ? CompletableFuture.completedFuture(0L) : holds.renewAsync(handle, deliveryLease);
    }

    /** Does not wait for Redis: should the client be quicker and change its visibility timeout, it keeps that. */
    @Override
    public void beginLease() {
        if (!ended.get() && visibilityBegun.compareAndSet(false, true)) {
            sendForEach(handles, handle -> holds.beginVisibilityAsync(handle, receive.visibility()));
        }
    }

    @Override
    public void confirm() {
        beginLease();
        if (ended.compareAndSet(false, true)) {
            giveRoomBack();
        }
    }

    @Override
    public void release() {
        if (ended.compareAndSet(false, true)) {
            giveRoomBack();
            sendForEach(handles, holds::releaseAsync);
        }
    }

    private void giveRoomBack() {
        memory.giveBack(receive.call().caller(), bytes);
        if (!handles.isEmpty()) {
            answers.end();
        }
    }

    /** One after the other, without a thread. If one fails, those behind it keep their holds until these end by themselves. */
    private CompletableFuture<Long> sendForEach(
            List<DeadHandle> changed, Function<DeadHandle, CompletableFuture<Long>> change) {
        CompletableFuture<Long> sent = CompletableFuture.completedFuture(0L);
        if (receive.visibility().isZero()) {
            return sent;
        }
        for (DeadHandle handle : changed) {
            sent = sent.thenCompose(before -> change.apply(handle));
        }
        return sent.whenComplete((done, failure) -> {
            if (failure != null) {
                log.debug(
                        "Holds of dead letters of topic '{}' end by themselves",
                        receive.call().topic(),
                        failure);
            }
        });
    }
}
