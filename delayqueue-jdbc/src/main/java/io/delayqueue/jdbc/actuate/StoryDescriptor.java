package io.delayqueue.jdbc.actuate;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The story of an id, as far as the journal knows it.
 *
 * @param topic its topic
 * @param id the id
 * @param messages messages that have had the id, oldest first
 * @param complete whether that is all
 */
public record StoryDescriptor(String topic, String id, List<Entry> messages, boolean complete)
        implements JournalDescriptor {

    /**
     * A message and its events.
     *
     * @param generation tells it from other messages of the id; {@code -} if not known
     * @param message the message; null if the journal has its events only
     * @param events its events, oldest first
     */
    public record Entry(
            String generation, @Nullable JournalMessageDescriptor message, List<JournalEventDescriptor> events) {}
}
