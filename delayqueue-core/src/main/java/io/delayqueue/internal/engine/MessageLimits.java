package io.delayqueue.internal.engine;

import io.delayqueue.OutgoingMessage;
import java.util.Map;

/**
 * Refuses messages that are too large, before anything is sent.
 *
 * @param maxPayload in bytes
 */
record MessageLimits(int maxPayload) {

    /** Names and values of all headers of a message: an envelope is read whole, so its headers must stay small. */
    private static final int MAX_HEADER_CHARS = 64 * 1024;

    /** @throws IllegalArgumentException if it is too large */
    void check(OutgoingMessage message) {
        int size = message.payload().length;
        if (size > maxPayload) {
            throw new IllegalArgumentException("the payload of message '" + message.id() + "' for topic '"
                    + message.topic() + "' has " + size + " bytes, more than maxPayload (" + maxPayload
                    + "): keep large content elsewhere and schedule a reference to it");
        }
        int headers = 0;
        for (Map.Entry<String, String> header : message.headers().entrySet()) {
            headers += header.getKey().length() + header.getValue().length();
        }
        if (headers > MAX_HEADER_CHARS) {
            throw new IllegalArgumentException("the headers of message '" + message.id() + "' for topic '"
                    + message.topic() + "' have " + headers + " characters, more than " + MAX_HEADER_CHARS);
        }
    }
}
