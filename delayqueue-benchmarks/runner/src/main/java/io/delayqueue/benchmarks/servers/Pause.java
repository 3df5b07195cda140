package io.delayqueue.benchmarks.servers;

/** Lets time pass. */
public final class Pause {

    private Pause() {}

    /** So many milliseconds. */
    public static void millis(long millis) {
        try {
            Thread.sleep(Math.max(0, millis));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }
}
