package io.delayqueue.gateway.sqs.dead;

import io.delayqueue.DeadLetter;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.MessageInfo;
import io.delayqueue.ReceivedMessage;
import io.delayqueue.gateway.security.Caller;
import io.delayqueue.gateway.security.CallerShares;
import io.delayqueue.gateway.sqs.action.Delivery;
import io.delayqueue.gateway.sqs.action.ReceiveMessage;
import io.delayqueue.gateway.sqs.action.SqsCall;
import io.delayqueue.gateway.sqs.limit.ByteBudget;
import io.delayqueue.gateway.sqs.protocol.SqsError;
import io.delayqueue.gateway.sqs.protocol.SqsErrors;
import io.delayqueue.gateway.sqs.protocol.SqsException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.function.UnaryOperator;

/**
 * Receives dead letters, latest first. Those received are hidden shortly until the answer is written, then for their visibility timeout.
 * Safe for use by several threads.
 */
public final class DeadReceives {

    private static final Duration PAUSE = Duration.ofSeconds(1);

    /** A page may bring 4 MiB. */
    private static final int PAGE_SIZE = 50;

    /** Dead letters in flight of a queue: beyond them, a receive has none. */
    private static final int MAX_SEEN = 2_000;

    /** Each looks once a second. */
    private static final int MAX_WAITING = 200;

    private final DelayQueueClient client;
    private final DeadHolds holds;
    private final DeadTimer timer;
    private final ByteBudget memory;
    private final Duration deliveryLease;
    private final Semaphore waiting = new Semaphore(MAX_WAITING);
    private final CallerShares shares = new CallerShares(MAX_WAITING);
    private final ReceiveMessage requests;
    private final UnaryOperator<String> sourceArn;

    /**
     * Receives.
     *
     * @param memory of all answers with messages
     * @param deliveryLease time for which dead letters are hidden until the answer is written
     * @param requests reads requests
     * @param sourceArn ARN of the queue of a topic
     */
    public DeadReceives(
            DelayQueueClient client,
            DeadHolds holds,
            DeadTimer timer,
            ByteBudget memory,
            Duration deliveryLease,
            ReceiveMessage requests,
            UnaryOperator<String> sourceArn) {
        this.client = client;
        this.holds = holds;
        this.timer = timer;
        this.memory = memory;
        this.deliveryLease = deliveryLease;
        this.requests = requests;
        this.sourceArn = sourceArn;
    }

    /**
     * Waits for dead letters, without a thread. Cancelling the future ends the wait.
     *
     * @throws SqsException if too many requests wait for dead letters
     */
    public CompletableFuture<Delivery> receive(SqsCall call) {
        ReceiveMessage.Receive receive = requests.read(call);
        Caller caller = call.caller();
        if (!shares.tryBegin(caller)) {
            throw new SqsException(
                    SqsError.REQUEST_THROTTLED,
                    "The key " + caller.name() + " has " + shares.most()
                            + " requests that wait for dead letters in this instance, its largest number.");
        }
        if (!waiting.tryAcquire()) {
            shares.end(caller);
            throw new SqsException(
                    SqsError.REQUEST_THROTTLED,
                    MAX_WAITING + " requests wait for dead letters in this instance already.");
        }
        CompletableFuture<Delivery> answer = new CompletableFuture<>();
        answer.whenComplete((delivery, failure) -> {
            waiting.release();
            shares.end(caller);
        });
        long deadline = System.nanoTime() + receive.longestWait().toNanos();
        if (!timer.after(Duration.ZERO, () -> poll(receive, deadline, answer))) {
            answer.completeExceptionally(SqsErrors.unavailable());
        }
        return answer;
    }

    private void poll(ReceiveMessage.Receive receive, long deadline, CompletableFuture<Delivery> answer) {
        if (answer.isDone()) {
            return;
        }
        try {
            DeadDelivery held = hold(receive);
            Duration left = Duration.ofNanos(deadline - System.nanoTime());
            boolean wait = held.isEmpty() && left.compareTo(Duration.ZERO) > 0;
            Duration pause = left.compareTo(PAUSE) < 0 ? left : PAUSE;
            if (wait && timer.after(pause, () -> poll(receive, deadline, answer))) {
                return;
            }
            if (!answer.complete(held)) {
                held.release();
            }
        } catch (RuntimeException e) {
            answer.completeExceptionally(e);
        }
    }

    private DeadDelivery hold(ReceiveMessage.Receive receive) {
        String topic = receive.call().topic();
        DeadDelivery held = new DeadDelivery(receive, holds, memory, deliveryLease);
        try {
            for (int offset = 0; offset < MAX_SEEN; offset += PAGE_SIZE) {
                List<DeadLetter> page = client.deadLetters(topic).list(offset, PAGE_SIZE);
                for (DeadLetter letter : page) {
                    if (!held.offer(message(letter), further(letter))) {
                        return held;
                    }
                }
                if (page.isEmpty()) {
                    break;
                }
            }
            return held;
        } catch (RuntimeException e) {
            held.release();
            throw e;
        }
    }

    private Map<String, String> further(DeadLetter letter) {
        return Map.of("DeadLetterQueueSourceArn", sourceArn.apply(letter.topic()), "DelayQueueError", letter.error());
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
}
