package io.delayqueue.gateway.http.body;

import io.delayqueue.gateway.http.problem.ProblemException;
import io.delayqueue.gateway.http.problem.ProblemType;
import jakarta.servlet.http.HttpServletRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Reads bodies of requests, up to a largest size.
 *
 * @param maxBytes the largest size
 * @param timeout time for all of it, since a thread waits for it
 */
public record BoundedBody(int maxBytes, Duration timeout) {

    private static final int CHUNK = 8 * 1024;

    /**
     * Refuses a request by its headers, before anything reads its body.
     *
     * @throws ProblemException if its body is too large, or of another type than JSON
     */
    public void check(HttpServletRequest request) {
        String type = request.getContentType();
        // Spring would parse its parts before a controller is asked
        boolean multipart = type != null && type.toLowerCase(Locale.ROOT).startsWith("multipart/");
        if (hasBody(request) || multipart) {
            requireJson(type);
        }
        if (request.getContentLengthLong() > maxBytes) {
            throw tooLarge();
        }
    }

    private static boolean hasBody(HttpServletRequest request) {
        return request.getContentLengthLong() > 0 || request.getHeader("Transfer-Encoding") != null;
    }

    /**
     * The whole body.
     *
     * @throws ProblemException if it is too large or too slow, or its type is not JSON
     */
    public byte[] read(HttpServletRequest request) throws IOException {
        requireJson(request.getContentType());
        if (request.getContentLengthLong() > maxBytes) {
            throw tooLarge();
        }
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        byte[] chunk = new byte[CHUNK];
        long begun = System.nanoTime();
        InputStream in = request.getInputStream();
        for (int read = in.read(chunk); read >= 0; read = in.read(chunk)) {
            body.write(chunk, 0, read);
            if (body.size() > maxBytes) {
                throw tooLarge();
            }
            // the container's timeout begins anew with each byte
            if (System.nanoTime() - begun > timeout.toNanos()) {
                throw new ProblemException(
                        ProblemType.BODY_TOO_SLOW, "a body may take at most " + timeout.toSeconds() + " s", "body");
            }
        }
        return body.toByteArray();
    }

    /** The whole body, or an empty object if there is none. */
    public byte[] readOptional(HttpServletRequest request) throws IOException {
        return hasBody(request) ? read(request) : new byte[] {'{', '}'};
    }

    /** Other types are refused, also because browsers send some of them across sites unasked. */
    private static void requireJson(@Nullable String contentType) {
        String type =
                contentType == null ? "" : contentType.split(";", 2)[0].trim().toLowerCase(Locale.ROOT);
        if (!type.equals("application/json")) {
            throw new ProblemException(
                    ProblemType.UNSUPPORTED_MEDIA_TYPE, "send Content-Type: application/json", "Content-Type");
        }
    }

    private ProblemException tooLarge() {
        return new ProblemException(
                ProblemType.BODY_TOO_LARGE, "a body may have at most " + maxBytes + " bytes", "body");
    }
}
