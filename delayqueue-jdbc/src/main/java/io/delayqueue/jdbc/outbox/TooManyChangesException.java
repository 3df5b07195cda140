package io.delayqueue.jdbc.outbox;

import io.delayqueue.ClientOverloadedException;

/**
 * An id has more changes that were not sent to Redis yet than the outbox keeps for one id: about 130. The transaction can't be
 * committed.
 */
public final class TooManyChangesException extends ClientOverloadedException {

    private static final long serialVersionUID = 1L;

    TooManyChangesException(String topic, String id, Throwable cause) {
        super(
                "Message '" + id + "' of topic '" + topic
                        + "', or another one of the same call, has more changes in the outbox than it keeps for one id. Redis did"
                        + " not take them yet: see the journal's health",
                topic,
                id,
                cause);
    }
}
