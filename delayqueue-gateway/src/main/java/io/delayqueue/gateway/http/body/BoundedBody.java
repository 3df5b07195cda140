package io.delayqueue.gateway.http.body;

import io.delayqueue.gateway.http.problem.ProblemException;
import io.delayqueue.gateway.http.problem.ProblemType;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.Locale;

/**
 * Reads bodies of requests, up to a largest size.
 *
 * @param maxBytes the largest size
 */
public record BoundedBody(int maxBytes) {

    /**
     * The whole body.
     *
     * @throws ProblemException if it is too large, or its type is not JSON
     */
    public byte[] read(HttpServletRequest request) throws IOException {
        requireJson(request.getContentType());
        if (request.getContentLengthLong() > maxBytes) {
            throw tooLarge();
        }
        byte[] body = request.getInputStream().readNBytes(maxBytes + 1);
        if (body.length > maxBytes) {
            throw tooLarge();
        }
        return body;
    }

    /** The whole body, or an empty object if there is none. */
    public byte[] readOptional(HttpServletRequest request) throws IOException {
        boolean none = request.getContentLengthLong() <= 0 && request.getHeader("Transfer-Encoding") == null;
        return none ? new byte[] {'{', '}'} : read(request);
    }

    /** Other types are refused, also because browsers send some of them across sites unasked. */
    private static void requireJson(String contentType) {
        String type =
                contentType == null ? "" : contentType.split(";", 2)[0].trim().toLowerCase(Locale.ROOT);
        if (!type.equals("application/json")) {
            throw new ProblemException(
                    ProblemType.UNSUPPORTED_MEDIA_TYPE, "send Content-Type: application/json", "Content-Type");
        }
    }

    private ProblemException tooLarge() {
        return new ProblemException(ProblemType.BODY_TOO_LARGE, "a body may have " + maxBytes + " bytes");
    }
}
