package io.delayqueue.jdbc.autoconfigure;

import io.delayqueue.jdbc.audit.AuditPolicy;
import java.time.Duration;
import org.springframework.util.unit.DataSize;

/** Properties of the audit trail. */
public class AuditProperties {

    /**
     * Whether to record the events of messages.
     */
    private boolean enabled = true;

    /**
     * Treatment of messages while the database takes no events. Either they flow, and the oldest events are dropped when the memory is
     * full; or the listeners are paused before it is full.
     */
    private AuditPolicy policy = AuditPolicy.FLOW;

    /**
     * Maximum number of events that wait in memory.
     */
    private int capacity = 100_000;

    /**
     * Maximum memory of the events that wait.
     */
    private DataSize capacityBytes = DataSize.ofMegabytes(32);

    /**
     * Maximum time that an event waits for others, to be written together with them.
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
