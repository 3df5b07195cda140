package io.delayqueue.jdbc;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The story of an id, as far as the journal knows it.
 *
 * @param topic its topic
 * @param id the id
 * @param messages messages that have had the id, oldest first
 * @param complete whether that is all: a story has the latest 100 messages and 1,000 events at most
 */
public record MessageStory(String topic, String id, List<Entry> messages, boolean complete) {

    public MessageStory {
        messages = List.copyOf(messages);
    }

    /**
     * A message and its events.
     *
     * @param message the message; null if the journal has its events only: another program scheduled it, its row was pruned, or the
     *     events name an id alone
     * @param generation its generation; {@code -} if not even that is known
     * @param events its events, oldest first
     */
    public record Entry(@Nullable JournalMessage message, String generation, List<JournalEvent> events) {

        public Entry {
            events = List.copyOf(events);
        }
    }
}
