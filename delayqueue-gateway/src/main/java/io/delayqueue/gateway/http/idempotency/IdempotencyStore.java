package io.delayqueue.gateway.http.idempotency;

import io.delayqueue.gateway.FutureFailures;
import io.delayqueue.gateway.http.body.Json;
import io.delayqueue.gateway.redis.UnansweredCommands;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.dao.TransientDataAccessResourceException;
import org.springframework.data.redis.core.ReactiveStringRedisTemplate;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Keeps requests in Redis, so that a repeat may come to another gateway. Nothing waits on the caller's thread. Futures fail with a
 * {@link DataAccessException} if Redis refuses, does not answer in time, or if too many commands wait for it. Safe for use by many threads.
 */
public final class IdempotencyStore implements AutoCloseable {

    /** Commands that wait for Redis. */
    private static final int MOST_WAITING = 1_000;

    private static final int THREADS = 4;
    private static final int MOST_ROUNDS = 3;

    private final ReactiveStringRedisTemplate redis;
    private final String prefix;
    private final Duration retention;
    private final Duration timeout;
    private final UnansweredCommands unanswered;
    private final Json json;
    private final Semaphore permits = new Semaphore(MOST_WAITING);
    /** The first command waits until the connection is open, however long that takes. */
    private final Scheduler threads =
            Schedulers.newBoundedElastic(THREADS, MOST_WAITING, "delayqueue-gateway-idempotency", 10, true);

    /**
     * A store over a Redis.
     *
     * @param keyPrefix prefix of the delay queue's keys
     * @param retention time for which a request is kept
     * @param timeout time to wait for Redis: that of the connection may be much longer
     */
    public IdempotencyStore(
            ReactiveStringRedisTemplate redis, String keyPrefix, Duration retention, Duration timeout, Json json) {
        this.redis = redis;
        this.prefix = keyPrefix + ":gateway:idempotency:";
        this.retention = retention;
        this.timeout = timeout;
        this.unanswered = new UnansweredCommands(redis.getConnectionFactory(), timeout);
        this.json = json;
    }

    /** Keeps a new request, unless there is one. Completes with that one, else empty. */
    CompletableFuture<Optional<RequestRecord>> begin(String key, RequestRecord record) {
        return begin(key, record, MOST_ROUNDS);
    }

    /** A record that ends between the two commands makes way for the new one. */
    private CompletableFuture<Optional<RequestRecord>> begin(String key, RequestRecord record, int rounds) {
        if (rounds == 0) {
            return CompletableFuture.failedFuture(
                    new TransientDataAccessResourceException("a request ends and begins all the time"));
        }
        return send(redis.opsForValue().setIfAbsent(prefix + key, text(record), retention))
                .thenCompose(begun -> begun.orElse(false)
                        ? CompletableFuture.completedFuture(Optional.empty())
                        : get(key).thenCompose(kept -> kept.isPresent()
                                ? CompletableFuture.completedFuture(kept)
                                : begin(key, record, rounds - 1)));
    }

    private CompletableFuture<Optional<RequestRecord>> get(String key) {
        return send(redis.opsForValue().get(prefix + key))
                .thenApply(kept ->
                        kept.map(text -> json.read(text.getBytes(StandardCharsets.UTF_8), RequestRecord.class)));
    }

    /**
     * Has one of several repeats take over a request that came to no end. Completes with whether it is this one.
     *
     * @param lost time for which others may not
     */
    CompletableFuture<Boolean> takeOver(String key, RequestRecord before, RequestRecord taken, Duration lost) {
        return send(redis.opsForValue().setIfAbsent(prefix + key + ":" + before.begunMillis(), "", lost))
                .thenCompose(first -> first.orElse(false)
                        ? put(key, taken).thenApply(done -> true)
                        : CompletableFuture.completedFuture(false));
    }

    /** Replaces a kept request. */
    CompletableFuture<?> put(String key, RequestRecord record) {
        return send(redis.opsForValue().set(prefix + key, text(record), retention));
    }

    /** Forgets a request, unless another one took it over. */
    CompletableFuture<?> delete(String key, RequestRecord begun) {
        return get(key).thenCompose(kept -> kept.filter(begun::isSameAttempt).isPresent()
                ? send(redis.delete(prefix + key))
                : CompletableFuture.completedFuture(Optional.empty()));
    }

    /** A command whose time is over has no permit any more: one silent server of a Cluster must not keep those of the others' keys. */
    private <T> CompletableFuture<Optional<T>> send(Mono<T> command) {
        if (!permits.tryAcquire()) {
            return CompletableFuture.failedFuture(
                    new TransientDataAccessResourceException(MOST_WAITING + " commands wait for Redis"));
        }
        // a copy, since a command that is cancelled while it opens the connection would log what becomes of that
        CompletableFuture<T> answer =
                command.subscribeOn(threads).toFuture().copy().orTimeout(timeout.toNanos(), TimeUnit.NANOSECONDS);
        answer.whenComplete((value, failure) -> {
            permits.release();
            unanswered.ended(failure);
        });
        return answer.handle((value, failure) -> {
            if (failure != null) {
                throw new CompletionException(dataAccess(failure));
            }
            return Optional.ofNullable(value);
        });
    }

    private DataAccessException dataAccess(Throwable thrown) {
        Throwable failure = FutureFailures.unwrap(thrown);
        if (failure instanceof DataAccessException known) {
            return known;
        }
        return failure instanceof TimeoutException
                ? new QueryTimeoutException("Redis did not answer within " + timeout, failure)
                : new DataAccessResourceFailureException("Redis could not be asked", failure);
    }

    private String text(RequestRecord record) {
        return new String(json.write(record), StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        threads.dispose();
    }
}
