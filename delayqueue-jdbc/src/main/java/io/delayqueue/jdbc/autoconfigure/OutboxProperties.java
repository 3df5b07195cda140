package io.delayqueue.jdbc.autoconfigure;

import java.time.Duration;

/** Properties of the outbox. */
public class OutboxProperties {

    /**
     * Time that an instance has to send the changes that it committed, and a relay the rows that it took. Afterwards any relay may
     * send them.
     */
    private Duration sendTimeout = Duration.ofSeconds(10);

    /**
     * Number of rows that a relay takes and sends together.
     */
    private int batchSize = 500;

    /**
     * Interval at which a relay looks for rows that were not sent.
     */
    private Duration pollInterval = Duration.ofSeconds(1);

    /**
     * Maximum number of committed changes that wait in an instance to be sent right away. Further ones are sent by a relay, once fewer
     * wait or after the send timeout.
     */
    private int handOverCapacity = 10_000;

    /**
     * Number of times that a change may fail before its id is blocked.
     */
    private int maxFailures = 10;

    /**
     * Time for which Redis remembers changes that it applied, at least three times the send timeout.
     */
    private Duration rememberApplied = Duration.ofMinutes(5);

    public Duration getSendTimeout() {
        return sendTimeout;
    }

    public void setSendTimeout(Duration sendTimeout) {
        this.sendTimeout = CheckedValue.between(Duration.ofSeconds(1), sendTimeout, Duration.ofHours(1));
    }

    public int getBatchSize() {
        return batchSize;
    }

    public void setBatchSize(int batchSize) {
        this.batchSize = CheckedValue.positive(batchSize);
    }

    public Duration getPollInterval() {
        return pollInterval;
    }

    public void setPollInterval(Duration pollInterval) {
        this.pollInterval = CheckedValue.positive(pollInterval);
    }

    public int getHandOverCapacity() {
        return handOverCapacity;
    }

    public void setHandOverCapacity(int handOverCapacity) {
        this.handOverCapacity = CheckedValue.positive(handOverCapacity);
    }

    public int getMaxFailures() {
        return maxFailures;
    }

    public void setMaxFailures(int maxFailures) {
        this.maxFailures = CheckedValue.positive(maxFailures);
    }

    public Duration getRememberApplied() {
        return rememberApplied;
    }

    public void setRememberApplied(Duration rememberApplied) {
        this.rememberApplied = rememberApplied;
    }
}
