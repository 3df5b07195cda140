package io.delayqueue.jdbc;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of a search.
 *
 * @param messages the messages
 * @param next where the next page begins; null if there is none
 */
public record JournalPage(
        List<JournalMessage> messages, @Nullable JournalPosition next) {

    public JournalPage {
        messages = List.copyOf(messages);
    }
}
