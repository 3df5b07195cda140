package io.delayqueue.jdbc.audit;

import io.delayqueue.jdbc.support.JournalLoop;
import org.springframework.context.SmartLifecycle;

/**
 * Starts the audit before everything that handles messages, and ends it after that: what becomes of messages during shutdown is recorded,
 * too.
 */
public final class AuditLifecycle implements SmartLifecycle {

    /** Lifecycle phase: before clients and connection factories. */
    public static final int PHASE = Integer.MIN_VALUE + 1_000;

    /** At 50,000 events a second, a tenth of the default capacity. */
    private static final long LOOK_MILLIS = 200;

    private final AuditWriter writer;
    private final AuditObserver observer;
    private final AuditWatch watch;
    private final JournalLoop looks;

    public AuditLifecycle(AuditWriter writer, AuditObserver observer, AuditWatch watch) {
        this.writer = writer;
        this.observer = observer;
        this.watch = watch;
        this.looks = new JournalLoop("delayqueue-audit-watch", this::look);
    }

    private void look() {
        // here, since the writer may wait for a silent database, and what is under way must not fill the memory
        // meanwhile
        observer.recordLongAttempts();
        watch.look();
        looks.await(LOOK_MILLIS);
    }

    @Override
    public void start() {
        writer.start();
        looks.start();
    }

    @Override
    public void stop() {
        looks.close();
        watch.end();
        writer.close();
    }

    @Override
    public boolean isRunning() {
        return writer.isRunning();
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
