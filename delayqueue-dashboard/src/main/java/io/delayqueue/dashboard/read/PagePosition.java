package io.delayqueue.dashboard.read;

import io.delayqueue.PendingMessages.Position;
import java.time.DateTimeException;
import java.time.Instant;

/** Positions in the list of pending messages as text. */
public final class PagePosition {

    private static final char SEPARATOR = '/';

    private PagePosition() {}

    static String text(Position position) {
        return position.due().toString() + SEPARATOR + position.id();
    }

    /**
     * The position that a page named.
     *
     * @throws IllegalArgumentException if it is none
     */
    public static Position of(String text) {
        int separator = text.indexOf(SEPARATOR);
        try {
            return new Position(
                    Instant.parse(text.substring(0, Math.max(0, separator))), text.substring(separator + 1));
        } catch (DateTimeException e) {
            throw new IllegalArgumentException("pendingAfter must be a next of an earlier answer", e);
        }
    }
}
