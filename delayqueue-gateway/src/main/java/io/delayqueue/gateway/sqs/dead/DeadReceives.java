package io.delayqueue.gateway.sqs.dead;

import io.delayqueue.DeadLetters;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.MessageInfo;
import io.delayqueue.ReceivedMessage;
import io.delayqueue.UnexpectedReplyException;
import io.delayqueue.gateway.security.ByteBudget;
import io.delayqueue.gateway.security.Caller;
import io.delayqueue.gateway.security.CallerShares;
import io.delayqueue.gateway.sqs.action.Delivery;
import io.delayqueue.gateway.sqs.action.ReceiveMessage;
import io.delayqueue.gateway.sqs.action.SqsCall;
import io.delayqueue.gateway.sqs.protocol.SqsError;
import io.delayqueue.gateway.sqs.protocol.SqsErrors;
import io.delayqueue.gateway.sqs.protocol.SqsException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Receives dead letters, latest first. Those received are hidden shortly until the answer is written, then for their visibility timeout.
 * Safe for use by several threads.
 */
public final class DeadReceives {

    private static final Logger log = LoggerFactory.getLogger(DeadReceives.class);
    private static final Duration PAUSE = Duration.ofSeconds(1);

    /** Looks at a queue take a tenth of the time of a thread at most. */
    private static final int REST = 10;

    /** Ids looked at first: mostly, some of the latest dead letters are free. */
    private static final int FIRST_PAGE = 50;

    /** Ids looked at once then, and most that one call tells the holds of. */
    private static final int PAGE = 500;

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
                            + " requests that wait for dead letters in this instance, the maximum.");
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

    /** Receives that wait in this instance. */
    public int waiting() {
        return MAX_WAITING - waiting.availablePermits();
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
            // its consumers stop before the web server waits for its requests
            boolean stopped = !receive.consumers().isRunning();
            boolean over = stopped || left.isNegative() || left.isZero();
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
            int size = FIRST_PAGE;
            while (offset < MAX_SEEN) {
                // without their bodies, which may be large: most may be in flight
                List<DeadLetters.Key> page = client.deadLetters(topic).listKeys(offset, size);
                if (!hold(topic, page, held) || page.size() < size) {
                    break;
                }
                offset += size;
                size = PAGE;
            }
            return held;
        } catch (RuntimeException e) {
            held.release();
            throw e;
        }
    }

    /** Holds those that are free, as many as the client gets. Returns whether it gets more. */
    private boolean hold(String topic, List<DeadLetters.Key> page, DeadDelivery held) {
        List<DeadHandle> handles =
                page.stream().map(key -> DeadHandle.of(topic, key)).toList();
        for (DeadHandle handle : holds.free(handles)) {
            MessageInfo letter = hold(handle, held);
            if (letter != null && !held.add(handle, message(letter), further(letter))) {
                return false;
            }
        }
        return true;
    }

    /** Holds a dead letter, and reads it. Null, and no hold, if another receive holds it or it can't be received. */
    private @Nullable MessageInfo hold(DeadHandle handle, DeadDelivery held) {
        try {
            if (!held.hold(handle)) {
                return null;
            }
            MessageInfo letter = find(handle);
            if (letter == null) {
                held.leave(handle);
            }
            return letter;
        } catch (RuntimeException e) {
            // a command without an answer may have been carried out
            held.leave(handle);
            throw e;
        }
    }

    /** The dead letter; null if it was redriven or purged meanwhile, or if it is damaged: the others are received. */
    private @Nullable MessageInfo find(DeadHandle handle) {
        try {
            return client.find(handle.topic(), handle.id())
                    .filter(info -> handle.deadLetteredAt().equals(info.deadLetteredAt()))
                    .orElse(null);
        } catch (UnexpectedReplyException e) {
            log.debug("Dead letter '{}' of topic '{}' can't be read, and is left out", handle.id(), handle.topic(), e);
            return null;
        }
    }

    private Map<String, String> further(MessageInfo letter) {
        return Map.of(
                "DeadLetterQueueSourceArn",
                sourceArn.apply(letter.topic()),
                "DelayQueueError",
                Objects.requireNonNullElse(letter.error(), ""));
    }

    private static ReceivedMessage message(MessageInfo letter) {
        return ReceivedMessage.of(letter.topic(), letter.id())
                .payload(letter.payload())
                .headers(letter.headers())
                .attempt(letter.attempt())
                .maxAttempts(letter.attempt())
                .due(letter.scheduledAt())
                .priority(letter.priority())
                .generation(letter.generation())
                .build();
    }
}
