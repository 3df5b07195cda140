package io.delayqueue.spring.startup;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueException;
import io.delayqueue.RedisAccessDeniedException;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.ServerReport;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Asks the server about itself, or each server of a Cluster, just before listeners start. One that can't work fails the
 * start; what endangers messages is a warning. If Redis or one of the servers is away, the application starts all the same,
 * unless it is to fail fast, and the checks are made up for when it is back; what would have failed the start is an error in
 * the log then.
 */
public final class StartupChecks implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(StartupChecks.class);

    private final DelayQueueClient client;
    private final boolean failFast;
    private final Duration retryInterval;
    private final int phase;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable ScheduledExecutorService retries;
    private final Set<String> checked = ConcurrentHashMap.newKeySet();
    private volatile boolean running;

    /**
     * Checks, not made yet.
     *
     * @param client whose server is asked
     * @param failFast whether the start fails if Redis can't be reached
     * @param retryInterval how often to try again if it could not
     * @param phase when in the start they are made
     */
    public StartupChecks(DelayQueueClient client, boolean failFast, Duration retryInterval, int phase) {
        this.client = client;
        this.failFast = failFast;
        this.retryInterval = retryInterval;
        this.phase = phase;
    }

    @Override
    public void start() {
        running = true;
        checked.clear();
        try {
            check();
        } catch (RedisAccessDeniedException e) {
            running = false;
            throw new StartupCheckException(
                    "Redis denies access: " + e.getMessage(),
                    "Check spring.data.redis.username and password, and the user's ACL rights.",
                    e);
        } catch (StartupCheckException e) {
            running = false;
            throw e;
        } catch (DelayQueueException e) {
            redisIsAway(e);
        }
    }

    @Override
    public void stop() {
        running = false;
        lock.lock();
        try {
            if (retries != null) {
                retries.shutdownNow();
                retries = null;
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return phase;
    }

    /** Checks the servers that answer and were not checked before. */
    private void check() {
        List<ServerReport> reports = client.inspectServers();
        List<ServerReport> answered = reports.stream()
                .filter(report -> report.isReachable() && !checked.contains(report.server()))
                .toList();
        ServerVerdict.refuseUnusable(answered);
        ServerVerdict.warnings(answered).forEach(log::warn);
        answered.forEach(report -> checked.add(report.server()));
        List<String> away = reports.stream()
                .filter(report -> !report.isReachable())
                .map(report -> report.server() + " (" + report.error() + ")")
                .toList();
        if (!away.isEmpty()) {
            throw new RedisUnavailableException("of the Cluster's servers, these are away: " + away, null, null, null);
        }
    }

    private void redisIsAway(DelayQueueException e) {
        if (failFast) {
            running = false;
            throw new StartupCheckException(
                    "Redis can't be used, and delayqueue.fail-fast is on: " + e.getMessage(),
                    "Check spring.data.redis.* and that the server is running, or set delayqueue.fail-fast=false to start"
                            + " without it.",
                    e);
        }
        log.warn(
                "Starting without Redis{}; messages are consumed once it is back: {}",
                checked.isEmpty() ? "" : " as a whole",
                e.getMessage());
        CustomizableThreadFactory threads = new CustomizableThreadFactory("delayqueue-startup-checks-");
        threads.setDaemon(true);
        lock.lock();
        try {
            retries = Executors.newSingleThreadScheduledExecutor(threads);
            long millis = retryInterval.toMillis();
            retries.scheduleWithFixedDelay(this::checkAgain, millis, millis, TimeUnit.MILLISECONDS);
        } finally {
            lock.unlock();
        }
    }

    private void checkAgain() {
        try {
            check();
            log.info("Redis is there");
        } catch (StartupCheckException e) {
            log.error("{} {}", e.getMessage(), e.action());
        } catch (RedisAccessDeniedException e) {
            log.error("Redis denies access: {}", e.getMessage());
        } catch (RuntimeException e) {
            log.debug("Redis is still away", e);
            return;
        }
        endRetries();
    }

    private void endRetries() {
        lock.lock();
        try {
            if (retries != null) {
                retries.shutdown();
                retries = null;
            }
        } finally {
            lock.unlock();
        }
    }
}
