package io.delayqueue.gateway.http.problem;

import io.delayqueue.ClientOverloadedException;
import io.delayqueue.DelayQueueClosedException;
import io.delayqueue.RedisAccessDeniedException;
import io.delayqueue.RedisFullException;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.ReplicationTimeoutException;
import io.delayqueue.TopicFullException;
import io.delayqueue.gateway.FutureFailures;
import io.delayqueue.gateway.claim.TooManyTopicsException;
import io.delayqueue.gateway.log.RareWarnings;
import io.delayqueue.gateway.security.ForbiddenException;
import java.io.IOException;
import java.util.UUID;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;
import org.springframework.web.ErrorResponse;
import org.springframework.web.context.request.async.AsyncRequestTimeoutException;

/** Turns failures into problem details. A failure that no type fits is logged, and its words are kept from the caller. */
public final class Problems {

    private static final Logger log = LoggerFactory.getLogger(Problems.class);

    /** Each request fails so, until somebody changes the user's permissions. */
    private final RareWarnings refusals = new RareWarnings(log, System::nanoTime);

    private final RareWarnings ofDatabase = new RareWarnings(log, System::nanoTime);

    /** The problem details of a failure. */
    public Problem of(Throwable thrown) {
        Throwable failure = FutureFailures.unwrap(thrown);
        if (failure instanceof ProblemException problem) {
            return Problem.of(problem.type(), words(problem), problem.field());
        }
        if (failure instanceof ForbiddenException) {
            return Problem.of(ProblemType.FORBIDDEN, words(failure), null);
        }
        if (failure instanceof AsyncRequestTimeoutException) {
            return Problem.of(
                    ProblemType.REDIS_UNAVAILABLE,
                    "no answer came in time: the request may have been carried out; repeat it",
                    null);
        }
        if (failure instanceof ErrorResponse response
                && response.getStatusCode().is4xxClientError()) {
            return refused(response);
        }
        if (failure instanceof TimeoutException) {
            return Problem.of(ProblemType.REDIS_UNAVAILABLE, "the request may have been carried out: repeat it", null);
        }
        if (failure instanceof IllegalArgumentException) {
            return Problem.of(ProblemType.INVALID_REQUEST, words(failure), null);
        }
        if (failure instanceof IOException) {
            return Problem.of(ProblemType.INVALID_REQUEST, "the body could not be read", null);
        }
        if (failure instanceof TopicFullException) {
            return Problem.of(ProblemType.TOPIC_FULL, words(failure), null);
        }
        if (failure instanceof ClientOverloadedException) {
            return Problem.of(ProblemType.OVERLOADED, "too many calls wait for Redis; nothing was sent", null);
        }
        if (failure instanceof TooManyTopicsException) {
            return Problem.of(ProblemType.TOO_MANY_TOPICS, words(failure), null);
        }
        if (failure instanceof RejectedExecutionException) {
            return Problem.of(ProblemType.OVERLOADED, "too many calls wait; nothing was done", null);
        }
        if (failure instanceof RedisFullException) {
            return Problem.of(ProblemType.REDIS_FULL, "nothing was changed", null);
        }
        if (failure instanceof RedisAccessDeniedException) {
            refusals.warn("Redis refuses the gateway", failure);
            return Problem.of(ProblemType.REDIS_UNAVAILABLE, "Redis refuses the gateway: see its log", null);
        }
        if (failure instanceof RedisUnavailableException) {
            return Problem.of(ProblemType.REDIS_UNAVAILABLE, "the request may have been carried out: repeat it", null);
        }
        if (failure instanceof DataAccessException || failure instanceof TransactionException) {
            ofDatabase.warn("A request failed in the journal's database", failure);
            return Problem.of(
                    ProblemType.JOURNAL_UNAVAILABLE, "the request may have been carried out: repeat it", null);
        }
        if (failure instanceof ReplicationTimeoutException) {
            return Problem.of(
                    ProblemType.TOO_FEW_REPLICAS, "the message exists, but may be lost: repeat the request", null);
        }
        if (failure instanceof DelayQueueClosedException) {
            return Problem.of(ProblemType.STOPPING, "the request may have been carried out: repeat it", null);
        }
        String logId = UUID.randomUUID().toString();
        log.error("A request failed; the response quotes log id {}", logId, failure);
        return Problem.failed(logId);
    }

    /** A request that Spring MVC refused. */
    private static Problem refused(ErrorResponse response) {
        String given = response.getBody().getDetail();
        String detail = given == null ? "invalid request" : given;
        return switch (response.getStatusCode().value()) {
            case 404 -> Problem.of(ProblemType.NO_SUCH_PATH, detail, null);
            case 405 -> Problem.of(ProblemType.METHOD_NOT_ALLOWED, detail, null);
            case 406 -> Problem.of(ProblemType.NOT_ACCEPTABLE, detail, "Accept");
            case 413 -> Problem.of(ProblemType.BODY_TOO_LARGE, detail, "body");
            case 415 -> Problem.of(ProblemType.UNSUPPORTED_MEDIA_TYPE, detail, "Content-Type");
            default -> Problem.of(ProblemType.INVALID_REQUEST, detail, null);
        };
    }

    /** Whether a request that failed so may have been carried out nevertheless. */
    public static boolean isOutcomeUnknown(Problem problem) {
        return problem.status() >= 500
                && !problem.type().equals(ProblemType.REDIS_FULL.uri())
                && !problem.type().equals(ProblemType.OVERLOADED.uri());
    }

    /** Whether a request that was answered so was carried out: the queue's state decided against it. */
    public static boolean isOutcome(Problem problem) {
        return problem.type().equals(ProblemType.NOT_FOUND.uri())
                || problem.type().equals(ProblemType.DUPLICATE.uri())
                || problem.type().equals(ProblemType.IN_FLIGHT.uri());
    }

    private static String words(Throwable failure) {
        return String.valueOf(failure.getMessage());
    }
}
