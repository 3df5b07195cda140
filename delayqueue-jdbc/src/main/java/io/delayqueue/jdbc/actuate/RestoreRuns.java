package io.delayqueue.jdbc.actuate;

import io.delayqueue.jdbc.restore.JournalRestore;
import io.delayqueue.jdbc.restore.RestoreEndedException;
import io.delayqueue.jdbc.restore.RestoreReport;
import io.delayqueue.jdbc.restore.RestoreRequest;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Restores that operators asked this instance for: one at a time, on a thread of its own, since one may take minutes. The report of the
 * last one is kept. Safe for use by several threads.
 */
public final class RestoreRuns implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger("io.delayqueue.jdbc");

    /** A page of messages is done by then: what was restored stays, and what is missing may be asked for again. */
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

    /**
     * One restore.
     *
     * @param request which messages
     * @param dryRun whether only to tell the differences
     * @param task its end
     */
    record Run(RestoreRequest request, boolean dryRun, FutureTask<RestoreReport> task) {}

    private final JournalRestore restore;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile @Nullable Run last;
    private @Nullable Thread thread;
    private boolean closed;

    /** No restore was asked for yet. */
    public RestoreRuns(JournalRestore restore) {
        this.restore = restore;
    }

    /** The restore that runs, or that ended last; null if none was asked for. */
    @Nullable
    Run last() {
        return last;
    }

    /** Begins a restore; null if one is running, or the application stops. */
    @Nullable
    Run start(RestoreRequest request, boolean dryRun) {
        lock.lock();
        try {
            Run before = last;
            if (closed || (before != null && !before.task().isDone())) {
                return null;
            }
            Run run = new Run(request, dryRun, new FutureTask<>(() -> run(request, dryRun)));
            Thread started = new Thread(run.task(), "delayqueue-restore-request");
            started.setDaemon(true);
            // first: if the machine has no thread left, nothing was begun
            started.start();
            last = run;
            thread = started;
            return run;
        } finally {
            lock.unlock();
        }
    }

    /** Interrupts the restore that runs; null if there is none. A page of messages that it is at may still be restored. */
    @Nullable
    Run stop() {
        Run run = last;
        return run != null && run.task().cancel(true) ? run : null;
    }

    private RestoreReport run(RestoreRequest request, boolean dryRun) {
        log.info("An operator asked for a restore{} of {}", dryRun ? "'s dry run" : "", named(request));
        try {
            RestoreReport report = restore.restore(request, dryRun);
            log.info("The restore that an operator asked for has ended: {}", report);
            return report;
        } catch (RestoreEndedException e) {
            log.info("The restore that an operator asked for has ended before it was done: {}", e.getMessage());
            throw e;
        } catch (RuntimeException e) {
            log.warn("The restore that an operator asked for failed; it may be asked for again", e);
            throw e;
        }
    }

    private static String named(RestoreRequest request) {
        if (request.id() != null) {
            return "message '" + request.id() + "' of topic '" + request.topic() + "'";
        }
        String topics = request.topic() == null ? "all topics" : "topic '" + request.topic() + "'";
        return request.onlyOverdue() ? "overdue messages of " + topics : topics;
    }

    /** Interrupts the restore that runs. */
    @Override
    public void close() throws InterruptedException {
        Thread running;
        Run run;
        lock.lock();
        try {
            closed = true;
            running = thread;
            run = last;
        } finally {
            lock.unlock();
        }
        if (running != null && run != null) {
            run.task().cancel(true);
            running.join(CLOSE_TIMEOUT.toMillis());
        }
    }
}
