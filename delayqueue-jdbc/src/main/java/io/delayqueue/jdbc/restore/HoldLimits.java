package io.delayqueue.jdbc.restore;

import io.delayqueue.jdbc.support.Throttle;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bounds how long partitions are held: until a look says whether Redis lost data; and then for as long as the removal of what came back
 * gets on. Nothing here waits for the database or Redis, so a bound holds though both are silent. Safe for use by several threads.
 */
final class HoldLimits implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger("io.delayqueue.jdbc");

    /** A silent server opens the gate for all its partitions at once. */
    private static final Duration LOG_INTERVAL = Duration.ofMinutes(1);

    private final RestoreSettings settings;
    private final Throttle unchecked = new Throttle(LOG_INTERVAL, System::nanoTime);
    private final Throttle unrepaired = new Throttle(LOG_INTERVAL, System::nanoTime);
    private final ScheduledThreadPoolExecutor timer;
    private volatile long progressNanos = System.nanoTime();

    HoldLimits(RestoreSettings settings) {
        this.settings = settings;
        this.timer = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "delayqueue-claim-gate-timer");
            thread.setDaemon(true);
            return thread;
        });
        timer.setRemoveOnCancelPolicy(true);
        timer.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
        // a machine that has no thread left refuses the gate, and not one of its looks later
        timer.prestartCoreThread();
    }

    Future<?> later(Duration delay, Runnable task) {
        return timer.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** A partition waits for its first look. */
    void limitCheck(HeldPartition held) {
        until(held, settings.checkTimeout(), () -> openUnlessLost(held));
    }

    /** A partition that lost data waits for the removal. */
    void limitRemoval(HeldPartition held) {
        long beganNanos = System.nanoTime();
        until(held, settings.holdTimeout(), () -> openUnlessProgressed(held, beganNanos));
    }

    /**
     * The removal got on, of whichever topic: an instance removes topic by topic, so the others wait for the first one. It can't do so for
     * ever, see {@link RemovalProgress#isBefore}.
     */
    void progressed() {
        progressNanos = System.nanoTime();
    }

    private void until(HeldPartition held, Duration delay, Runnable task) {
        Future<?> planned = later(delay, task);
        held.whenOpen().whenComplete((nothing, error) -> planned.cancel(false));
    }

    private void openUnlessLost(HeldPartition held) {
        if (!held.isLost() && held.open()) {
            warn(
                    unchecked,
                    held,
                    "is claimed without a check whether Redis lost data: no answer within " + settings.checkTimeout());
        }
    }

    private void openUnlessProgressed(HeldPartition held, long beganNanos) {
        long now = System.nanoTime();
        long idleNanos = Math.min(now - beganNanos, now - progressNanos);
        long restNanos = settings.holdTimeout().toNanos() - idleNanos;
        if (restNanos > 0) {
            until(held, Duration.ofNanos(restNanos), () -> openUnlessProgressed(held, beganNanos));
        } else if (held.open()) {
            warn(
                    unrepaired,
                    held,
                    "is claimed although Redis lost data, and messages that ended may be delivered again: their removal made no"
                            + " progress for " + settings.holdTimeout());
        }
    }

    private static void warn(Throttle throttle, HeldPartition held, String text) {
        long more = throttle.pass();
        if (more >= 0) {
            String others = more == 0 ? "" : " (and " + more + " others since the last such line)";
            log.warn("Partition {} of topic '{}' {}{}", held.partition, held.topic, text, others);
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
