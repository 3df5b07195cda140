package io.delayqueue.jdbc.autoconfigure;

import io.delayqueue.jdbc.restore.RestoreMode;
import java.time.Duration;

/** Properties of detecting and restoring data that Redis lost. */
public class RestoreProperties {

    /**
     * Reaction when Redis has lost data: restore, report only, or nothing. Claims are held for a restore only: with "report", messages
     * that ended and came back may be delivered again.
     */
    private RestoreMode mode = RestoreMode.AUTOMATIC;

    /**
     * Maximum number of messages that a restore schedules in a second.
     */
    private int rate = 5_000;

    /**
     * Interval between checks of the counters of all partitions.
     */
    private Duration checkInterval = Duration.ofSeconds(30);

    /**
     * Time between comparisons of all unfinished messages with Redis; 0 for none.
     */
    private Duration compareInterval = Duration.ofHours(1);

    /**
     * Time without progress after which claims no longer wait for a restore to remove messages that ended and came back. Progress is told
     * every second or two, by whichever instance removes them.
     */
    private Duration holdTimeout = Duration.ofSeconds(60);

    public RestoreMode getMode() {
        return mode;
    }

    public void setMode(RestoreMode mode) {
        this.mode = mode;
    }

    public int getRate() {
        return rate;
    }

    public void setRate(int rate) {
        this.rate = CheckedValue.positive(rate);
    }

    public Duration getCheckInterval() {
        return checkInterval;
    }

    public void setCheckInterval(Duration checkInterval) {
        this.checkInterval = CheckedValue.positive(checkInterval);
    }

    public Duration getCompareInterval() {
        return compareInterval;
    }

    public void setCompareInterval(Duration compareInterval) {
        this.compareInterval = CheckedValue.notNegative(compareInterval);
    }

    public Duration getHoldTimeout() {
        return holdTimeout;
    }

    public void setHoldTimeout(Duration holdTimeout) {
        this.holdTimeout = CheckedValue.positive(holdTimeout);
    }
}
