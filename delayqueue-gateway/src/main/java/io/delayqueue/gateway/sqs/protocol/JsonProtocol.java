package io.delayqueue.gateway.sqs.protocol;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** AWS' JSON 1.0 protocol: the header {@code X-Amz-Target} names the action, the body has its parameters. */
public final class JsonProtocol implements SqsProtocol {

    /** Type of requests and answers. */
    public static final String CONTENT_TYPE = "application/x-amz-json-1.0";

    private static final String TARGET_PREFIX = "AmazonSQS.";

    private final JsonMapper mapper;

    public JsonProtocol(JsonMapper mapper) {
        this.mapper = mapper;
    }

    /**
     * Reads a request.
     *
     * @param target value of the header {@code X-Amz-Target}
     * @throws SqsException if it names no action, or the body is no JSON object
     */
    public SqsRequest read(@Nullable String target, byte[] body) {
        if (target == null || !target.startsWith(TARGET_PREFIX) || target.length() == TARGET_PREFIX.length()) {
            throw new SqsException(SqsError.INVALID_ACTION, "The header X-Amz-Target must be AmazonSQS.<action>.");
        }
        return new SqsRequest(target.substring(TARGET_PREFIX.length()), new Parameters(parse(body)));
    }

    private ObjectNode parse(byte[] body) {
        if (body.length == 0) {
            return mapper.createObjectNode();
        }
        JsonNode tree;
        try {
            tree = mapper.readTree(body);
        } catch (JacksonException e) {
            throw malformed();
        }
        if (tree instanceof ObjectNode parameters) {
            return parameters;
        }
        throw malformed();
    }

    private static SqsException malformed() {
        return new SqsException(SqsError.MALFORMED_INPUT, "The body must be a JSON object.");
    }

    @Override
    public SqsAnswer result(String action, ObjectNode result, String requestId) {
        ObjectNode body = mapper.createObjectNode();
        for (Map.Entry<String, JsonNode> entry : result.properties()) {
            JsonNode value = entry.getValue();
            if (!value.isContainer() || !value.isEmpty()) {
                body.set(entry.getKey(), value);
            }
        }
        return answer(200, body, Map.of("x-amzn-RequestId", requestId));
    }

    @Override
    public SqsAnswer error(SqsException e, String requestId) {
        SqsError error = e.error();
        ObjectNode body = mapper.createObjectNode()
                .put("__type", "com.amazonaws.sqs#" + error.shape())
                .put("message", e.getMessage());
        Map<String, String> headers = new HashMap<>();
        headers.put("x-amzn-RequestId", requestId);
        // Always, also to clients that don't ask for it: some fail on an error without it.
        headers.put("x-amzn-query-error", error.queryCode() + ";" + error.fault());
        return answer(error.jsonStatus(), body, headers);
    }

    private SqsAnswer answer(int status, ObjectNode body, Map<String, String> headers) {
        return new SqsAnswer(status, CONTENT_TYPE, headers, mapper.writeValueAsBytes(body));
    }
}
