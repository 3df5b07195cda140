package io.delayqueue.gateway.http.problem;

import org.jspecify.annotations.Nullable;

/** A request that is answered by problem details. */
public final class ProblemException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final ProblemType type;
    private final @Nullable String field;

    /** A problem with words for the caller. */
    public ProblemException(ProblemType type, String detail) {
        this(type, detail, null);
    }

    /** A problem with words for the caller, about a field of the body, a header or a parameter. */
    public ProblemException(ProblemType type, String detail, @Nullable String field) {
        // a wrong request is no reason for a stack trace
        super(detail, null, false, false);
        this.type = type;
        this.field = field;
    }

    /** An invalid field of a request. */
    public static ProblemException invalid(String field, String detail) {
        return new ProblemException(ProblemType.INVALID_REQUEST, detail, field);
    }

    /** The type. */
    public ProblemType type() {
        return type;
    }

    /** The invalid field, header or parameter; null if it is none of them. */
    public @Nullable String field() {
        return field;
    }
}
