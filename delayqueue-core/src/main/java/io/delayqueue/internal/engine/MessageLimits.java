package io.delayqueue.internal.engine;

import io.delayqueue.OutgoingMessage;

/**
 * Refuses messages that are too large, before anything is sent.
 *
 * @param maxPayload in bytes
 */
record MessageLimits(int maxPayload) {

    /** @throws IllegalArgumentException if it is too large */
    void check(OutgoingMessage message) {
        int size = message.payload().length;
        if (size > maxPayload) {
            throw new IllegalArgumentException("the payload of message '" + message.id() + "' for topic '"
                    + message.topic() + "' has " + size + " bytes, more than maxPayload (" + maxPayload
                    + "): keep large content elsewhere and schedule a reference to it");
        }
    }
}
