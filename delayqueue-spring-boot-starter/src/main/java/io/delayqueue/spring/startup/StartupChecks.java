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
 * Inspects the Redis server, or each node of a Cluster, just before listeners start. An unusable server fails the start; a
 * setting that endangers messages is logged as a warning. If a server is unavailable, the application starts nevertheless
 * (unless it is to fail fast) and inspects it once it answers; an unusable server is then logged as an error.
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
     * Checks that {@link #start()} makes.
     *
     * @param client the client to inspect servers with
     * @param failFast whether to fail the start if Redis is unavailable
     * @param retryInterval interval between attempts to inspect an unavailable server
     * @param phase lifecycle phase of the checks
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
                    "Check spring.data.redis.username and password, and the user's ACL permissions.",
                    e);
        } catch (StartupCheckException e) {
            running = false;
            throw e;
        } catch (DelayQueueException e) {
            startWithoutRedis(e);
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

    /** Checks the servers that answer and have not been checked yet. */
    private void check() {
        List<ServerReport> reports = client.inspectServers();
        List<ServerReport> answered = reports.stream()
                .filter(report -> report.isReachable() && !checked.contains(report.server()))
                .toList();
        ServerVerdict.refuseUnusable(answered);
        ServerVerdict.warnings(answered).forEach(log::warn);
        answered.forEach(report -> checked.add(report.server()));
        List<String> unavailable = reports.stream()
                .filter(report -> !report.isReachable())
                .map(report -> report.server() + " (" + report.error() + ")")
                .toList();
        if (!unavailable.isEmpty()) {
            throw new RedisUnavailableException(
                    "these nodes of the Redis Cluster are unavailable: " + unavailable, null, null, null);
        }
    }

    private void startWithoutRedis(DelayQueueException e) {
        if (failFast) {
            running = false;
            throw new StartupCheckException(
                    "Redis is unavailable, and delayqueue.fail-fast is on: " + e.getMessage(),
                    "Check spring.data.redis.* and that the server is running, or set delayqueue.fail-fast=false to start"
                            + " without it.",
                    e);
        }
        log.warn(
                "Starting without {}; listeners consume its messages once it answers: {}",
                checked.isEmpty() ? "Redis" : "a part of the Redis Cluster",
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
            log.info("Redis answers now and has passed the start-up checks");
        } catch (StartupCheckException e) {
            log.error("{} {}", e.getMessage(), e.action());
        } catch (RedisAccessDeniedException e) {
            log.error("Redis denies access: {}", e.getMessage());
        } catch (RuntimeException e) {
            log.debug("Redis is still unavailable", e);
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
