package io.delayqueue.testsupport;

import io.delayqueue.DelayQueueObserver;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Counts the claims of a process, so that a test knows that its consumer has asked Redis for messages. */
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

    /** Waits until at least this number of claims are answered. */
    public void await(int times) {
        TestQueue.await().until(() -> answered() >= times);
    }

    /** Runs an action that wakes the consumer, and waits for its next claim. */
    public void awaitAfter(Runnable action) {
        int before = answered();
        action.run();
        await(before + 1);
    }

    /** Waits until the consumer sends no more claims: all wake-ups so far have had their effect. */
    public void awaitSilence() {
        AtomicInteger before = new AtomicInteger(-1);
        TestQueue.await().pollInterval(Duration.ofMillis(200)).until(() -> before.getAndSet(answered()) == answered());
    }
}
