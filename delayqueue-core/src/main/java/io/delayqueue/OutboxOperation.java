package io.delayqueue;

import io.delayqueue.internal.Names;
import java.util.Objects;

/** A change of a message that an {@link Outbox} sends. */
public sealed interface OutboxOperation {

    /**
     * Header of a message that a journal scheduled again, because Redis had lost it or an operator asked for it. The message has the
     * generation of the lost one; the header's value differs each time.
     */
    String RESTORED_HEADER = "delayqueue-restored";

    /** Topic of the message. */
    String topic();

    /** Id of the message. */
    String id();

    /** Random text of 8 characters that tells the change from all others of this id: Redis applies it once. */
    String token();

    /** A new token, for a cancel or a reschedule. */
    static String newToken() {
        return MessageIds.nonce();
    }

    /**
     * Schedules a message.
     *
     * @param message the message
     * @param token token of the change
     */
    record Schedule(OutgoingMessage message, String token) implements OutboxOperation {

        public Schedule {
            Objects.requireNonNull(message, "message");
            MessageIds.requireNonce(token, "token of a change of message '" + message.id() + "'");
        }

        /** Schedules a message for the first time: its generation is the change's token. */
        public Schedule(OutgoingMessage message) {
            this(message, message.generation());
        }

        @Override
        public String topic() {
            return message.topic();
        }

        @Override
        public String id() {
            return message.id();
        }
    }

    /** Cancels a message. */
    record Cancel(String topic, String id, String token) implements OutboxOperation {
        public Cancel {
            Names.requireTopic(topic);
            Names.requireId(topic, id);
            MessageIds.requireNonce(token, "token of a change of message '" + id + "'");
        }
    }

    /** Gives a message a new due time. */
    record Reschedule(String topic, String id, String token, Delay delay) implements OutboxOperation {
        public Reschedule {
            Names.requireTopic(topic);
            Names.requireId(topic, id);
            MessageIds.requireNonce(token, "token of a change of message '" + id + "'");
            Objects.requireNonNull(delay, "delay");
        }
    }
}
