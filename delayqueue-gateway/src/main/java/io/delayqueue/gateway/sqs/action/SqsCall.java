package io.delayqueue.gateway.sqs.action;

import io.delayqueue.gateway.security.Caller;
import io.delayqueue.gateway.sqs.protocol.Parameters;

/**
 * A request for a queue that exists.
 *
 * @param caller the caller
 * @param topic the topic of the queue
 * @param parameters the parameters of the action
 */
public record SqsCall(Caller caller, String topic, Parameters parameters) {}
