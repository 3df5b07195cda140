package io.delayqueue.testsupport;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Time that is part of what a test plays: how long a fault lasts, or how long a load pauses. All else, a test waits for. */
public final class PlayedTime {

    private PlayedTime() {}

    /** Lets the time pass. */
    public static void pass(Duration time) {
        try {
            TimeUnit.NANOSECONDS.sleep(time.toNanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
