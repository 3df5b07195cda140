package io.delayqueue.gateway.http.body;

import io.delayqueue.gateway.http.problem.Problem;
import io.delayqueue.gateway.http.problem.Problems;

/**
 * Makes answers of views and failures.
 *
 * @param json writes bodies
 * @param problems tells problems of failures
 */
public record Answers(Json json, Problems problems) {

    /** An answer with a view. */
    public Answer of(int status, Object view) {
        return Answer.json(status, json.write(view));
    }

    /** An answer with problem details. */
    public Answer of(Problem problem) {
        Integer retryAfter = problem.status() == 429 || problem.status() == 503 ? 1 : null;
        Answer.Repeat repeat = Answer.Repeat.ANEW;
        if (Problems.isOutcomeUnknown(problem)) {
            repeat = Answer.Repeat.SAME_MESSAGES;
        } else if (Problems.isOutcome(problem)) {
            repeat = Answer.Repeat.REPLAY;
        }
        return new Answer(problem.status(), "application/problem+json", null, retryAfter, json.write(problem), repeat);
    }

    /** An answer to a request that failed. */
    public Answer of(Throwable failure) {
        return of(problems.of(failure));
    }
}
