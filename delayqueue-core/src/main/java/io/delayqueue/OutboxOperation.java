package io.delayqueue;

import java.util.Objects;

/** A change of a message that an {@link Outbox} sends. */
public sealed interface OutboxOperation {

    /** Topic of the message. */
    String topic();

    /** Id of the message. */
    String id();

    /** Random text that tells the change from all others of this id: Redis applies it once. */
    String token();

    /**
     * Schedules a message.
     *
     * @param message the message; its generation is the change's token
     */
    record Schedule(OutgoingMessage message) implements OutboxOperation {

        @Override
        public String topic() {
            return message.topic();
        }

        @Override
        public String id() {
            return message.id();
        }

        @Override
        public String token() {
            return message.generation();
        }
    }

    /** Cancels a message. */
    record Cancel(String topic, String id, String token) implements OutboxOperation {}

    /** Gives a message a new due time. */
    record Reschedule(String topic, String id, String token, Delay delay) implements OutboxOperation {
        public Reschedule {
            Objects.requireNonNull(delay, "delay");
        }
    }
}
