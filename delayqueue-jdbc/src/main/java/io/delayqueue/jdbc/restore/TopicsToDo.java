package io.delayqueue.jdbc.restore;

import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Topics that wait to be checked or refilled, each once, with the time from which it may be. Thread-safe. */
final class TopicsToDo {

    private static final Logger log = LoggerFactory.getLogger("io.delayqueue.jdbc");

    /** An idle thread looks this often whether it is to end. */
    private static final long LONGEST_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private static final Duration AFTER_FAILURE = Duration.ofSeconds(5);

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Map<String, Long> dueNanos = new HashMap<>();
    private volatile long allNanos = System.nanoTime();

    /** Work on a topic. */
    interface Work {
        void on(String topic);
    }

    /** Asks for a topic after this time, unless it is asked for earlier. */
    void add(String topic, Duration delay) {
        long due = System.nanoTime() + delay.toNanos();
        lock.lock();
        try {
            dueNanos.merge(topic, due, (old, fresh) -> fresh - old < 0 ? fresh : old);
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Asks for all topics after this time. */
    void allAfter(Duration delay) {
        allNanos = System.nanoTime() + delay.toNanos();
    }

    boolean isTimeForAll() {
        return System.nanoTime() - allNanos >= 0;
    }

    /** Does the work on the next topic whose time has come; waits for one, but not for long. */
    void doNext(Work work) throws InterruptedException {
        doNext(any -> true, work);
    }

    /** The same, on one of some topics first. */
    void doNext(Predicate<String> first, Work work) throws InterruptedException {
        String topic = next(first);
        if (topic == null) {
            return;
        }
        try {
            work.on(topic);
        } catch (RestoreEndedException e) {
            add(topic, AFTER_FAILURE);
            log.info("The restore of topic '{}' ended before it was done: {}", topic, e.getMessage());
        } catch (RuntimeException e) {
            add(topic, AFTER_FAILURE);
            // the loop pauses, and reports it once a minute
            throw e;
        }
    }

    /** Whether the time of one of some topics has come. */
    boolean isDue(Predicate<String> some) {
        lock.lock();
        try {
            return due(some) != null;
        } finally {
            lock.unlock();
        }
    }

    private @Nullable String next(Predicate<String> first) throws InterruptedException {
        lock.lock();
        try {
            String topic = due(first);
            if (topic == null) {
                topic = due(any -> true);
            }
            if (topic == null) {
                changed.awaitNanos(waitNanos());
                topic = due(any -> true);
            }
            dueNanos.remove(topic);
            return topic;
        } finally {
            lock.unlock();
        }
    }

    private @Nullable String due(Predicate<String> some) {
        long now = System.nanoTime();
        return dueNanos.entrySet().stream()
                .filter(entry -> entry.getValue() - now <= 0 && some.test(entry.getKey()))
                .min(Comparator.comparingLong(entry -> entry.getValue() - now))
                .map(Map.Entry::getKey)
                .orElse(null);
    }

    private long waitNanos() {
        long now = System.nanoTime();
        return dueNanos.values().stream()
                .mapToLong(due -> due - now)
                .filter(nanos -> nanos > 0)
                .reduce(LONGEST_WAIT_NANOS, Math::min);
    }
}
