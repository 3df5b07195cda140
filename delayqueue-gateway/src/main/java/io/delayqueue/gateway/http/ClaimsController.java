package io.delayqueue.gateway.http;

import io.delayqueue.ClientOverloadedException;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.PulledMessage;
import io.delayqueue.gateway.FutureFailures;
import io.delayqueue.gateway.GatewayProperties;
import io.delayqueue.gateway.claim.AnswerTimes;
import io.delayqueue.gateway.claim.ClaimDelivery;
import io.delayqueue.gateway.claim.PullConsumers;
import io.delayqueue.gateway.http.body.Answers;
import io.delayqueue.gateway.http.body.BoundedBody;
import io.delayqueue.gateway.http.body.ClaimedView;
import io.delayqueue.gateway.http.problem.ProblemException;
import io.delayqueue.gateway.http.problem.ProblemType;
import io.delayqueue.gateway.http.request.PathNames;
import io.delayqueue.gateway.security.ByteBudget;
import io.delayqueue.gateway.security.Caller;
import io.delayqueue.gateway.security.CallerShares;
import io.delayqueue.gateway.security.Right;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.servlet.View;

/** Claims: a request waits for messages without a thread, and gets them with receipts. */
@Controller
@RequestMapping("${delayqueue.gateway.path:/delayqueue/v1}/topics/{topic}/claims")
public final class ClaimsController {

    /** The queue ends a wait itself. This is for the case that it does not. */
    private static final Duration GRACE = Duration.ofSeconds(5);

    /** A claim that is answered as quickly did not wait: its client was there a moment ago. */
    private static final Duration AT_ONCE = Duration.ofMillis(50);

    private final PullConsumers consumers;
    private final GatewayProperties.Claims limits;
    private final CallerShares waiting;
    private final ByteBudget memory;
    private final BoundedBody bodies;
    private final Answers answers;
    private final AnswerTimes times;
    private final Duration commandTimeout;

    /** A controller over these consumers, and memory for the messages of answers. */
    public ClaimsController(
            DelayQueueClient client,
            PullConsumers consumers,
            GatewayProperties.Claims limits,
            ByteBudget memory,
            BoundedBody bodies,
            Answers answers) {
        this.memory = memory;
        this.consumers = consumers;
        this.limits = limits;
        this.waiting = new CallerShares(limits.getMaxWaiting());
        this.bodies = bodies;
        this.answers = answers;
        this.times = AnswerTimes.of(limits.getAnswerTimeout(), limits.getDeliveryLease(), consumers.answers());
        this.commandTimeout = client.options().commandTimeout();
    }

    @PostMapping
    DeferredResult<View> claim(@PathVariable("topic") String topic, Caller caller, HttpServletRequest request)
            throws IOException {
        caller.require(Right.CONSUME, PathNames.topic(topic));
        ClaimRequest claim = ClaimRequest.read(answers.json().read(bodies.readOptional(request)), limits);
        long timeout = claim.longestWait().plus(commandTimeout).plus(GRACE).toMillis();
        DeferredResult<View> result = new DeferredResult<>(timeout);
        long begunAt = System.nanoTime();
        AtomicReference<@Nullable ClaimDelivery> begun = new AtomicReference<>();
        CompletableFuture<List<PulledMessage>> received = receive(caller, topic, claim);
        // a client that went away, a timeout, or the end of a written answer, which was confirmed before
        result.onCompletion(() -> {
            received.cancel(false);
            ClaimDelivery delivery = begun.get();
            if (delivery != null) {
                delivery.release();
            }
        });
        result.onTimeout(() ->
                result.setErrorResult(new ProblemException(ProblemType.REDIS_UNAVAILABLE, "no message was claimed")));
        received.whenComplete((messages, failure) -> {
            if (failure != null) {
                result.setErrorResult(problem(failure));
            } else {
                ClaimDelivery delivery = withinMemory(caller, messages, claim.lease());
                begun.set(delivery);
                if (delivery.messages().isEmpty() && !messages.isEmpty()) {
                    // here, since the request may have ended before it could see the delivery
                    delivery.release();
                    result.setErrorResult(new ProblemException(
                            ProblemType.OVERLOADED,
                            "too many answers to slow clients are under way; nothing was claimed"));
                } else {
                    deliver(delivery, claim, result, System.nanoTime() - begunAt > AT_ONCE.toNanos());
                }
            }
        });
        return result;
    }

    /** As many of the messages as there is memory for, unless too many answers are under way; the others are released. */
    private ClaimDelivery withinMemory(Caller caller, List<PulledMessage> messages, Duration lease) {
        int taken = 0;
        long bytes = 0;
        boolean hasRoom = !messages.isEmpty() && consumers.answers().tryBegin();
        for (PulledMessage message : messages) {
            long more = ClaimDelivery.bytes(message.message());
            if (!hasRoom || !memory.tryTake(caller, more)) {
                break;
            }
            bytes += more;
            taken++;
        }
        new ClaimDelivery(consumers, messages.subList(taken, messages.size()), lease).release();
        long held = bytes;
        return new ClaimDelivery(consumers, List.copyOf(messages.subList(0, taken)), lease, () -> {
            memory.giveBack(caller, held);
            if (hasRoom) {
                consumers.answers().end();
            }
        });
    }

    private CompletableFuture<List<PulledMessage>> receive(Caller caller, String topic, ClaimRequest claim) {
        if (!waiting.tryBegin(caller)) {
            throw new ProblemException(
                    ProblemType.TOO_MANY_REQUESTS,
                    waiting.most() + " claims of caller '" + caller.name()
                            + "' wait, the maximum; nothing was claimed");
        }
        CompletableFuture<List<PulledMessage>> received;
        try {
            received = consumers.receive(caller.name(), topic, claim.max(), claim.longestWait());
        } catch (RuntimeException e) {
            waiting.end(caller);
            throw e;
        }
        received.whenComplete((messages, failure) -> waiting.end(caller));
        return received;
    }

    /** Too many claims of the topic wait: that is no failure of the gateway. */
    private static Throwable problem(Throwable failure) {
        Throwable cause = FutureFailures.unwrap(failure);
        return cause instanceof ClientOverloadedException
                ? new ProblemException(ProblemType.TOO_MANY_REQUESTS, "too many claims wait; nothing was claimed")
                : cause;
    }

    private void deliver(ClaimDelivery delivery, ClaimRequest claim, DeferredResult<View> result, boolean waited) {
        boolean taken = false;
        try {
            byte[] body = body(delivery.messages(), claim.lease());
            delivery.releaseUnlessBegun();
            taken = result.setResult(new ClaimAnswer(delivery, body, body(List.of(), claim.lease()), waited, times));
        } finally {
            if (!taken) {
                delivery.release();
            }
        }
    }

    private byte[] body(List<PulledMessage> messages, Duration lease) {
        Instant leaseEnds = Instant.now().plus(lease).truncatedTo(ChronoUnit.MILLIS);
        List<ClaimedView> views = messages.stream()
                .map(message -> ClaimedView.of(message, leaseEnds, answers.json()))
                .toList();
        return answers.json().write(Map.of("messages", views));
    }
}
