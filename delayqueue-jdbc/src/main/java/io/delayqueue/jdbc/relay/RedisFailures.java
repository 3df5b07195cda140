package io.delayqueue.jdbc.relay;

import io.delayqueue.ClientOverloadedException;
import io.delayqueue.DelayQueueClosedException;
import io.delayqueue.DelayQueueException;
import io.delayqueue.RedisAccessDeniedException;
import io.delayqueue.RedisFullException;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.ReplicationTimeoutException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for Redis, and tells failures of Redis from those of one change. */
final class RedisFailures {

    /** Longer than any command of the client takes: a reply that is later than this comes never. */
    private static final long LONGEST_WAIT_SECONDS = 60;

    private RedisFailures() {}

    /** Whether the next change would fail the same way: Redis is unavailable, full, or refuses this client. */
    static boolean concernAll(Throwable failure) {
        return failure instanceof RedisUnavailableException
                || failure instanceof RedisFullException
                || failure instanceof RedisAccessDeniedException
                || failure instanceof ReplicationTimeoutException
                || failure instanceof ClientOverloadedException
                || failure instanceof DelayQueueClosedException;
    }

    /**
     * The result of a call.
     *
     * @throws DelayQueueException or another unchecked exception with which the call failed
     */
    static <T> T await(CompletableFuture<T> call) {
        try {
            return call.get(LONGEST_WAIT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw FutureFailures.unchecked(e);
        } catch (TimeoutException e) {
            throw new RedisUnavailableException("Redis did not answer", null, null, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DelayQueueClosedException("the journal is being closed", null, null, e);
        }
    }
}
