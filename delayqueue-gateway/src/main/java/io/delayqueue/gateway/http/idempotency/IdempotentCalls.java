package io.delayqueue.gateway.http.idempotency;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.gateway.http.body.Answer;
import io.delayqueue.gateway.http.body.Answers;
import io.delayqueue.gateway.http.body.MessageIdentity;
import io.delayqueue.gateway.http.problem.ProblemException;
import io.delayqueue.gateway.http.problem.ProblemType;
import io.delayqueue.gateway.security.Caller;
import jakarta.servlet.http.HttpServletRequest;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Clock;
import java.time.Duration;
import java.util.HexFormat;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.http.ResponseEntity;

/**
 * Carries out requests with an Idempotency-Key once. A repeat gets the answer of the first request. If that has none, since its gateway
 * died or Redis did not answer, the repeat is carried out for the same messages, which the queue recognises.
 */
public final class IdempotentCalls {

    private static final Logger log = LoggerFactory.getLogger(IdempotentCalls.class);

    /** The call that a request makes. */
    @FunctionalInterface
    public interface Call {

        /**
         * Makes the answer.
         *
         * @param identity of the request's messages; null if the request has no key
         */
        CompletableFuture<Answer> answer(@Nullable MessageIdentity identity);
    }

    private final DelayQueueClient client;
    private final IdempotencyStore store;
    private final Answers answers;
    private final Duration lost;
    private final Clock clock;

    /**
     * Calls over a store.
     *
     * @param client whose threads go on with a request once Redis has answered
     * @param lost time after which a request without an answer may be repeated
     */
    public IdempotentCalls(
            DelayQueueClient client, IdempotencyStore store, Answers answers, Duration lost, Clock clock) {
        this.client = client;
        this.store = store;
        this.answers = answers;
        this.lost = lost;
        this.clock = clock;
    }

    /** Carries out a request. Waits for nothing. */
    public CompletableFuture<ResponseEntity<byte[]>> run(
            HttpServletRequest request, Caller caller, byte[] body, Call call) {
        IdempotencyKey key = IdempotencyKey.parse(request.getHeader(IdempotencyKey.HEADER));
        if (key == null) {
            return answer(null, call).thenApply(Answer::entity);
        }
        String stored = hash(String.join("\n", caller.name(), request.getMethod(), target(request), key.value())
                .getBytes(StandardCharsets.UTF_8));
        RequestRecord mine = new RequestRecord(hash(body), UUID.randomUUID().toString(), clock.millis(), null);
        // the rest is not for the threads of Redis' connection
        return store.begin(stored, mine)
                .exceptionally(failure -> {
                    throw notKept(failure);
                })
                .thenComposeAsync(
                        first -> first.map(kept -> repeat(stored, mine, kept, call))
                                .orElseGet(() -> carryOut(stored, mine, call)),
                        client.completionExecutor());
    }

    private CompletableFuture<ResponseEntity<byte[]>> repeat(
            String key, RequestRecord mine, RequestRecord first, Call call) {
        if (!first.fingerprint().equals(mine.fingerprint())) {
            throw new ProblemException(
                    ProblemType.KEY_REUSED, "the first request had another body", IdempotencyKey.HEADER);
        }
        if (first.answer() != null) {
            return CompletableFuture.completedFuture(first.answer().entity(true));
        }
        if (mine.begunMillis() - first.begunMillis() < lost.toMillis()) {
            throw underWay();
        }
        RequestRecord again = first.begun(mine.begunMillis());
        return store.takeOver(key, first, again, lost)
                .exceptionally(failure -> {
                    throw notKept(failure);
                })
                .thenComposeAsync(
                        taken -> {
                            if (!taken) {
                                throw underWay();
                            }
                            return carryOut(key, again, call);
                        },
                        client.completionExecutor());
    }

    private static ProblemException underWay() {
        return new ProblemException(
                ProblemType.REQUEST_UNDER_WAY, "repeat the request in a moment", IdempotencyKey.HEADER);
    }

    private CompletableFuture<ResponseEntity<byte[]>> carryOut(String key, RequestRecord begun, Call call) {
        return answer(new MessageIdentity(begun.seed()), call)
                .thenCompose(answer -> end(key, begun, answer).handle((kept, failure) -> {
                    if (failure != null) {
                        log.debug(
                                "An answer could not be kept: a repeat is carried out for the same messages", failure);
                    }
                    return answer.entity();
                }));
    }

    private CompletableFuture<Answer> answer(@Nullable MessageIdentity identity, Call call) {
        try {
            return call.answer(identity).exceptionally(answers::of);
        } catch (RuntimeException e) {
            return CompletableFuture.completedFuture(answers.of(e));
        }
    }

    private static ProblemException notKept(Throwable failure) {
        log.debug("A request with an Idempotency-Key could not be kept", failure);
        boolean isFull = String.valueOf(
                        NestedExceptionUtils.getMostSpecificCause(failure).getMessage())
                .startsWith("OOM");
        return new ProblemException(
                isFull ? ProblemType.REDIS_FULL : ProblemType.REDIS_UNAVAILABLE,
                "nothing was done: repeat the request");
    }

    private CompletableFuture<?> end(String key, RequestRecord begun, Answer answer) {
        return switch (answer.repeat()) {
            case REPLAY -> store.put(key, begun.answered(answer));
            case SAME_MESSAGES -> store.put(key, begun.uncertain());
            case ANEW -> store.delete(key, begun);
        };
    }

    private static String target(HttpServletRequest request) {
        String query = request.getQueryString();
        return query == null ? request.getRequestURI() : request.getRequestURI() + '?' + query;
    }

    private static String hash(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }
}
