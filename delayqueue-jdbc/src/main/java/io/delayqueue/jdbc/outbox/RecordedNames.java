package io.delayqueue.jdbc.outbox;

import io.delayqueue.OutgoingMessage;

/** Refuses names that Redis or a database can't keep, before anything is written. */
final class RecordedNames {

    private static final byte[] EMPTY = new byte[0];

    private RecordedNames() {}

    /**
     * The key of a message.
     *
     * @throws IllegalArgumentException if the topic or the id is not valid
     */
    static MessageId check(String topic, String id) {
        OutgoingMessage.to(topic).id(id).payload(EMPTY);
        if (id.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("id '" + id.replace('\0', '\ufffd') + "' for topic '" + topic
                    + "' has a NUL character, which databases can't keep");
        }
        return new MessageId(topic, id);
    }
}
