package io.delayqueue.gateway.http;

import io.delayqueue.PullConsumer;
import io.delayqueue.Receipt;
import io.delayqueue.RetryOutcome;
import io.delayqueue.gateway.claim.PullConsumers;
import io.delayqueue.gateway.http.body.Answer;
import io.delayqueue.gateway.http.body.Answers;
import io.delayqueue.gateway.http.body.BoundedBody;
import io.delayqueue.gateway.http.body.Fields;
import io.delayqueue.gateway.http.problem.Problem;
import io.delayqueue.gateway.http.problem.ProblemException;
import io.delayqueue.gateway.http.problem.ProblemType;
import io.delayqueue.gateway.security.Caller;
import io.delayqueue.gateway.security.Right;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Settlements of claimed messages by their receipts. */
@RestController
@RequestMapping("${delayqueue.gateway.path:/delayqueue/v1}/claims/{receipt}")
public final class SettlementsController {

    private final PullConsumers consumers;
    private final BoundedBody bodies;
    private final Answers answers;

    /** A controller over these consumers. */
    public SettlementsController(PullConsumers consumers, BoundedBody bodies, Answers answers) {
        this.consumers = consumers;
        this.bodies = bodies;
        this.answers = answers;
    }

    @DeleteMapping
    CompletableFuture<ResponseEntity<byte[]>> ack(@PathVariable("receipt") String text, Caller caller) {
        return settle(receipt(text, caller), PullConsumer::ackAsync);
    }

    @PostMapping("/release")
    CompletableFuture<ResponseEntity<byte[]>> release(@PathVariable("receipt") String text, Caller caller) {
        return settle(receipt(text, caller), PullConsumer::releaseAsync);
    }

    @PostMapping("/extend")
    CompletableFuture<ResponseEntity<byte[]>> extend(
            @PathVariable("receipt") String text, Caller caller, HttpServletRequest request) throws IOException {
        Receipt receipt = receipt(text, caller);
        Duration lease = ClaimRequest.lease(fields(request, Set.of("lease")));
        if (lease == null) {
            throw ProblemException.invalid("lease", "is needed");
        }
        return settle(receipt, (consumer, held) -> consumer.extendAsync(held, lease));
    }

    @PostMapping("/dead-letter")
    CompletableFuture<ResponseEntity<byte[]>> deadLetter(
            @PathVariable("receipt") String text, Caller caller, HttpServletRequest request) throws IOException {
        Receipt receipt = receipt(text, caller);
        String reason = reason(fields(request, Set.of("reason")));
        return settle(receipt, (consumer, held) -> consumer.deadLetterAsync(held, reason));
    }

    @PostMapping("/retry")
    CompletableFuture<ResponseEntity<byte[]>> retry(
            @PathVariable("receipt") String text, Caller caller, HttpServletRequest request) throws IOException {
        Receipt receipt = receipt(text, caller);
        Fields fields = fields(request, Set.of("delay", "reason"));
        Duration delay = fields.duration("delay");
        String reason = reason(fields);
        return consumers
                .settle(receipt.topic(), consumer -> consumer.retryAsync(receipt, delay, reason))
                .thenApply(outcome -> retried(outcome).entity());
    }

    private Answer retried(RetryOutcome outcome) {
        return outcome == RetryOutcome.LEASE_LOST
                ? leaseLost()
                : answers.of(200, Map.of("outcome", outcome.name().toLowerCase(Locale.ROOT)));
    }

    private CompletableFuture<ResponseEntity<byte[]>> settle(
            Receipt receipt, BiFunction<PullConsumer, Receipt, CompletableFuture<Boolean>> settlement) {
        return consumers
                .settle(receipt.topic(), consumer -> settlement.apply(consumer, receipt))
                .thenApply(held -> (held ? Answer.none() : leaseLost()).entity());
    }

    private Answer leaseLost() {
        return answers.of(Problem.of(ProblemType.LEASE_LOST, "nothing was changed", null));
    }

    private Fields fields(HttpServletRequest request, Set<String> known) throws IOException {
        return new Fields(answers.json().read(bodies.readOptional(request)), known);
    }

    private static String reason(Fields fields) {
        @Nullable String reason = fields.text("reason");
        return reason == null ? "the client gave no reason" : reason;
    }

    private static Receipt receipt(String text, Caller caller) {
        Receipt receipt;
        try {
            receipt = Receipt.parse(text);
        } catch (IllegalArgumentException e) {
            throw new ProblemException(ProblemType.INVALID_RECEIPT, "a claim's answer has receipts", "receipt");
        }
        caller.require(Right.CONSUME, receipt.topic());
        return receipt;
    }
}
