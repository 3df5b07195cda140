package io.delayqueue.dashboard.http;

import java.nio.charset.StandardCharsets;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Writes answers and reads bodies: not by the application's mapper, whose settings must not change the API. Thread-safe. */
public final class Answers {

    private static final int RETRY_AFTER_SECONDS = 2;

    private final JsonMapper mapper = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
            .build();
    private final Problems problems = new Problems();

    ResponseEntity<byte[]> json(Object view) {
        return ResponseEntity.ok().contentType(MediaType.APPLICATION_JSON).body(mapper.writeValueAsBytes(view));
    }

    ResponseEntity<byte[]> problem(Throwable failure) {
        Problem problem = problems.of(failure);
        ResponseEntity.BodyBuilder answer =
                ResponseEntity.status(problem.status()).contentType(MediaType.APPLICATION_PROBLEM_JSON);
        if (problem.status() == ProblemType.OVERLOADED.status()) {
            answer.header(HttpHeaders.RETRY_AFTER, String.valueOf(RETRY_AFTER_SECONDS));
        }
        return answer.body(mapper.writeValueAsBytes(problem));
    }

    /** Why a part of a view is missing, in words. */
    String reason(Throwable failure) {
        Problem problem = problems.of(failure);
        return problem.title() + ": " + problem.detail();
    }

    /** Why a story is missing: the words of a database are for the log. */
    String storyReason(Throwable failure) {
        return problems.ofStory(failure);
    }

    /** Reads a body; without the library's words, which quote it. */
    <T> T read(byte[] body, Class<T> type) {
        try {
            T value = mapper.readValue(body, type);
            if (value == null) {
                throw ProblemException.invalid("the body is null");
            }
            return value;
        } catch (JacksonException e) {
            throw ProblemException.invalid("the body is not the JSON object that this path takes"
                    + (e.getOriginalMessage().startsWith("Unrecognized property") ? ": it has an unknown field" : ""));
        }
    }

    /** A text as a file to keep. */
    static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
