package io.delayqueue.jdbc.audit;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks after the {@link AuditBuffer}: reports dropped events, and with the policy {@link AuditPolicy#STOP} pauses listeners while it is
 * nearly full.
 */
public final class AuditWatch {

    private static final Logger log = LoggerFactory.getLogger("io.delayqueue.jdbc");

    /** The rest is for the messages that are in flight then. */
    private static final double PAUSE_FILL = 0.8;

    private static final double RESUME_FILL = 0.2;

    private static final long REPORT_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final AuditBuffer buffer;
    private final AuditPolicy policy;
    private final Consumer<Boolean> pause;
    private final Consumer<AuditEventsDroppedEvent> report;
    /** Whether listeners may be paused: an attempt that failed may have paused some. */
    private boolean pausing;

    private boolean paused;
    private long reported;
    private long reportedNanos = System.nanoTime() - REPORT_NANOS;

    /**
     * A watch.
     *
     * @param pause pauses the listeners, or resumes them
     * @param report publishes that events were dropped
     */
    public AuditWatch(
            AuditBuffer buffer, AuditPolicy policy, Consumer<Boolean> pause, Consumer<AuditEventsDroppedEvent> report) {
        this.buffer = buffer;
        this.policy = policy;
        this.pause = pause;
        this.report = report;
    }

    /** Looks once. Called often: between two looks, no more events may come than the rest of the buffer takes. */
    void look() {
        if (policy == AuditPolicy.STOP) {
            pauseOrResume(buffer.fill());
        }
        reportDropped();
    }

    private void pauseOrResume(double fill) {
        if (!paused && fill >= PAUSE_FILL) {
            pausing = true;
            pause.accept(true);
            paused = true;
            log.warn("Listeners are paused: the database accepts no events, and the event buffer is nearly full");
        } else if (pausing && fill <= RESUME_FILL) {
            resume();
            log.info("Listeners are resumed: the journal takes events again");
        }
    }

    private void reportDropped() {
        long dropped = buffer.dropped();
        long now = System.nanoTime();
        if (dropped > reported && now - reportedNanos >= REPORT_NANOS) {
            long more = dropped - reported;
            reported = dropped;
            reportedNanos = now;
            log.warn("The journal dropped {} events, {} in all: its database did not take them in time", more, dropped);
            report.accept(new AuditEventsDroppedEvent(more, dropped));
        }
    }

    /** Ends a pause. */
    void end() {
        if (pausing) {
            resume();
        }
    }

    private void resume() {
        pause.accept(false);
        paused = false;
        pausing = false;
    }
}
