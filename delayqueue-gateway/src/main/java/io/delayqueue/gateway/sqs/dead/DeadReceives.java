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
import java.util.LinkedHashMap;
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

    /** Looks at a queue take a tenth of the time of a thread at most. */
    private static final int REST = 10;

    /** A page may bring 4 MiB. */
    private static final int PAGE_SIZE = 50;

    /** Dead letters in flight of a queue: beyond them, a receive has none. */
    private static final int MAX_SEEN = 2_000;

    /** Each looks once a second at most. */
    private static final int MAX_WAITING = 200;

    private final DelayQueueClient client;
    private final DeadHolds holds;
    private final DeadTurns turns;
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
        this.turns = new DeadTurns(timer);
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
        Poll poll = new Poll(receive, answer);
        if (!turns.after(Duration.ZERO, call.topic(), poll)) {
            answer.completeExceptionally(SqsErrors.unavailable());
        }
        return answer;
    }

    /** A receive that waits. */
    private final class Poll implements DeadTurns.Look {

        private final ReceiveMessage.Receive receive;
        private final CompletableFuture<Delivery> answer;
        private final long deadline;

        private Poll(ReceiveMessage.Receive receive, CompletableFuture<Delivery> answer) {
            this.receive = receive;
            this.answer = answer;
            this.deadline = System.nanoTime() + receive.longestWait().toNanos();
        }

        @Override
        public boolean look() {
            if (answer.isDone()) {
                return true;
            }
            try {
                DeadDelivery held = hold(receive);
                if (held.isEmpty()) {
                    return false;
                }
                if (!answer.complete(held)) {
                    held.release();
                }
            } catch (RuntimeException e) {
                answer.completeExceptionally(e);
            }
            return true;
        }

        @Override
        public void nothing(Duration took) {
            Duration left = Duration.ofNanos(deadline - System.nanoTime());
            Duration rest = took.multipliedBy(REST);
            Duration pause = rest.compareTo(PAUSE) > 0 ? rest : PAUSE;
            boolean over = left.isNegative() || left.isZero();
            if (over
                    || !turns.after(
                            left.compareTo(pause) < 0 ? left : pause,
                            receive.call().topic(),
                            this)) {
                answer.complete(delivery(receive));
            }
        }
    }

    private DeadDelivery delivery(ReceiveMessage.Receive receive) {
        return new DeadDelivery(receive, holds, memory, deliveryLease);
    }

    private DeadDelivery hold(ReceiveMessage.Receive receive) {
        String topic = receive.call().topic();
        DeadDelivery held = delivery(receive);
        try {
            int offset = 0;
            while (offset < MAX_SEEN) {
                List<DeadLetter> page = client.deadLetters(topic).list(offset, PAGE_SIZE);
                if (page.isEmpty() || !hold(page, held)) {
                    break;
                }
                // large payloads make a page shorter
                offset += page.size();
            }
            return held;
        } catch (RuntimeException e) {
            held.release();
            throw e;
        }
    }

    /** Holds those that are free. Returns whether there may be more. */
    private boolean hold(List<DeadLetter> page, DeadDelivery held) {
        Map<DeadHandle, DeadLetter> letters = new LinkedHashMap<>();
        page.forEach(letter -> letters.put(DeadHandle.of(letter), letter));
        for (DeadHandle handle : holds.free(List.copyOf(letters.keySet()))) {
            DeadLetter letter = letters.get(handle);
            if (letter != null && held.hold(handle) && !held.add(handle, message(letter), further(letter))) {
                return false;
            }
        }
        return true;
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
