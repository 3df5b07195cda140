package io.delayqueue.spring.actuate;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The events of all messages that have had an id, as the journal knows them.
 *
 * @param topic their topic
 * @param id the id
 * @param messages the messages, oldest first
 * @param complete whether that is all
 */
public record StoryDescriptor(String topic, String id, List<Message> messages, boolean complete)
        implements DelayQueueDescriptor {

    /**
     * A message and its events.
     *
     * @param generation tells it from the others
     * @param events its events, oldest first
     */
    public record Message(String generation, List<Event> events) {}

    /**
     * A change of a message's state.
     *
     * @param time time of the change
     * @param from the state before; null if unknown
     * @param to the state after
     * @param began when the attempt began; null if there was none
     * @param attempt number of the attempt; null if there was none
     * @param instance the process that saw it, as {@code host:pid}; null if unknown
     * @param error the error that led to the change, or {@code ******} if values are hidden; null if there was none
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
