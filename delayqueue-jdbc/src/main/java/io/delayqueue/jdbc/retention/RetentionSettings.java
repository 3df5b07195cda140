package io.delayqueue.jdbc.retention;

import java.time.Duration;
import java.util.Comparator;
import java.util.Map;

/**
 * Retention of the journal's rows.
 *
 * @param messages time after the end of a message, by the name of its last status; others are kept
 * @param events time after each event
 * @param inbox time after a message was handled by an idempotent listener: the window in which it is not handled again
 * @param batchSize rows that a transaction deletes at most
 * @param interval time between looks for old rows, when there are no more
 */
public record RetentionSettings(
        Map<String, Duration> messages, Duration events, Duration inbox, int batchSize, Duration interval) {

    /** Long enough for clocks that were set wrong by an hour to do no harm. */
    private static final Duration SHORTEST = Duration.ofHours(1);

    private static final Duration SHORTEST_INTERVAL = Duration.ofMillis(100);

    private static final int LARGEST_BATCH = 10_000;

    public RetentionSettings {
        messages = Map.copyOf(messages);
        messages.forEach(RetentionSettings::checked);
        checked("events", events);
        checked("inbox", inbox);
        checkedBatchSize(batchSize);
        checkedInterval(interval);
    }

    /** How long any ended message is kept. */
    Duration longestOfMessages() {
        return messages.values().stream().max(Comparator.naturalOrder()).orElse(SHORTEST);
    }

    /**
     * The retention of something.
     *
     * @throws IllegalArgumentException if it is too short
     */
    public static Duration checked(String name, Duration retention) {
        return atLeast("retention of " + name, SHORTEST, retention);
    }

    /**
     * The interval.
     *
     * @throws IllegalArgumentException if it is too short
     */
    public static Duration checkedInterval(Duration interval) {
        return atLeast("interval", SHORTEST_INTERVAL, interval);
    }

    /**
     * The size of batches.
     *
     * @throws IllegalArgumentException if it is out of range
     */
    public static int checkedBatchSize(int batchSize) {
        if (batchSize < 1 || batchSize > LARGEST_BATCH) {
            throw new IllegalArgumentException("batchSize must be 1 to " + LARGEST_BATCH + ", not " + batchSize);
        }
        return batchSize;
    }

    private static Duration atLeast(String name, Duration least, Duration value) {
        if (value.compareTo(least) < 0) {
            throw new IllegalArgumentException(name + " must be at least " + least + ", not " + value);
        }
        return value;
    }
}
