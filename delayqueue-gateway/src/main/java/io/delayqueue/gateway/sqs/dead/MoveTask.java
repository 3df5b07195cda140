package io.delayqueue.gateway.sqs.dead;

import org.jspecify.annotations.Nullable;

/**
 * A move of dead letters back to their queue, as it is kept.
 *
 * @param id its id
 * @param status {@code RUNNING}, {@code COMPLETED}, {@code CANCELLED} or {@code FAILED}
 * @param rate most messages a second; 0 for as many as there are
 * @param toMove dead letters when it began
 * @param moved number of moved messages
 * @param started milliseconds since 1970 by Redis' clock: later dead letters are not moved
 * @param failure why it failed, or null
 */
record MoveTask(
        String id,
        String status,
        int rate,
        long toMove,
        long moved,
        long started,
        @Nullable String failure) {

    static final String RUNNING = "RUNNING";
    static final String COMPLETED = "COMPLETED";
    static final String CANCELLED = "CANCELLED";
    static final String FAILED = "FAILED";

    boolean isRunning() {
        return status.equals(RUNNING);
    }

    MoveTask withMoved(long all) {
        return new MoveTask(id, status, rate, toMove, all, started, failure);
    }

    MoveTask ended(String end, @Nullable String reason) {
        return new MoveTask(id, end, rate, toMove, moved, started, reason);
    }
}
