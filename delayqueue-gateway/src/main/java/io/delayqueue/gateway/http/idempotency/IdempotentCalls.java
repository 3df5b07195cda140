package io.delayqueue.gateway.http.idempotency;

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
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.http.ResponseEntity;

/**
 * Carries out requests with an Idempotency-Key once. A repeat gets the answer of the first request. If that has none, since its gateway
 * died or Redis did not answer, the repeat is carried out for the same messages, which the queue recognises.
 */
public final class IdempotentCalls {

    private static final Logger log = LoggerFactory.getLogger(IdempotentCalls.class);

    private final IdempotencyStore store;
    private final Answers answers;
    private final Duration lost;
    private final Clock clock;

    /**
     * Calls over a store.
     *
     * @param lost time after which a request without an answer may be repeated
     */
    public IdempotentCalls(IdempotencyStore store, Answers answers, Duration lost, Clock clock) {
        this.store = store;
        this.answers = answers;
        this.lost = lost;
        this.clock = clock;
    }

    /**
     * Carries out a request.
     *
     * @param call makes the answer; given an identity if the request has a key
     */
    public CompletableFuture<ResponseEntity<byte[]>> run(
            HttpServletRequest request,
            Caller caller,
            byte[] body,
            Function<@Nullable MessageIdentity, CompletableFuture<Answer>> call) {
        IdempotencyKey key = IdempotencyKey.parse(request.getHeader(IdempotencyKey.HEADER));
        if (key == null) {
            return answer(null, call).thenApply(Answer::entity);
        }
        String stored = hash(String.join("\n", caller.name(), request.getMethod(), target(request), key.value())
                .getBytes(StandardCharsets.UTF_8));
        RequestRecord mine = new RequestRecord(hash(body), UUID.randomUUID().toString(), clock.millis(), null);
        RequestRecord first = begin(stored, mine);
        if (first != null && !first.fingerprint().equals(mine.fingerprint())) {
            throw new ProblemException(
                    ProblemType.KEY_REUSED, "the first request had another body", IdempotencyKey.HEADER);
        }
        if (first != null && first.answer() != null) {
            return CompletableFuture.completedFuture(first.answer().entity(true));
        }
        if (first != null && clock.millis() - first.begunMillis() < lost.toMillis()) {
            throw new ProblemException(
                    ProblemType.REQUEST_UNDER_WAY, "repeat the request in a moment", IdempotencyKey.HEADER);
        }
        RequestRecord begun = first == null ? mine : first;
        return answer(new MessageIdentity(begun.seed()), call)
                .thenCompose(answer -> end(stored, begun, answer).handle((kept, failure) -> {
                    if (failure != null) {
                        log.debug(
                                "An answer could not be kept: a repeat is carried out for the same messages", failure);
                    }
                    return answer.entity();
                }));
    }

    private CompletableFuture<Answer> answer(
            @Nullable MessageIdentity identity, Function<@Nullable MessageIdentity, CompletableFuture<Answer>> call) {
        try {
            return call.apply(identity).exceptionally(answers::of);
        } catch (RuntimeException e) {
            return CompletableFuture.completedFuture(answers.of(e));
        }
    }

    private @Nullable RequestRecord begin(String key, RequestRecord mine) {
        try {
            return store.begin(key, mine);
        } catch (DataAccessException e) {
            log.debug("A request with an Idempotency-Key could not be kept", e);
            throw new ProblemException(ProblemType.REDIS_UNAVAILABLE, "nothing was done: repeat the request");
        }
    }

    private CompletableFuture<?> end(String key, RequestRecord begun, Answer answer) {
        return switch (answer.repeat()) {
            case REPLAY ->
                store.put(key, new RequestRecord(begun.fingerprint(), begun.seed(), begun.begunMillis(), answer));
            case SAME_MESSAGES -> store.put(key, new RequestRecord(begun.fingerprint(), begun.seed(), 0, null));
            case ANEW -> store.delete(key);
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
