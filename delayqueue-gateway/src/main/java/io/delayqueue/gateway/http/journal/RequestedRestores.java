package io.delayqueue.gateway.http.journal;

import io.delayqueue.gateway.http.problem.ProblemException;
import io.delayqueue.gateway.http.problem.ProblemType;
import io.delayqueue.jdbc.restore.JournalRestore;
import io.delayqueue.jdbc.restore.RestoreReport;
import io.delayqueue.jdbc.restore.RestoreRequest;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Restores that requests asked for, each on a thread of its own, and a few at the same time. A request for one that is running waits for
 * that one's end. Safe for use by many threads.
 */
public final class RequestedRestores implements AutoCloseable {

    /** Restores at the same time: each reads the journal at its own rate. */
    static final int MOST = 4;

    /** A restore and the way it is made. */
    private record Task(RestoreRequest request, boolean dryRun) {}

    /** A running restore. */
    private record Run(CompletableFuture<RestoreReport> report, Thread thread) {}

    private final JournalRestore restore;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Task, Run> running = new HashMap<>();
    private boolean closed;

    /** No restore was asked for yet. */
    public RequestedRestores(JournalRestore restore) {
        this.restore = restore;
    }

    /** Begins a restore, or joins the same one that is running. Cancelling or completing the future changes nothing. */
    CompletableFuture<RestoreReport> begin(RestoreRequest request, boolean dryRun) {
        Task task = new Task(request, dryRun);
        lock.lock();
        try {
            if (closed) {
                throw new ProblemException(ProblemType.STOPPING, "nothing was restored");
            }
            Run before = running.get(task);
            if (before != null) {
                return before.report().copy();
            }
            if (running.size() >= MOST) {
                throw new ProblemException(
                        ProblemType.TOO_MANY_REQUESTS, MOST + " other restores are running: repeat the request later");
            }
            CompletableFuture<RestoreReport> report = new CompletableFuture<>();
            Thread thread = new Thread(() -> run(task, report), "delayqueue-gateway-restore");
            thread.setDaemon(true);
            // first: if the machine has no thread left, nothing was begun. Its end waits for this lock
            thread.start();
            running.put(task, new Run(report, thread));
            return report.copy();
        } finally {
            lock.unlock();
        }
    }

    private void run(Task task, CompletableFuture<RestoreReport> report) {
        try {
            RestoreReport done = restore.restore(task.request(), task.dryRun());
            end(task);
            report.complete(done);
        } catch (Throwable e) {
            end(task);
            report.completeExceptionally(e);
        }
    }

    private void end(Task task) {
        lock.lock();
        try {
            running.remove(task);
        } finally {
            lock.unlock();
        }
    }

    /** Interrupts restores: they may be asked for again. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            running.values().forEach(run -> run.thread().interrupt());
        } finally {
            lock.unlock();
        }
    }
}
