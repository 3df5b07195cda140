package io.delayqueue.dashboard.http;

/** A request that is answered by problem details. */
final class ProblemException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final ProblemType type;

    ProblemException(ProblemType type, String detail) {
        // a wrong request is no reason for a stack trace
        super(detail, null, false, false);
        this.type = type;
    }

    static ProblemException invalid(String detail) {
        return new ProblemException(ProblemType.INVALID_REQUEST, detail);
    }

    ProblemType type() {
        return type;
    }
}
