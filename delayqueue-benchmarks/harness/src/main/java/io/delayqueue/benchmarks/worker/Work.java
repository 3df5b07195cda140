package io.delayqueue.benchmarks.worker;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The work of a handler for a message. */
@FunctionalInterface
interface Work {

    void run();

    /** {@code nothing}; {@code hold}, so that no handler ever returns; or a number of ms to wait, as for another service. */
    static Work of(String name) {
        return switch (name) {
            case "nothing" -> () -> {};
            case "hold" -> () -> await(Long.MAX_VALUE);
            default -> {
                long millis = Long.parseLong(name);
                yield () -> await(millis);
            }
        };
    }

    private static void await(long millis) {
        try {
            new CountDownLatch(1).await(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
