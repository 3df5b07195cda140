package io.delayqueue.jdbc.audit;

import org.jspecify.annotations.Nullable;

/**
 * An event with its time, which stays the same however often it is written.
 *
 * @param event the event
 * @param micros its time by Redis' clock
 * @param beganMicros when the attempt began, by Redis' clock; null if there was none
 */
record TimedEvent(AuditEvent event, long micros, @Nullable Long beganMicros) {

    /** @param nowMicros Redis' time at that reading of {@link System#nanoTime()} */
    static TimedEvent of(AuditEvent event, long nowMicros, long nowNanos) {
        Long began = event.beganNanos();
        return new TimedEvent(
                event,
                nowMicros - (nowNanos - event.nanos()) / 1_000,
                began == null ? null : nowMicros - (nowNanos - began) / 1_000);
    }

    TimedEvent with(AuditEvent newEvent) {
        return new TimedEvent(newEvent, micros, beganMicros);
    }
}
