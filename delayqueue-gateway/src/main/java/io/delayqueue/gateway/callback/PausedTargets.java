package io.delayqueue.gateway.callback;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * Targets that are not called until an operator says so; kept in Redis for all instances, across restarts. Read when a message is due, if
 * the last reading is older than two seconds: without messages there are no commands. Thread-safe.
 */
final class PausedTargets {

    private static final Logger log = LoggerFactory.getLogger(PausedTargets.class);
    private static final long FRESH_NANOS = Duration.ofSeconds(2).toNanos();

    private final StringRedisTemplate redis;
    private final RedisCalls calls;
    private final String key;
    private final Executor background;
    private final LongSupplier nanoTime;
    private final Set<String> unsaved = ConcurrentHashMap.newKeySet();

    /** Orders this process' commands, so that none undoes what another one has done, and guards changes of what was read. */
    private final ReentrantLock commands = new ReentrantLock();

    private volatile Map<String, String> read = Map.of();
    private volatile long freshUntil;

    /**
     * Reads at the first question.
     *
     * @param calls makes the commands
     * @param keyPrefix of the delay queue's keys
     * @param background runs tasks that wait for Redis
     * @param nanoTime {@link System#nanoTime()}
     */
    PausedTargets(
            StringRedisTemplate redis, RedisCalls calls, String keyPrefix, Executor background, LongSupplier nanoTime) {
        this.redis = redis;
        this.calls = calls;
        this.key = keyPrefix + ":gateway:callbacks:paused";
        this.background = background;
        this.nanoTime = nanoTime;
        this.freshUntil = nanoTime.getAsLong();
    }

    /** Whether a target is paused, as far as this process knows. */
    boolean contains(String target) {
        refreshIfOld();
        return unsaved.contains(target) || read.containsKey(target);
    }

    /** Number of paused targets, as far as this process knows. Does not wait; has them read if the last reading is old. */
    int size() {
        if (isOld()) {
            background.execute(this::refreshIfOld);
        }
        Set<String> targets = new HashSet<>(read.keySet());
        targets.addAll(unsaved);
        return targets.size();
    }

    private boolean isOld() {
        return nanoTime.getAsLong() - freshUntil >= 0;
    }

    private void refreshIfOld() {
        if (isOld() && commands.tryLock()) {
            try {
                refresh();
            } finally {
                commands.unlock();
            }
        }
    }

    /** Since when each target is paused. */
    Map<String, String> all() {
        return calls.call(() -> new HashMap<>(redis.<String, String>opsForHash().entries(key)));
    }

    /** Others wait no longer than a command may take for this, and only where no thread reads already. */
    private void refresh() {
        // set first: after a failure it is not tried again with each message
        freshUntil = nanoTime.getAsLong() + FRESH_NANOS;
        try {
            putAdded();
            read = all();
        } catch (DataAccessException e) {
            log.warn("The paused targets of callbacks can't be read from Redis, or written: {}", e.toString());
        }
    }

    /** Pauses a target in this process at once, and in the others when it is saved. */
    void add(String target) {
        unsaved.add(target);
        freshUntil = nanoTime.getAsLong();
    }

    /** Writes the pauses that were added, unless another thread does. If Redis can't be written, that is done before the next reading. */
    void saveAdded() {
        // one that was added while another thread wrote is written by that thread
        while (!unsaved.isEmpty() && commands.tryLock()) {
            try {
                putAdded();
            } catch (DataAccessException e) {
                log.warn("Pauses of callbacks' targets can't be written to Redis yet: {}", e.toString());
                return;
            } finally {
                commands.unlock();
            }
        }
    }

    private void putAdded() {
        for (String target : unsaved) {
            put(target);
            unsaved.remove(target);
        }
    }

    private void put(String target) {
        calls.call(() -> {
            redis.<String, String>opsForHash().put(key, target, Instant.now().toString());
            return true;
        });
        Map<String, String> known = new HashMap<>(read);
        known.put(target, "");
        read = known;
    }

    /** Pauses a target in all instances. */
    void save(String target) {
        commands.lock();
        try {
            put(target);
            unsaved.remove(target);
        } finally {
            commands.unlock();
        }
    }

    /** Ends a pause: in this process at once, in the others within two seconds. */
    void remove(String target) {
        commands.lock();
        try {
            calls.call(() -> redis.opsForHash().delete(key, target));
            unsaved.remove(target);
            Map<String, String> known = new HashMap<>(read);
            known.remove(target);
            read = known;
        } finally {
            commands.unlock();
        }
    }
}
