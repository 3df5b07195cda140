package io.delayqueue.testsupport;

import io.delayqueue.DelayQueueObserver;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Counts how often a process asked Redis for messages: a test's way to know that a consumer has looked. */
public final class ClaimCounter implements DelayQueueObserver {

    private final AtomicInteger answered = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();

    @Override
    public void redisCall(String script, Duration duration, @Nullable Throwable error) {
        if (script.equals("claim")) {
            (error == null ? answered : failed).incrementAndGet();
        }
    }

    public int answered() {
        return answered.get();
    }

    public int failed() {
        return failed.get();
    }

    /** Waits until the consumer has looked at least so often. */
    public void await(int times) {
        TestQueue.await().until(() -> answered() >= times);
    }

    /** Does something that wakes the consumer, and waits until it has looked. */
    public void awaitAfter(Runnable action) {
        int before = answered();
        action.run();
        await(before + 1);
    }

    /** Waits until the consumer looks no more: what was to wake it so far has done so. */
    public void awaitSilence() {
        AtomicInteger before = new AtomicInteger(-1);
        TestQueue.await().pollInterval(Duration.ofMillis(200)).until(() -> before.getAndSet(answered()) == answered());
    }
}
