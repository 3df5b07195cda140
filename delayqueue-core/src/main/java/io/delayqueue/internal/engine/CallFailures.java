package io.delayqueue.internal.engine;

import io.delayqueue.DelayQueueClosedException;
import io.delayqueue.DelayQueueException;
import io.delayqueue.internal.engine.shared.OwnFailure;
import java.util.function.BooleanSupplier;

/**
 * Gives a call about one message an exception of its own for a failure that it shares with others.
 *
 * @param closed whether the client was closed
 */
record CallFailures(BooleanSupplier closed) {

    DelayQueueException of(String topic, String id, Throwable error) {
        if (error instanceof DelayQueueException own && id.equals(own.id())) {
            return own;
        }
        String call = "the call for message '" + id + "' of topic '" + topic + "'";
        if (error instanceof UnsentException unsent) {
            String reason = closed.getAsBoolean() ? "the client was closed" : "the calls before it failed: repeat it";
            return OwnFailure.of(unsent.reason(), call + " was not sent to Redis, since " + reason, topic, id);
        }
        return closed.getAsBoolean()
                ? new DelayQueueClosedException(
                        "the client was closed before Redis answered; " + call + " may have been carried out",
                        topic,
                        id,
                        error)
                : OwnFailure.of(error, topic, id);
    }
}
