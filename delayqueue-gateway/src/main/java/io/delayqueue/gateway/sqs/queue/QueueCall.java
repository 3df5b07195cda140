package io.delayqueue.gateway.sqs.queue;

import io.delayqueue.gateway.security.Caller;
import io.delayqueue.gateway.security.ForbiddenException;
import io.delayqueue.gateway.security.Right;
import io.delayqueue.gateway.sqs.protocol.Parameters;
import org.jspecify.annotations.Nullable;

/**
 * A request for queues rather than messages.
 *
 * @param caller the caller
 * @param queue name of the queue in the URL; null if it has none
 * @param baseUrl URL before the names of queues, with a slash at its end
 * @param parameters the parameters of the action
 */
public record QueueCall(Caller caller, @Nullable String queue, String baseUrl, Parameters parameters) {

    /** Whether the caller has a right on a topic, no matter which: then it may see the queue. */
    boolean mayUse(String topic) {
        for (Right right : Right.values()) {
            if (caller.may(right, topic)) {
                return true;
            }
        }
        return false;
    }

    void requireUse(String topic) {
        if (!mayUse(topic)) {
            throw new ForbiddenException(caller.name(), Right.OPERATE, topic);
        }
    }
}
