package io.delayqueue.gateway.http.body;

import io.delayqueue.gateway.http.problem.ProblemException;
import io.delayqueue.gateway.http.problem.ProblemType;
import jakarta.servlet.ServletRequest;
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
 * @param timeout time for all of it
 */
public record BoundedBody(int maxBytes, Duration timeout) {

    private static final int CHUNK = 8 * 1024;

    /** Attribute of a request whose body was read before. */
    private static final String BODY = BoundedBody.class.getName();

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
        requireSize(request.getContentLengthLong());
    }

    /** Whether a request has a body. */
    public static boolean hasBody(HttpServletRequest request) {
        return request.getContentLengthLong() > 0 || request.getHeader("Transfer-Encoding") != null;
    }

    /**
     * The whole body.
     *
     * @throws ProblemException if it is too large or too slow, or its type is not JSON
     */
    public byte[] read(HttpServletRequest request) throws IOException {
        requireJson(request.getContentType());
        if (request.getAttribute(BODY) instanceof byte[] read) {
            return read;
        }
        requireSize(request.getContentLengthLong());
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        byte[] chunk = new byte[CHUNK];
        long begun = System.nanoTime();
        InputStream in = request.getInputStream();
        for (int read = in.read(chunk); read >= 0; read = in.read(chunk)) {
            body.write(chunk, 0, read);
            requireSize(body.size());
            // the container's timeout begins anew with each byte
            if (System.nanoTime() - begun > timeout.toNanos()) {
                throw tooSlow();
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

    /** Keeps a body that has come for {@link #read}. */
    public static void put(ServletRequest request, byte[] body) {
        request.setAttribute(BODY, body);
    }

    /**
     * Refuses a size.
     *
     * @throws ProblemException if it is too large
     */
    public void requireSize(long bytes) {
        if (bytes > maxBytes) {
            throw new ProblemException(
                    ProblemType.BODY_TOO_LARGE, "a body may have at most " + maxBytes + " bytes", "body");
        }
    }

    /** The problem of a body that did not come in time. */
    public ProblemException tooSlow() {
        return new ProblemException(
                ProblemType.BODY_TOO_SLOW, "a body may take at most " + timeout.toMillis() + " ms", "body");
    }
}
