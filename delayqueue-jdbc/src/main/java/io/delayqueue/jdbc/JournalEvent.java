package io.delayqueue.jdbc;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A change of a message's state.
 *
 * @param time time of the change, by Redis' clock, or by the database's if the event is derived
 * @param from the state before; null if unknown, or if the message began with the event
 * @param to the state after; the same as {@code from} if the event left the message as it was
 * @param began when the attempt that ended so began, by Redis' clock; null if there was none, or it is not known
 * @param attempt number of the attempt; null if there was none
 * @param instance the process that saw it, as {@code host:pid}; null if the event is derived
 * @param error the error that led to the change; null if there was none
 * @param derived whether it was derived from the message's row: its creation, and an end that has no event
 */
public record JournalEvent(
        Instant time,
        @Nullable MessageStatus from,
        MessageStatus to,
        @Nullable Instant began,
        @Nullable Integer attempt,
        @Nullable String instance,
        @Nullable String error,
        boolean derived) {}
