package io.delayqueue.dashboard.http;

import java.net.URI;

/** Problem details as RFC 9457 has them. */
record Problem(URI type, String title, int status, String detail) {

    static Problem of(ProblemType type, String detail) {
        return new Problem(type.uri(), type.title(), type.status(), detail);
    }
}
