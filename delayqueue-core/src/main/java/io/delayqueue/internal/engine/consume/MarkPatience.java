package io.delayqueue.internal.engine.consume;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * How long the handlers of a subscription wait for the marks of their messages, in their slots. It is a tenth of a second, or longer
 * in a partition whose last mark took longer. So a server that falls silent holds no slot for long, and one that is always slow has its
 * messages handled. Thread-safe.
 */
final class MarkPatience {

    /** As for claims: many healthy round trips, and no stop that is felt if the server is silent. */
    static final long MIN_NANOS = ClaimReservation.MAX_NANOS;

    /** A mark may take this many times as long as the last one of its partition. */
    private static final int FACTOR = 4;

    private final long maxNanos;
    private final Map<Integer, Long> lastNanos = new ConcurrentHashMap<>();

    /** @param max no mark is waited for any longer */
    MarkPatience(Duration max) {
        this.maxNanos = max.toNanos();
    }

    /** Waits for a message's own mark. Returns false if it was refused, or not answered in time. */
    boolean awaitMark(int partition, CompletableFuture<Boolean> mark) {
        long sentNanos = System.nanoTime();
        mark.whenComplete((held, error) -> {
            // also an answer that comes too late for this message: the next one has to wait as long
            if (error == null) {
                lastNanos.put(partition, System.nanoTime() - sentNanos);
            }
        });
        return await(mark, Math.min(maxNanos, Math.max(MIN_NANOS, FACTOR * lastNanos.getOrDefault(partition, 0L))));
    }

    /** Waits for the mark of another message. */
    void await(CompletableFuture<Boolean> mark) {
        await(mark, maxNanos);
    }

    private static boolean await(CompletableFuture<Boolean> answer, long nanos) {
        try {
            return answer.get(nanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } catch (ExecutionException | TimeoutException e) {
            return false;
        }
    }
}
