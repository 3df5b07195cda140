package io.delayqueue.gateway.callback;

import java.time.Duration;

/**
 * Stops the calls of a target after several failures in succession. When the break is over, one call is let through, whose end decides
 * whether the others follow. Not thread-safe. Times are those of {@link System#nanoTime()}.
 */
final class Breaker {

    private final int threshold;
    private final long initialBreak;
    private final long maxBreak;

    private int failures;
    private long breakLength;
    private long openUntil;
    private boolean trying;

    Breaker(int threshold, Duration initialBreak, Duration maxBreak) {
        this.threshold = threshold;
        this.initialBreak = initialBreak.toNanos();
        this.maxBreak = maxBreak.toNanos();
    }

    /** Whether calls are stopped. */
    boolean isOpen() {
        return failures >= threshold;
    }

    /** Whether the last call was no failure. */
    boolean isQuiet() {
        return failures == 0;
    }

    /** Time until a call may be tried; zero if calls are not stopped, or if one may be tried now. */
    long waitNanos(long now) {
        if (!isOpen()) {
            return 0;
        }
        return trying ? Math.max(initialBreak, breakLength) : Math.max(0, openUntil - now);
    }

    /** A call begins although calls are stopped. */
    void tryNow() {
        trying = true;
    }

    /** The call that was tried came to no end: another one may be tried. */
    void withdrawn() {
        trying = false;
    }

    /** @param tried whether the call is the one that was tried */
    void succeeded(boolean tried) {
        // an answer to a call from before the break says nothing about the time since
        if (tried || !isOpen()) {
            failures = 0;
            breakLength = 0;
            trying = false;
        }
    }

    /** @param tried whether the call is the one that was tried */
    void failed(boolean tried, long now) {
        boolean wasOpen = isOpen();
        if (!wasOpen) {
            failures++;
        }
        if (tried || !wasOpen && isOpen()) {
            breakLength = breakLength == 0 ? initialBreak : Math.min(maxBreak, 2 * breakLength);
            openUntil = now + breakLength;
            trying = false;
        }
    }
}
