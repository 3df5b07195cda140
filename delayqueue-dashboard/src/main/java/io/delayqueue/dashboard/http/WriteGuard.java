package io.delayqueue.dashboard.http;

import io.delayqueue.dashboard.access.DashboardCallers;
import io.delayqueue.spring.operator.Caller;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;

/**
 * Lets writes through that the page itself makes. A browser names the site that a request comes from, and no script can change that
 * header: so other sites can't act by a user's session or password, even where the application has no protection against it.
 */
final class WriteGuard {

    private static final int MAX_BODY = 1024 * 1024;

    private final DashboardCallers callers;
    private final Answers answers;

    WriteGuard(DashboardCallers callers, Answers answers) {
        this.callers = callers;
        this.answers = answers;
    }

    /** The caller, if writes are enabled and the request comes from the page. */
    Caller caller(HttpServletRequest request) {
        Caller caller = callers.of(request);
        if (!callers.isWriteEnabled()) {
            throw new ProblemException(
                    ProblemType.READ_ONLY, "delayqueue.dashboard.write-enabled is not true in this application");
        }
        if (!"same-origin".equals(request.getHeader("Sec-Fetch-Site"))) {
            throw new ProblemException(
                    ProblemType.CROSS_SITE,
                    "the browser sent no Sec-Fetch-Site: same-origin; over plain HTTP it sends none");
        }
        return caller;
    }

    /** The request's body. */
    <T> T body(HttpServletRequest request, Class<T> type) throws IOException {
        if (!isJson(request.getContentType())) {
            throw new ProblemException(ProblemType.UNSUPPORTED_MEDIA_TYPE, "the body must be application/json");
        }
        byte[] body = request.getInputStream().readNBytes(MAX_BODY + 1);
        if (body.length > MAX_BODY) {
            throw new ProblemException(ProblemType.BODY_TOO_LARGE, "a body has at most " + MAX_BODY + " bytes");
        }
        return answers.read(body, type);
    }

    private static boolean isJson(@Nullable String contentType) {
        try {
            return contentType != null
                    && MediaType.APPLICATION_JSON.equalsTypeAndSubtype(MediaType.valueOf(contentType));
        } catch (InvalidMediaTypeException e) {
            return false;
        }
    }
}
