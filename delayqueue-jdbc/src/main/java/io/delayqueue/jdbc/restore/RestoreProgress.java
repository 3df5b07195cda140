package io.delayqueue.jdbc.restore;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Progress of a restore.
 *
 * @param topic the topic that is being restored; null if none is
 * @param scanned messages compared so far
 * @param restored messages scheduled again so far
 * @param perSecond messages compared in a second
 * @param remaining messages still to compare, counted to {@link #MOST_COUNTED}; a refill counts them once more at its end, as it looks
 *     through them for those that changed meanwhile
 * @param running time since it began
 */
public record RestoreProgress(
        @Nullable String topic, long scanned, long restored, long perSecond, long remaining, Duration running) {

    /** Remaining messages are counted to this number: there may be that many or more. */
    public static final int MOST_COUNTED = 100_000;

    /** No restore is running. */
    public static final RestoreProgress NONE = new RestoreProgress(null, 0, 0, 0, 0, Duration.ZERO);
}
