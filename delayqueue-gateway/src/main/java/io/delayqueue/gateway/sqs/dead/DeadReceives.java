package io.delayqueue.gateway.sqs.dead;

import io.delayqueue.DeadLetter;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.MessageInfo;
import io.delayqueue.ReceivedMessage;
import io.delayqueue.gateway.security.Right;
import io.delayqueue.gateway.sqs.action.MessageView;
import io.delayqueue.gateway.sqs.action.ReceiveMessage;
import io.delayqueue.gateway.sqs.action.SqsAction;
import io.delayqueue.gateway.sqs.action.SqsCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Receives dead letters, latest first. Those received are hidden for their visibility timeout. Safe for use by several threads. */
public final class DeadReceives implements SqsAction {

    private static final Duration PAUSE = Duration.ofSeconds(1);

    /** A page may bring 4 MiB. */
    private static final int PAGE_SIZE = 50;

    /** Dead letters in flight of a queue: beyond them, a receive has none. */
    private static final int MAX_SEEN = 2_000;

    private final DelayQueueClient client;
    private final DeadHolds holds;
    private final DeadTimer timer;
    private final ReceiveMessage requests;
    private final UnaryOperator<String> sourceArn;

    /**
     * Receives.
     *
     * @param requests reads requests
     * @param sourceArn ARN of the queue of a topic
     */
    public DeadReceives(
            DelayQueueClient client,
            DeadHolds holds,
            DeadTimer timer,
            ReceiveMessage requests,
            UnaryOperator<String> sourceArn) {
        this.client = client;
        this.holds = holds;
        this.timer = timer;
        this.requests = requests;
        this.sourceArn = sourceArn;
    }

    @Override
    public CompletableFuture<ObjectNode> perform(SqsCall call) {
        call.caller().require(Right.CONSUME, call.topic());
        ReceiveMessage.Receive receive = requests.read(call);
        CompletableFuture<ObjectNode> answer = new CompletableFuture<>();
        poll(receive, System.nanoTime() + receive.longestWait().toNanos(), answer);
        return answer;
    }

    private void poll(ReceiveMessage.Receive receive, long deadline, CompletableFuture<ObjectNode> answer) {
        if (answer.isDone()) {
            return;
        }
        try {
            List<Held> held = hold(receive);
            Duration left = Duration.ofNanos(deadline - System.nanoTime());
            boolean wait = held.isEmpty() && left.compareTo(Duration.ZERO) > 0;
            Duration pause = left.compareTo(PAUSE) < 0 ? left : PAUSE;
            if (wait && timer.after(pause, () -> poll(receive, deadline, answer))) {
                return;
            }
            if (!answer.complete(result(receive, held))) {
                held.forEach(one -> holds.release(one.handle));
            }
        } catch (RuntimeException e) {
            answer.completeExceptionally(e);
        }
    }

    private List<Held> hold(ReceiveMessage.Receive receive) {
        String topic = receive.call().topic();
        List<Held> held = new ArrayList<>();
        for (int offset = 0; offset < MAX_SEEN; offset += PAGE_SIZE) {
            List<DeadLetter> page = client.deadLetters(topic).list(offset, PAGE_SIZE);
            for (DeadLetter letter : page) {
                DeadHandle handle =
                        new DeadHandle(topic, letter.id(), UUID.randomUUID().toString());
                if (receive.visibility().isZero() || holds.hold(handle, receive.visibility())) {
                    held.add(new Held(letter, handle));
                }
                if (held.size() == receive.max()) {
                    return held;
                }
            }
            if (page.isEmpty()) {
                break;
            }
        }
        return held;
    }

    private ObjectNode result(ReceiveMessage.Receive receive, List<Held> held) {
        MessageView view = new MessageView(receive.call().parameters());
        ObjectNode result = JsonNodeFactory.instance.objectNode();
        ArrayNode list = result.putArray("Messages");
        held.forEach(one -> list.add(view.of(
                message(one.letter),
                one.handle.toString(),
                Map.of(
                        "DeadLetterQueueSourceArn",
                        sourceArn.apply(one.letter.topic()),
                        "DelayQueueError",
                        one.letter.error()))));
        return result;
    }

    private ReceivedMessage message(DeadLetter letter) {
        String generation = client.find(letter.topic(), letter.id())
                .map(MessageInfo::generation)
                .orElse("");
        return new ReceivedMessage(
                letter.topic(),
                letter.id(),
                letter.payload(),
                letter.headers(),
                letter.attempts(),
                letter.attempts(),
                letter.scheduledAt(),
                0,
                generation);
    }

    private record Held(DeadLetter letter, DeadHandle handle) {}
}
