package io.delayqueue.jdbc.restore;

import java.time.Duration;

/**
 * How losses of Redis are noticed and repaired.
 *
 * @param mode reaction to a loss
 * @param rate maximum number of messages that a restore schedules in a second
 * @param checkInterval interval between checks of the partitions' marks
 * @param compareInterval time between comparisons of all unfinished messages; zero for none
 * @param holdTimeout how long claims wait without progress of a restore that has to remove messages first
 * @param checkTimeout how long claims wait for the database
 * @param settleTime how long ends of messages may be on their way to the journal before a message counts as lost
 */
public record RestoreSettings(
        RestoreMode mode,
        int rate,
        Duration checkInterval,
        Duration compareInterval,
        Duration holdTimeout,
        Duration checkTimeout,
        Duration settleTime) {

    /**
     * Automatic, 5,000 messages a second, looks each 30 s, comparisons each hour, claims held for 60 s without progress and for 5 s, 6 s to
     * settle. An audit pauses for up to 5 s after failures.
     */
    public static final RestoreSettings DEFAULTS = new RestoreSettings(
            RestoreMode.AUTOMATIC,
            5_000,
            Duration.ofSeconds(30),
            Duration.ofHours(1),
            Duration.ofSeconds(60),
            Duration.ofSeconds(5),
            Duration.ofSeconds(6));

    /** @throws IllegalArgumentException if a value is out of its range */
    public RestoreSettings {
        if (rate < 1) {
            throw new IllegalArgumentException("rate must be at least 1 message a second, not " + rate);
        }
        requirePositive("check-interval", checkInterval);
        requirePositive("hold-timeout", holdTimeout);
        requirePositive("check-timeout", checkTimeout);
        if (compareInterval.isNegative() || settleTime.isNegative()) {
            throw new IllegalArgumentException("compare-interval and settle-time must not be negative, not "
                    + compareInterval + " and " + settleTime);
        }
    }

    private static void requirePositive(String name, Duration value) {
        if (value.isNegative() || value.isZero()) {
            throw new IllegalArgumentException(name + " must be positive, not " + value);
        }
    }
}
