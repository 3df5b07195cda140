package io.delayqueue.gateway.sqs.protocol;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** AWS' query protocol: the action and its parameters are a form or the query of the URL, and answers are XML. */
public final class QueryProtocol implements SqsProtocol {

    /** Type of requests with a body. */
    public static final String CONTENT_TYPE = "application/x-www-form-urlencoded";

    private static final String ANSWER_TYPE = "text/xml;charset=utf-8";
    private static final String NAMESPACE = "http://queue.amazonaws.com/doc/2012-11-05/";

    /**
     * Reads a request.
     *
     * @param query raw query of the URL, or null
     * @param body the form; empty for GET
     * @throws SqsException if it names no action, or is no form
     */
    public SqsRequest read(@Nullable String query, byte[] body) {
        FormFields fields = new FormFields();
        fields.add(query == null ? "" : query);
        fields.add(new String(body, StandardCharsets.UTF_8));
        String action = fields.remove("Action");
        if (action == null || action.isEmpty()) {
            throw new SqsException(SqsError.INVALID_ACTION, "The request must contain the parameter Action.");
        }
        return new SqsRequest(action, new Parameters(QueryTree.of(action, fields.byName())));
    }

    @Override
    public SqsAnswer result(String action, ObjectNode result, String requestId) {
        QueryXml xml = new QueryXml(action);
        xml.open(action + "Response", NAMESPACE);
        if (!result.isEmpty()) {
            xml.open(action + "Result");
            xml.structure(result);
            xml.close(action + "Result");
        }
        xml.open("ResponseMetadata");
        xml.text("RequestId", requestId);
        xml.close("ResponseMetadata");
        xml.close(action + "Response");
        return answer(200, xml, requestId);
    }

    @Override
    public SqsAnswer error(SqsException e, String requestId) {
        QueryXml xml = new QueryXml("");
        xml.open("ErrorResponse", NAMESPACE);
        xml.open("Error");
        xml.text("Type", e.error().fault());
        xml.text("Code", e.error().queryCode());
        xml.text("Message", e.getMessage());
        xml.text("Detail", "");
        xml.close("Error");
        xml.text("RequestId", requestId);
        xml.close("ErrorResponse");
        return answer(e.error().queryStatus(), xml, requestId);
    }

    private static SqsAnswer answer(int status, QueryXml xml, String requestId) {
        return new SqsAnswer(
                status,
                ANSWER_TYPE,
                Map.of("x-amzn-RequestId", requestId),
                xml.toString().getBytes(StandardCharsets.UTF_8));
    }
}
