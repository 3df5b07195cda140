package io.delayqueue.spring.operator;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The events of all messages that have had an id.
 *
 * @param topic their topic
 * @param id the id
 * @param messages the messages, oldest first; a bounded number
 * @param complete whether that is all that is known
 */
public record Story(String topic, String id, List<Message> messages, boolean complete) {

    public Story {
        messages = List.copyOf(messages);
    }

    /**
     * A message and its events.
     *
     * @param generation tells it from the others; {@code -} if not even that is known
     * @param events its events, oldest first; a bounded number
     */
    public record Message(String generation, List<Event> events) {

        public Message {
            events = List.copyOf(events);
        }
    }

    /**
     * A change of a message's state.
     *
     * @param time time of the change
     * @param from the state before, in capitals such as {@code SCHEDULED}; null if unknown, or if the message began with the event
     * @param to the state after
     * @param began when the attempt that ended so began; null if there was none, or it is not known
     * @param attempt number of the attempt; null if there was none
     * @param instance the process that saw it, as {@code host:pid}; null if unknown
     * @param error the error that led to the change, which may quote a payload; null if there was none
     */
    public record Event(
            Instant time,
            @Nullable String from,
            String to,
            @Nullable Instant began,
            @Nullable Integer attempt,
            @Nullable String instance,
            @Nullable String error) {}
}
