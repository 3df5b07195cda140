package io.delayqueue.gateway.http;

import io.delayqueue.gateway.http.body.Answers;
import io.delayqueue.gateway.http.problem.ProblemException;
import io.delayqueue.gateway.http.problem.ProblemType;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.async.AsyncRequestNotUsableException;
import org.springframework.web.context.request.async.AsyncRequestTimeoutException;

/** Answers failed requests of the HTTP API by problem details. */
@RestControllerAdvice(basePackageClasses = ProblemAdvice.class)
public final class ProblemAdvice {

    private final Answers answers;

    /** Advice that answers so. */
    public ProblemAdvice(Answers answers) {
        this.answers = answers;
    }

    @ExceptionHandler
    @Nullable
    ResponseEntity<byte[]> failed(Exception failure) {
        if (failure instanceof AsyncRequestNotUsableException) {
            return null;
        }
        if (failure instanceof AsyncRequestTimeoutException) {
            return answer(new ProblemException(
                    ProblemType.REDIS_UNAVAILABLE, "no answer came in time: the request may have been carried out"));
        }
        if (failure instanceof ErrorResponse response
                && response.getStatusCode().is4xxClientError()) {
            String detail = response.getBody().getDetail();
            return answer(
                    new ProblemException(ProblemType.INVALID_REQUEST, detail == null ? "invalid request" : detail));
        }
        return answer(failure);
    }

    private ResponseEntity<byte[]> answer(Exception failure) {
        ResponseEntity<byte[]> entity = answers.of(failure).entity();
        if (entity.getStatusCode().value() != ProblemType.UNAUTHENTICATED.status()) {
            return entity;
        }
        return ResponseEntity.status(entity.getStatusCode())
                .headers(entity.getHeaders())
                .header(HttpHeaders.WWW_AUTHENTICATE, "Bearer")
                .body(entity.getBody());
    }
}
