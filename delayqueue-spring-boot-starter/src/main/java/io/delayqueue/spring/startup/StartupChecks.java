package io.delayqueue.spring.startup;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueException;
import io.delayqueue.RedisAccessDeniedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
 * Inspects the Redis servers of all clients, each node of a Cluster among them, just before listeners start. An unusable server fails
 * the start; a setting that endangers messages is logged as a warning. If a server is unavailable, the application starts
 * nevertheless (unless it is to fail fast) and inspects it once it answers; an unusable server is then logged as an error.
 */
public final class StartupChecks implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(StartupChecks.class);

    private final Map<String, DelayQueueClient> clients;
    private final boolean failFast;
    private final Duration retryInterval;
    private final int phase;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable ScheduledExecutorService retries;
    private volatile boolean running;

    /**
     * Checks that {@link #start()} makes.
     *
     * @param clients the clients to inspect servers with, by the names of their beans
     * @param failFast whether to fail the start if Redis is unavailable
     * @param retryInterval interval between attempts to inspect an unavailable server
     * @param phase lifecycle phase of the checks
     */
    public StartupChecks(Map<String, DelayQueueClient> clients, boolean failFast, Duration retryInterval, int phase) {
        this.clients = new LinkedHashMap<>(clients);
        this.failFast = failFast;
        this.retryInterval = retryInterval;
        this.phase = phase;
    }

    @Override
    public void start() {
        running = true;
        List<ServerCheck> unanswered = new ArrayList<>();
        clients.forEach((name, client) -> {
            ServerCheck check = new ServerCheck(client, clients.size() == 1 ? "" : name + ": ");
            if (!isAnswered(check)) {
                unanswered.add(check);
            }
        });
        if (!unanswered.isEmpty()) {
            retry(unanswered);
        }
    }

    @Override
    public void stop() {
        running = false;
        endRetries();
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return phase;
    }

    private boolean isAnswered(ServerCheck check) {
        try {
            check.run();
            return true;
        } catch (RedisAccessDeniedException e) {
            running = false;
            throw new StartupCheckException(
                    check.prefix() + "Redis denies access: " + e.getMessage(),
                    "Check spring.data.redis.username and password, and the user's ACL permissions.",
                    e);
        } catch (StartupCheckException e) {
            running = false;
            throw e;
        } catch (DelayQueueException e) {
            startWithout(check, e);
            return false;
        }
    }

    private void startWithout(ServerCheck check, DelayQueueException e) {
        if (failFast) {
            running = false;
            throw new StartupCheckException(
                    check.prefix() + "Redis is unavailable, and delayqueue.fail-fast is on: " + e.getMessage(),
                    "Check spring.data.redis.* and that the server is running, or set delayqueue.fail-fast=false to start"
                            + " without it.",
                    e);
        }
        log.warn(
                "{}Starting without {}; listeners consume its messages once it answers: {}",
                check.prefix(),
                check.isPartlyDone() ? "a part of the Redis Cluster" : "Redis",
                e.getMessage());
    }

    private void retry(List<ServerCheck> unanswered) {
        CustomizableThreadFactory threads = new CustomizableThreadFactory("delayqueue-startup-checks-");
        threads.setDaemon(true);
        lock.lock();
        try {
            retries = Executors.newSingleThreadScheduledExecutor(threads);
            long millis = retryInterval.toMillis();
            retries.scheduleWithFixedDelay(() -> retryAll(unanswered), millis, millis, TimeUnit.MILLISECONDS);
        } finally {
            lock.unlock();
        }
    }

    private void retryAll(List<ServerCheck> unanswered) {
        unanswered.removeIf(StartupChecks::isOver);
        if (unanswered.isEmpty()) {
            endRetries();
        }
    }

    private static boolean isOver(ServerCheck check) {
        try {
            check.run();
            log.info("{}Redis answers now and has passed the start-up checks", check.prefix());
        } catch (StartupCheckException e) {
            log.error("{} {}", e.getMessage(), e.action());
        } catch (RedisAccessDeniedException e) {
            log.error("{}Redis denies access: {}", check.prefix(), e.getMessage());
        } catch (RuntimeException e) {
            log.debug("{}Redis is still unavailable", check.prefix(), e);
            return false;
        }
        return true;
    }

    private void endRetries() {
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
}
