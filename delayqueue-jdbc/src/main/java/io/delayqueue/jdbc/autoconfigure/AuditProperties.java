package io.delayqueue.jdbc.autoconfigure;

import io.delayqueue.jdbc.audit.AuditPolicy;
import java.time.Duration;
import org.springframework.util.unit.DataSize;

/** Properties of the audit trail. */
public class AuditProperties {

    /**
     * Whether to record what becomes of messages.
     */
    private boolean enabled = true;

    /**
     * Policy for messages while the database takes no events. They flow, and the oldest events are dropped when the memory is full; or the
     * listeners are paused before that.
     */
    private AuditPolicy policy = AuditPolicy.FLOW;

    /**
     * Number of events that wait in memory at most.
     */
    private int capacity = 100_000;

    /**
     * Memory that waiting events take at most.
     */
    private DataSize capacityBytes = DataSize.ofMegabytes(32);

    /**
     * Longest time that an event waits for others, to be written together with them.
     */
    private Duration flushInterval = Duration.ofMillis(200);

    public boolean isEnabled() {
        return enabled;
    }

    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    public AuditPolicy getPolicy() {
        return policy;
    }

    public void setPolicy(AuditPolicy policy) {
        this.policy = policy;
    }

    public int getCapacity() {
        return capacity;
    }

    public void setCapacity(int capacity) {
        this.capacity = CheckedValue.positive(capacity);
    }

    public DataSize getCapacityBytes() {
        return capacityBytes;
    }

    public void setCapacityBytes(DataSize capacityBytes) {
        this.capacityBytes = CheckedValue.positive(capacityBytes);
    }

    public Duration getFlushInterval() {
        return flushInterval;
    }

    public void setFlushInterval(Duration flushInterval) {
        this.flushInterval = CheckedValue.positive(flushInterval);
    }
}
