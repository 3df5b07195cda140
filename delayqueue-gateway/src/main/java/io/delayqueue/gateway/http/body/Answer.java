package io.delayqueue.gateway.http.body;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;

/**
 * An answer to a request, ready to be written, or kept for its repeat.
 *
 * @param status HTTP status
 * @param contentType type of the body
 * @param location header Location; null for none
 * @param retryAfter header Retry-After in seconds; null for none
 * @param body the body; empty for none
 * @param repeat treatment of a request that is repeated with the same Idempotency-Key
 */
public record Answer(
        int status,
        String contentType,
        @Nullable String location,
        @Nullable Integer retryAfter,
        byte[] body,
        Repeat repeat) {

    /** Treatment of a repeated request. */
    public enum Repeat {

        /** It gets this answer again. */
        REPLAY,

        /** It is carried out again for the same messages: some of them may exist by now. */
        SAME_MESSAGES,

        /** It is carried out as the first one: nothing was done. */
        ANEW
    }

    private static final String JSON = MediaType.APPLICATION_JSON_VALUE;

    /** An answer with a JSON body. */
    public static Answer json(int status, byte[] body) {
        return new Answer(status, JSON, null, null, body, Repeat.REPLAY);
    }

    /** The answer 204. */
    public static Answer none() {
        return new Answer(204, JSON, null, null, new byte[0], Repeat.REPLAY);
    }

    /** The answer 202: the change is recorded in the journal, and will be sent to Redis. */
    public static Answer accepted() {
        return new Answer(202, JSON, null, null, new byte[0], Repeat.REPLAY);
    }

    /** This answer with the header Location. */
    public Answer at(String newLocation) {
        return new Answer(status, contentType, newLocation, retryAfter, body, repeat);
    }

    /** This answer with another treatment of repeated requests. */
    public Answer with(Repeat newRepeat) {
        return new Answer(status, contentType, location, retryAfter, body, newRepeat);
    }

    /** The answer as Spring MVC writes it. */
    public ResponseEntity<byte[]> entity() {
        return entity(false);
    }

    /** The answer as Spring MVC writes it, perhaps marked as that to an earlier request. */
    public ResponseEntity<byte[]> entity(boolean replayed) {
        ResponseEntity.BodyBuilder builder = ResponseEntity.status(status).headers(headers());
        if (replayed) {
            builder.header("Idempotent-Replayed", "true");
        }
        return body.length == 0 ? builder.build() : builder.body(body);
    }

    /** Writes the answer where no controller does. */
    public void writeTo(HttpServletResponse response) throws IOException {
        response.setStatus(status);
        headers().forEach((name, values) -> values.forEach(value -> response.setHeader(name, value)));
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }

    private HttpHeaders headers() {
        HttpHeaders headers = new HttpHeaders();
        if (location != null) {
            headers.set(HttpHeaders.LOCATION, location);
        }
        if (retryAfter != null) {
            headers.set(HttpHeaders.RETRY_AFTER, String.valueOf(retryAfter));
        }
        if (status == 401) {
            headers.set(HttpHeaders.WWW_AUTHENTICATE, "Bearer");
        }
        if (body.length > 0) {
            headers.setContentType(MediaType.parseMediaType(contentType));
        }
        return headers;
    }
}
