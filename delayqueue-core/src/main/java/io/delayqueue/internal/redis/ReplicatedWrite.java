package io.delayqueue.internal.redis;

import io.delayqueue.DelayQueueException;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.ReplicationTimeoutException;
import io.delayqueue.internal.store.Partition;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One write that counts only with the proof that replicas have it. */
final class ReplicatedWrite<T> {

    /** The only operation that waits for replicas. */
    static final String OPERATION = Script.SCHEDULE.label();

    private final CompletableFuture<T> result = new CompletableFuture<>();
    private final Partition partition;
    private final Supplier<CompletableFuture<Reply<T>>> write;
    private volatile @Nullable Reply<T> reply;

    ReplicatedWrite(Partition partition, Supplier<CompletableFuture<Reply<T>>> write) {
        this.partition = partition;
        this.write = write;
    }

    /**
     * A decoded reply, and the connection that it came over.
     *
     * @param connection number of the connection
     */
    record Reply<T>(T answer, long connection) {}

    CompletableFuture<T> result() {
        return result;
    }

    Partition partition() {
        return partition;
    }

    /** Writes; the returned future always succeeds, while a failure ends the {@link #result}. */
    CompletableFuture<?> send() {
        try {
            return write.get().handle((received, error) -> {
                reply = received;
                return error == null || result.completeExceptionally(error);
            });
        } catch (RuntimeException | Error e) {
            result.completeExceptionally(e);
            return CompletableFuture.completedFuture(null);
        }
    }

    boolean isDone() {
        return result.isDone();
    }

    /** Ends the write by the round's proof, or by the error for which there is none. */
    void conclude(@Nullable ReplicationProof proof, @Nullable Throwable error) {
        Reply<T> received = reply;
        if (received == null || isDone()) {
            return;
        }
        if (proof == null) {
            result.completeExceptionally(withoutProof(error));
            return;
        }
        String flaw = proof.flaw(partition, received.connection());
        if (flaw != null) {
            result.completeExceptionally(unproven(flaw));
        } else if (!proof.hasEnoughReplicas()) {
            result.completeExceptionally(new ReplicationTimeoutException(
                    (int) proof.replicas(), proof.required(), partition.topic(), null, null));
        } else {
            result.complete(received.answer());
        }
    }

    private DelayQueueException withoutProof(@Nullable Throwable error) {
        DelayQueueException cause = RedisErrors.translate(
                error != null ? error : new IllegalStateException("no answer to WAIT"), OPERATION, partition.topic());
        return cause instanceof RedisUnavailableException
                ? unproven("Redis became unavailable (" + cause.getMessage() + ")")
                : cause;
    }

    private RedisUnavailableException unproven(String reason) {
        return new RedisUnavailableException(
                OPERATION + " of topic '" + partition.topic() + "' was done, but " + reason
                        + " before a replica was known to have it: " + RedisErrors.REPEAT_SCHEDULE,
                partition.topic(),
                null,
                null);
    }
}
