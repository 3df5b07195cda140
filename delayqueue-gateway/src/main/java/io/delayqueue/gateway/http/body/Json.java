package io.delayqueue.gateway.http.body;

import io.delayqueue.gateway.http.problem.ProblemException;
import io.delayqueue.gateway.http.problem.ProblemType;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;

/** JSON of the gateway: not by the application's mapper, whose settings must not change the API. Safe for use by many threads. */
public final class Json {

    private final JsonMapper mapper = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            // a payload's numbers are passed on as they came
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    /**
     * Parses a body.
     *
     * @throws ProblemException unless it is JSON
     */
    public JsonNode read(byte[] body) {
        JsonNode tree;
        try {
            tree = mapper.readTree(body);
        } catch (JacksonException e) {
            // without the library's words: they quote the body
            throw new ProblemException(ProblemType.INVALID_REQUEST, "the body is not valid JSON" + position(e));
        }
        if (tree == null || tree.isMissingNode()) {
            throw new ProblemException(ProblemType.INVALID_REQUEST, "the body is empty");
        }
        return tree;
    }

    /** Parses a payload; a missing node if it is not JSON. */
    JsonNode readPayload(byte[] payload) {
        try {
            JsonNode tree = mapper.readTree(payload);
            return tree == null ? mapper.missingNode() : tree;
        } catch (JacksonException e) {
            return mapper.missingNode();
        }
    }

    /** Writes a tree or a view, compact and in UTF-8. */
    public byte[] write(Object value) {
        return mapper.writeValueAsBytes(value);
    }

    /** Reads what {@link #write} wrote. */
    public <T> T read(byte[] json, Class<T> type) {
        return mapper.readValue(json, type);
    }

    private static String position(JacksonException e) {
        return e.getLocation() == null
                ? ""
                : " at line " + e.getLocation().getLineNr() + ", column "
                        + e.getLocation().getColumnNr();
    }
}
