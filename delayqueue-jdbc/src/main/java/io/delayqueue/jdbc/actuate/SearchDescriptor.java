package io.delayqueue.jdbc.actuate;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of messages that were searched for.
 *
 * @param messages the messages
 * @param next the parameter {@code after} of the next page; null if there is none
 */
public record SearchDescriptor(
        List<JournalMessageDescriptor> messages, @Nullable String next) implements JournalDescriptor {}
