package io.delayqueue.dashboard.http;

import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.async.AsyncRequestNotUsableException;

/** Answers failed requests of the dashboard by problem details. */
@RestControllerAdvice(basePackageClasses = ProblemAdvice.class)
public final class ProblemAdvice {

    private final Answers answers;

    /** Advice that answers so. */
    public ProblemAdvice(Answers answers) {
        this.answers = answers;
    }

    @ExceptionHandler
    @Nullable
    ResponseEntity<byte[]> failed(Throwable failure) {
        if (failure instanceof AsyncRequestNotUsableException) {
            return null;
        }
        return answers.problem(failure);
    }
}
