package io.delayqueue.gateway.sqs.protocol;

import io.delayqueue.ClientOverloadedException;
import io.delayqueue.DelayQueueClosedException;
import io.delayqueue.RedisAccessDeniedException;
import io.delayqueue.RedisFullException;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.ReplicationTimeoutException;
import io.delayqueue.TopicFullException;
import io.delayqueue.gateway.FutureFailures;
import io.delayqueue.gateway.security.ForbiddenException;
import java.util.UUID;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;

/** SQS' errors for failures of the queue. */
public final class SqsErrors {

    private static final Logger log = LoggerFactory.getLogger(SqsErrors.class);

    private static final String UNAVAILABLE = "The queue can't be reached now. Repeat the request.";
    private static final String LATE =
            "The queue can't be reached now: the request may have been carried out. Repeat it.";

    private SqsErrors() {}

    /** The error that a client gets for a failure. Unknown failures are logged, and named by an id only. */
    public static SqsException of(Throwable failure) {
        Throwable cause = FutureFailures.unwrap(failure);
        if (cause instanceof SqsException e) {
            return e;
        }
        if (cause instanceof ForbiddenException e) {
            return new SqsException(SqsError.ACCESS_DENIED, "Access denied: " + e.getMessage() + ".");
        }
        if (cause instanceof IllegalArgumentException e) {
            return new SqsException(SqsError.INVALID_PARAMETER_VALUE, String.valueOf(e.getMessage()));
        }
        if (cause instanceof TopicFullException e) {
            return new SqsException(SqsError.OVER_LIMIT, String.valueOf(e.getMessage()));
        }
        if (cause instanceof ClientOverloadedException) {
            return new SqsException(SqsError.REQUEST_THROTTLED, "Too many requests wait for Redis.");
        }
        if (cause instanceof RedisUnavailableException
                || cause instanceof RedisFullException
                || cause instanceof ReplicationTimeoutException
                || cause instanceof DelayQueueClosedException
                || cause instanceof RejectedExecutionException) {
            return unavailable();
        }
        if (cause instanceof RedisAccessDeniedException) {
            return new SqsException(SqsError.SERVICE_UNAVAILABLE, UNAVAILABLE, cause);
        }
        if (cause instanceof DataAccessException || cause instanceof TransactionException) {
            return new SqsException(SqsError.SERVICE_UNAVAILABLE, LATE, cause);
        }
        String logId = UUID.randomUUID().toString();
        log.error("A request failed; the response quotes log id {}", logId, failure);
        return new SqsException(
                SqsError.INTERNAL_FAILURE,
                "The request failed. The gateway's log has the cause under id " + logId + ".");
    }

    /** The error for requests whose outcome is unknown. */
    public static SqsException late() {
        return new SqsException(SqsError.SERVICE_UNAVAILABLE, LATE);
    }

    /** The error for requests that may succeed when they are repeated: SQS' clients do that by themselves. */
    public static SqsException unavailable() {
        return new SqsException(SqsError.SERVICE_UNAVAILABLE, UNAVAILABLE);
    }
}
