package io.delayqueue.gateway.sqs.protocol;

import io.delayqueue.gateway.security.RefusedRequests;
import java.util.List;
import tools.jackson.databind.node.ObjectNode;

/**
 * A protocol that counts refused requests.
 *
 * @param protocol writes the answers
 * @param refused counts them
 */
public record CountedErrors(SqsProtocol protocol, RefusedRequests refused) implements SqsProtocol {

    /** Errors of requests that met a bound. */
    public static final List<SqsError> REFUSALS =
            List.of(SqsError.OVER_LIMIT, SqsError.REQUEST_THROTTLED, SqsError.SERVICE_UNAVAILABLE);

    @Override
    public SqsAnswer result(String action, ObjectNode result, String requestId) {
        return protocol.result(action, result, requestId);
    }

    @Override
    public SqsAnswer error(SqsException error, String requestId) {
        refused.answered(error.error().shape());
        return protocol.error(error, requestId);
    }
}
