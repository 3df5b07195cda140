package io.delayqueue.gateway.sqs.protocol;

/**
 * A request as an action sees it, the same in both protocols.
 *
 * @param action name of the action, such as {@code SendMessage}
 * @param parameters its parameters, named as in the JSON protocol
 */
public record SqsRequest(String action, Parameters parameters) {}
