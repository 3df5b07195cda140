package io.delayqueue.dashboard.http;

import io.delayqueue.ClientOverloadedException;
import io.delayqueue.DelayQueueException;
import io.delayqueue.dashboard.access.UnauthenticatedException;
import io.delayqueue.spring.operator.MissingRightException;
import io.delayqueue.spring.operator.TooManyJobsException;
import io.delayqueue.spring.operator.UnknownPlanException;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.TypeMismatchException;
import org.springframework.web.ErrorResponse;
import org.springframework.web.context.request.async.AsyncRequestTimeoutException;

/** Turns failures into problem details. A failure that no type fits is logged, and its words are kept from the user. */
final class Problems {

    private static final Logger log = LoggerFactory.getLogger(Problems.class);
    private static final long WARNING_NANOS = Duration.ofMinutes(1).toNanos();

    private final AtomicLong nextWarning = new AtomicLong(System.nanoTime());

    Problem of(Throwable thrown) {
        Throwable failure =
                thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
        if (failure instanceof ProblemException problem) {
            return Problem.of(problem.type(), words(problem));
        }
        if (failure instanceof UnauthenticatedException) {
            return Problem.of(ProblemType.UNAUTHENTICATED, words(failure));
        }
        if (failure instanceof MissingRightException) {
            return Problem.of(ProblemType.FORBIDDEN, words(failure));
        }
        if (failure instanceof UnknownPlanException) {
            return Problem.of(ProblemType.NOT_FOUND, words(failure));
        }
        if (failure instanceof TooManyJobsException) {
            return Problem.of(ProblemType.TOO_MANY_JOBS, words(failure));
        }
        if (failure instanceof TypeMismatchException mismatch) {
            return Problem.of(
                    ProblemType.INVALID_REQUEST, "parameter " + mismatch.getPropertyName() + " is no value of it");
        }
        if (failure instanceof ErrorResponse response
                && response.getStatusCode().is4xxClientError()) {
            return Problem.of(
                    ProblemType.INVALID_REQUEST,
                    String.valueOf(response.getBody().getDetail()));
        }
        if (failure instanceof IllegalArgumentException) {
            return Problem.of(ProblemType.INVALID_REQUEST, words(failure));
        }
        if (failure instanceof RejectedExecutionException || failure instanceof ClientOverloadedException) {
            return Problem.of(ProblemType.OVERLOADED, "nothing was done: try again");
        }
        if (failure instanceof TimeoutException || failure instanceof AsyncRequestTimeoutException) {
            return Problem.of(
                    ProblemType.REDIS_UNAVAILABLE, "no answer came in time; a change may have been carried out");
        }
        if (failure instanceof DelayQueueException) {
            warn("The dashboard can't read or change topics", failure);
            return Problem.of(ProblemType.REDIS_UNAVAILABLE, words(failure));
        }
        log.error("A request of the dashboard failed", failure);
        return Problem.of(ProblemType.FAILED, "see the application's log");
    }

    String ofStory(Throwable failure) {
        warn("The dashboard can't read the journal", failure);
        return "The journal could not be read: see the application's log";
    }

    /** Once a minute: each viewer asks every few seconds. */
    private void warn(String what, Throwable failure) {
        long now = System.nanoTime();
        long next = nextWarning.get();
        if (now - next >= 0 && nextWarning.compareAndSet(next, now + WARNING_NANOS)) {
            log.warn(what, failure);
        }
    }

    private static String words(Throwable failure) {
        return String.valueOf(failure.getMessage());
    }
}
