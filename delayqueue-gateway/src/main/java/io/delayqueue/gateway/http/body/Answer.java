package io.delayqueue.gateway.http.body;

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
        ResponseEntity.BodyBuilder builder = ResponseEntity.status(status);
        if (location != null) {
            builder.header(HttpHeaders.LOCATION, location);
        }
        if (retryAfter != null) {
            builder.header(HttpHeaders.RETRY_AFTER, String.valueOf(retryAfter));
        }
        if (replayed) {
            builder.header("Idempotent-Replayed", "true");
        }
        return body.length == 0
                ? builder.build()
                : builder.contentType(MediaType.parseMediaType(contentType)).body(body);
    }
}
