package io.delayqueue.gateway.http.problem;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * Problem details as RFC 9457 has them.
 *
 * @param type kind of problem
 * @param title the kind in words
 * @param status HTTP status
 * @param detail this problem in words
 * @param field invalid field, header or parameter
 * @param existing state of the message that has the id, for duplicates
 * @param logId id under which the gateway logged the failure
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Problem(
        URI type,
        String title,
        int status,
        String detail,
        @Nullable String field,
        @Nullable String existing,
        @Nullable String logId) {

    /** A problem without further members. */
    public static Problem of(ProblemType type, String detail, @Nullable String field) {
        return new Problem(type.uri(), type.title(), type.status(), detail, field, null, null);
    }

    /** A message that is refused because of another one with its id. */
    public static Problem duplicate(String detail, @Nullable String existing) {
        ProblemType type = ProblemType.DUPLICATE;
        return new Problem(type.uri(), type.title(), type.status(), detail, "id", existing, null);
    }

    /** An unexpected failure, whose cause only the log tells. */
    public static Problem failed(String logId) {
        ProblemType type = ProblemType.FAILED;
        return new Problem(type.uri(), type.title(), type.status(), "see the gateway's log", null, null, logId);
    }
}
