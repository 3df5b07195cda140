package io.delayqueue.gateway.sqs.action;

import io.delayqueue.gateway.claim.AnsweredMessages;
import tools.jackson.databind.node.ObjectNode;

/** Messages on their way to a client as the result of a receive. */
public interface Delivery extends AnsweredMessages {

    /** The result to write. */
    ObjectNode result();
}
