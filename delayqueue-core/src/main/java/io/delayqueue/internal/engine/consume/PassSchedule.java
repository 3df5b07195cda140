package io.delayqueue.internal.engine.consume;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the passes of a claim loop, each of which claims if it can, one at a time and without a thread of its own. A pass begins at the
 * earliest time that was asked for, on the thread that asked or on the timer; a time asked for during a pass counts after it. Thread-safe.
 */
final class PassSchedule {

    private static final Logger log = LoggerFactory.getLogger("io.delayqueue");

    /** Long enough not to flood the log. */
    private static final Pause AFTER_FAILURE = new Pause(TimeUnit.SECONDS.toNanos(1), false);

    private final ScheduledExecutorService timer;
    private final Supplier<CompletableFuture<Pause>> pass;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final ReentrantLock lock = new ReentrantLock();
    /** Completes at the end of the next pass to begin; null if nobody waits for it. */
    private @Nullable CompletableFuture<Void> nextPass;
    /** Completes at the end of the pass that runs; null if nobody waits for it. */
    private @Nullable CompletableFuture<Void> thisPass;

    private boolean passing;
    private boolean stopped;
    private boolean asked;
    private long askedNanos;
    private long earliestNanos = System.nanoTime();
    private @Nullable Future<?> alarm;
    private volatile long passedNanos = System.nanoTime();

    /** @param pass begins a pass, which never fails, and says when the next one should be */
    PassSchedule(ScheduledExecutorService timer, Supplier<CompletableFuture<Pause>> pass) {
        this.timer = timer;
        this.pass = pass;
    }

    /** Asks for a pass after that time, unless an earlier one is asked for. */
    void wakeAfter(long nanos) {
        boolean begin;
        lock.lock();
        try {
            ask(nanos);
            begin = beginIfDue();
        } finally {
            lock.unlock();
        }
        if (begin) {
            run();
        }
    }

    /** Asks for a pass at once. The answer completes when a pass that began after this call has ended, or none begins any more. */
    CompletableFuture<Void> passNow() {
        CompletableFuture<Void> awaited;
        lock.lock();
        try {
            if (stopped) {
                return ended;
            }
            awaited = nextPass != null ? nextPass : new CompletableFuture<>();
            nextPass = awaited;
        } finally {
            lock.unlock();
        }
        wakeAfter(0);
        return awaited;
    }

    /** Begins no more passes. The answer completes when the last one has ended. */
    CompletableFuture<Void> stop() {
        boolean idle;
        CompletableFuture<Void> never;
        lock.lock();
        try {
            stopped = true;
            cancelAlarm();
            idle = !passing;
            never = idle ? nextPass : null;
        } finally {
            lock.unlock();
        }
        if (idle) {
            completeIfAwaited(never);
            ended.complete(null);
        }
        return ended;
    }

    /** Time since the end of the last pass; since the beginning if there was none. */
    long sincePassNanos() {
        return System.nanoTime() - passedNanos;
    }

    private void ask(long nanos) {
        long time = System.nanoTime() + nanos;
        if (!asked || time - askedNanos < 0) {
            asked = true;
            askedNanos = time;
            cancelAlarm();
        }
    }

    /** Returns true if the caller has to run a pass; else sets the alarm for the next one. */
    private boolean beginIfDue() {
        if (stopped || passing || !asked) {
            return false;
        }
        long now = System.nanoTime();
        long wait = Math.max(askedNanos - now, earliestNanos - now);
        if (wait <= 0) {
            passing = true;
            thisPass = nextPass;
            nextPass = null;
            asked = false;
            cancelAlarm();
            return true;
        }
        if (alarm == null) {
            alarm = setAlarm(wait);
        }
        return false;
    }

    private @Nullable Future<?> setAlarm(long nanos) {
        try {
            return timer.schedule(this::alarmed, nanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException closed) {
            return null;
        }
    }

    private void cancelAlarm() {
        if (alarm != null) {
            alarm.cancel(false);
            alarm = null;
        }
    }

    private void alarmed() {
        boolean begin;
        lock.lock();
        try {
            alarm = null;
            begin = beginIfDue();
        } finally {
            lock.unlock();
        }
        if (begin) {
            run();
        }
    }

    private void run() {
        // a loop, not recursion, for passes that end at once
        boolean more = true;
        while (more) {
            CompletableFuture<Pause> passed = begin();
            if (!passed.isDone()) {
                passed.thenAccept(pause -> {
                    if (endPass(pause)) {
                        run();
                    }
                });
                return;
            }
            more = endPass(passed.join());
        }
    }

    /** A pass that fails against its promise must not end the loop. */
    private CompletableFuture<Pause> begin() {
        CompletableFuture<Pause> passed;
        try {
            passed = pass.get();
        } catch (RuntimeException | Error e) {
            passed = CompletableFuture.failedFuture(e);
        }
        return passed.exceptionally(error -> {
            log.error("A claim loop failed; it runs again in a second", error);
            return AFTER_FAILURE;
        });
    }

    /** Returns true if the next pass is due. */
    private boolean endPass(Pause pause) {
        boolean last;
        boolean begin = false;
        CompletableFuture<Void> passed;
        CompletableFuture<Void> never = null;
        lock.lock();
        try {
            passed = thisPass;
            passing = false;
            passedNanos = System.nanoTime();
            last = stopped;
            if (last) {
                never = nextPass;
            } else {
                earliestNanos = System.nanoTime() + (pause.canBeShortened ? 0 : pause.nanos);
                ask(pause.nanos);
                begin = beginIfDue();
            }
        } finally {
            lock.unlock();
        }
        completeIfAwaited(passed);
        completeIfAwaited(never);
        if (last) {
            ended.complete(null);
        }
        return begin;
    }

    private static void completeIfAwaited(@Nullable CompletableFuture<Void> pass) {
        if (pass != null) {
            pass.complete(null);
        }
    }

    /**
     * The time between two passes.
     *
     * @param nanos its length; 0 for none
     * @param canBeShortened whether a pass that is asked for may come earlier
     */
    record Pause(long nanos, boolean canBeShortened) {}
}
