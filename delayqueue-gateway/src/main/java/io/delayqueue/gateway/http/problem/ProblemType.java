package io.delayqueue.gateway.http.problem;

import java.net.URI;

/** The errors of the HTTP API. */
public enum ProblemType {
    INVALID_REQUEST(400, "invalid-request", "The request is invalid"),
    INVALID_RECEIPT(400, "invalid-receipt", "This is no receipt"),
    UNAUTHENTICATED(401, "unauthenticated", "The caller is unknown"),
    FORBIDDEN(403, "forbidden", "The caller lacks the right"),
    NOT_FOUND(404, "not-found", "No message has this id"),
    NO_SUCH_PATH(404, "no-such-path", "The API has no such path"),
    NO_JOURNAL(404, "no-journal", "The gateway has no journal"),
    METHOD_NOT_ALLOWED(405, "method-not-allowed", "The path does not allow this method"),
    NOT_ACCEPTABLE(406, "not-acceptable", "The header Accept allows no JSON"),
    BODY_TOO_SLOW(408, "body-too-slow", "The body did not come in time"),
    DUPLICATE(409, "duplicate", "A message with this id exists"),
    IN_FLIGHT(409, "in-flight", "The message is being handled"),
    LEASE_LOST(409, "lease-lost", "The lease of the message is over, or the message was settled"),
    REQUEST_UNDER_WAY(409, "request-under-way", "The first request with this Idempotency-Key has no answer yet"),
    BODY_TOO_LARGE(413, "body-too-large", "The body is too large"),
    UNSUPPORTED_MEDIA_TYPE(415, "unsupported-media-type", "The body is not application/json"),
    KEY_REUSED(422, "idempotency-key-reused", "The Idempotency-Key belongs to another request"),
    TOPIC_FULL(429, "topic-full", "The topic has reached its maximum of pending messages"),
    TOO_MANY_TOPICS(429, "too-many-topics", "The caller claims from too many topics"),
    TOO_MANY_REQUESTS(429, "too-many-requests", "Too many requests"),
    FAILED(500, "failed", "The request failed"),
    REDIS_FULL(503, "redis-full", "Redis has no memory left"),
    REDIS_UNAVAILABLE(503, "redis-unavailable", "Redis did not answer"),
    JOURNAL_UNAVAILABLE(503, "journal-unavailable", "The journal's database failed"),
    TOO_FEW_REPLICAS(503, "too-few-replicas", "Too few replicas confirmed the message"),
    OVERLOADED(503, "overloaded", "The server has too many waiting requests"),
    STOPPING(503, "stopping", "The gateway is stopping");

    private static final String PREFIX = "urn:delayqueue:problem:";

    private final int status;
    private final String code;
    private final String title;

    ProblemType(int status, String code, String title) {
        this.status = status;
        this.code = code;
        this.title = title;
    }

    /** The HTTP status. */
    public int status() {
        return status;
    }

    /** The code: the end of {@link #uri}. */
    public String code() {
        return code;
    }

    /** The type of the problem details. */
    public URI uri() {
        return URI.create(PREFIX + code);
    }

    /** The code of a problem of one of the types. */
    public static String code(Problem problem) {
        return problem.type().toString().substring(PREFIX.length());
    }

    /** The title: the same for all problems of this type. */
    public String title() {
        return title;
    }
}
