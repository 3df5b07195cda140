package io.delayqueue.benchmarks.servers;

/** Waits for a time. */
public final class Pause {

    private Pause() {}

    /** Waits this number of milliseconds. */
    public static void millis(long millis) {
        try {
            Thread.sleep(Math.max(0, millis));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }
}
