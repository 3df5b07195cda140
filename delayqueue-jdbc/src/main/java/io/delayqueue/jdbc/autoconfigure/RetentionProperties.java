package io.delayqueue.jdbc.autoconfigure;

import io.delayqueue.jdbc.retention.RetentionSettings;
import java.time.Duration;

/** Properties of the retention of the journal's rows. Each time is at least an hour. */
public class RetentionProperties {

    /**
     * Whether to delete rows that are older than their retention. If not, delete them by other means.
     */
    private boolean enabled = true;

    /**
     * Time for which messages that were handled are kept.
     */
    private Duration acked = Duration.ofDays(7);

    /**
     * Time for which messages that were cancelled are kept.
     */
    private Duration cancelled = Duration.ofDays(7);

    /**
     * Time for which messages that expired before they were handled are kept.
     */
    private Duration expired = Duration.ofDays(30);

    /**
     * Time for which dead letters are kept, counted from when they were dead-lettered.
     */
    private Duration dead = Duration.ofDays(90);

    /**
     * Time for which messages that an operator purged are kept.
     */
    private Duration purged = Duration.ofDays(30);

    /**
     * Time for which messages that were replaced by another one with their id are kept.
     */
    private Duration replaced = Duration.ofDays(7);

    /**
     * Time for which messages that Redis refused as duplicates are kept.
     */
    private Duration rejected = Duration.ofDays(7);

    /**
     * Time for which messages are kept that were not scheduled, because the policy KEEP kept another one with their id.
     */
    private Duration kept = Duration.ofDays(7);

    /**
     * Time for which messages whose end was not recorded are kept.
     */
    private Duration unrecorded = Duration.ofDays(30);

    /**
     * Time for which events of messages are kept.
     */
    private Duration events = Duration.ofDays(30);

    /**
     * Time for which idempotent listeners remember the messages that they handled. Longer than all retries, redrives and restores,
     * so longer than that of dead letters.
     */
    private Duration inbox = Duration.ofDays(100);

    /**
     * Maximum number of rows that one transaction deletes.
     */
    private int batchSize = 1000;

    /**
     * Interval between searches for old rows, once all of them have been deleted.
     */
    private Duration interval = Duration.ofSeconds(10);

    public boolean isEnabled() {
        return enabled;
    }

    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    public Duration getAcked() {
        return acked;
    }

    public void setAcked(Duration acked) {
        this.acked = RetentionSettings.checked("acked", acked);
    }

    public Duration getCancelled() {
        return cancelled;
    }

    public void setCancelled(Duration cancelled) {
        this.cancelled = RetentionSettings.checked("cancelled", cancelled);
    }

    public Duration getExpired() {
        return expired;
    }

    public void setExpired(Duration expired) {
        this.expired = RetentionSettings.checked("expired", expired);
    }

    public Duration getDead() {
        return dead;
    }

    public void setDead(Duration dead) {
        this.dead = RetentionSettings.checked("dead", dead);
    }

    public Duration getPurged() {
        return purged;
    }

    public void setPurged(Duration purged) {
        this.purged = RetentionSettings.checked("purged", purged);
    }

    public Duration getReplaced() {
        return replaced;
    }

    public void setReplaced(Duration replaced) {
        this.replaced = RetentionSettings.checked("replaced", replaced);
    }

    public Duration getRejected() {
        return rejected;
    }

    public void setRejected(Duration rejected) {
        this.rejected = RetentionSettings.checked("rejected", rejected);
    }

    public Duration getKept() {
        return kept;
    }

    public void setKept(Duration kept) {
        this.kept = RetentionSettings.checked("kept", kept);
    }

    public Duration getUnrecorded() {
        return unrecorded;
    }

    public void setUnrecorded(Duration unrecorded) {
        this.unrecorded = RetentionSettings.checked("unrecorded", unrecorded);
    }

    public Duration getEvents() {
        return events;
    }

    public void setEvents(Duration events) {
        this.events = RetentionSettings.checked("events", events);
    }

    public Duration getInbox() {
        return inbox;
    }

    public void setInbox(Duration inbox) {
        this.inbox = RetentionSettings.checked("inbox", inbox);
    }

    public int getBatchSize() {
        return batchSize;
    }

    public void setBatchSize(int batchSize) {
        this.batchSize = RetentionSettings.checkedBatchSize(batchSize);
    }

    public Duration getInterval() {
        return interval;
    }

    public void setInterval(Duration interval) {
        this.interval = RetentionSettings.checkedInterval(interval);
    }
}
