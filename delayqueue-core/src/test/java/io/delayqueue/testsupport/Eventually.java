package io.delayqueue.testsupport;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.awaitility.core.ThrowingRunnable;

/** Waits for facts, long enough for a busy machine. */
public final class Eventually {

    private static final Duration LONG_ENOUGH = Duration.ofSeconds(30);

    private Eventually() {}

    /** Until the assertion holds. */
    public static void asserted(ThrowingRunnable assertion) {
        await().atMost(LONG_ENOUGH)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(5))
                .untilAsserted(assertion);
    }

    /** Until the thread waits for something. */
    public static void isAsleep(Thread thread) {
        await().atMost(LONG_ENOUGH)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .until(() ->
                        thread.getState() == Thread.State.TIMED_WAITING || thread.getState() == Thread.State.WAITING);
    }
}
