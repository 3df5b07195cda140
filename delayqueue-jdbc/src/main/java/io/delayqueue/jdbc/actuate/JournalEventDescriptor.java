package io.delayqueue.jdbc.actuate;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A change of a message's state.
 *
 * @param time when; by Redis' clock, or by the database's if the event is derived
 * @param from the state before; null if unknown, or if the message began with the event
 * @param to the state after
 * @param began when the attempt that ended so began; null if there was none, or it is not known
 * @param attempt number of the attempt; null if there was none
 * @param instance the process that saw it; null if the event is derived
 * @param error the error that led to the change, or {@code ******} if values are hidden; null if there was none
 * @param derived whether it was derived from the message's row
 */
public record JournalEventDescriptor(
        Instant time,
        @Nullable String from,
        String to,
        @Nullable Instant began,
        @Nullable Integer attempt,
        @Nullable String instance,
        @Nullable String error,
        boolean derived) {}
