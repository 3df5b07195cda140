package io.delayqueue.gateway.sqs.protocol;

import tools.jackson.databind.node.ObjectNode;

/** Writes results and errors in one of the two protocols. */
public sealed interface SqsProtocol permits CountedErrors, JsonProtocol, QueryProtocol {

    /**
     * The answer to a request that succeeded.
     *
     * @param action name of the action
     * @param result its result, named as in the JSON protocol; empty lists and maps are left out
     * @param requestId id of the request
     */
    SqsAnswer result(String action, ObjectNode result, String requestId);

    /** The answer to a request that failed. */
    SqsAnswer error(SqsException error, String requestId);
}
