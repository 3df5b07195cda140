package io.delayqueue.gateway.sqs.protocol;

import io.delayqueue.gateway.log.RareWarnings;
import io.delayqueue.gateway.security.RefusedRequests;
import java.util.List;
import tools.jackson.databind.node.ObjectNode;

/**
 * A protocol that counts refused requests, and logs why some failed.
 *
 * @param protocol writes the answers
 * @param refused counts them
 * @param failures get what a request is not to blame for
 */
public record CountedErrors(SqsProtocol protocol, RefusedRequests refused, RareWarnings failures)
        implements SqsProtocol {

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
        if (error.getCause() != null) {
            failures.warn("A request of an SQS client failed", error.getCause());
        }
        return protocol.error(error, requestId);
    }
}
