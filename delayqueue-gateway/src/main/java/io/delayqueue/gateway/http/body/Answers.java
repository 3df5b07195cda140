package io.delayqueue.gateway.http.body;

import io.delayqueue.gateway.http.problem.Problem;
import io.delayqueue.gateway.http.problem.ProblemType;
import io.delayqueue.gateway.http.problem.Problems;
import io.delayqueue.gateway.security.RefusedRequests;
import java.util.List;

/**
 * Makes answers of views and failures.
 *
 * @param json writes bodies
 * @param problems tells problems of failures
 * @param refused counts requests that met a bound
 */
public record Answers(Json json, Problems problems, RefusedRequests refused) {

    /** Problems of requests that met a bound. */
    private static final List<ProblemType> REFUSALS = List.of(
            ProblemType.TOPIC_FULL, ProblemType.TOO_MANY_TOPICS, ProblemType.TOO_MANY_REQUESTS, ProblemType.OVERLOADED);

    /** Answers of an endpoint. */
    public Answers(Json json, Problems problems) {
        this(
                json,
                problems,
                new RefusedRequests(REFUSALS.stream().map(ProblemType::code).toList()));
    }

    /** An answer with a view. */
    public Answer of(int status, Object view) {
        return Answer.json(status, json.write(view));
    }

    /** An answer with problem details. */
    public Answer of(Problem problem) {
        refused.answered(ProblemType.code(problem));
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
