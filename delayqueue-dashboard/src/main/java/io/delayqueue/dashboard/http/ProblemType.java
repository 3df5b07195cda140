package io.delayqueue.dashboard.http;

import java.net.URI;

/** The errors of the page's API. */
enum ProblemType {
    INVALID_REQUEST(400, "invalid-request", "The request is invalid"),
    UNAUTHENTICATED(401, "unauthenticated", "The user is unknown"),
    FORBIDDEN(403, "forbidden", "The user lacks the right"),
    READ_ONLY(403, "read-only", "The dashboard only shows"),
    CROSS_SITE(403, "cross-site", "The request does not come from the page"),
    MASKED(403, "masked", "The payload is masked"),
    NOT_FOUND(404, "not-found", "There is no such topic, message, plan or job"),
    NO_SUCH_PATH(404, "no-such-path", "The dashboard has no such path"),
    METHOD_NOT_ALLOWED(405, "method-not-allowed", "The path does not allow this method"),
    TOO_MANY_JOBS(409, "too-many-jobs", "Too many bulk operations are running"),
    BODY_TOO_LARGE(413, "body-too-large", "The body is too large"),
    UNSUPPORTED_MEDIA_TYPE(415, "unsupported-media-type", "The body is not application/json"),
    FAILED(500, "failed", "The request failed"),
    REDIS_UNAVAILABLE(503, "redis-unavailable", "Redis did not answer"),
    OVERLOADED(503, "overloaded", "The server has too many waiting requests");

    private final int status;
    private final String code;
    private final String title;

    ProblemType(int status, String code, String title) {
        this.status = status;
        this.code = code;
        this.title = title;
    }

    int status() {
        return status;
    }

    URI uri() {
        return URI.create("urn:delayqueue:problem:" + code);
    }

    String title() {
        return title;
    }
}
