package io.delayqueue.gateway.http.idempotency;

import io.delayqueue.gateway.http.body.Json;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.data.redis.core.ReactiveStringRedisTemplate;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Keeps requests in Redis, so that a repeat may come to another gateway. Safe for use by many threads. */
public final class IdempotencyStore {

    private final ReactiveStringRedisTemplate redis;
    private final String prefix;
    private final Duration retention;
    private final Duration timeout;
    private final Json json;

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
        this.json = json;
    }

    /**
     * Keeps a new request, unless there is one. Returns that one, else null. Waits for Redis.
     *
     * @throws DataAccessException if Redis does not answer in time, or refuses
     */
    @Nullable
    RequestRecord begin(String key, RequestRecord record) {
        // a record that ends between the two commands makes way for the new one
        for (int i = 0; i < 3; i++) {
            if (Boolean.TRUE.equals(await(redis.opsForValue().setIfAbsent(prefix + key, text(record), retention)))) {
                return null;
            }
            String kept = await(redis.opsForValue().get(prefix + key));
            if (kept != null) {
                return json.read(kept.getBytes(StandardCharsets.UTF_8), RequestRecord.class);
            }
        }
        throw new IllegalStateException("a request ends and begins all the time");
    }

    /** Replaces a kept request. Does not wait. */
    CompletableFuture<?> put(String key, RequestRecord record) {
        return inTime(redis.opsForValue().set(prefix + key, text(record), retention))
                .toFuture();
    }

    /** Forgets a request. Does not wait. */
    CompletableFuture<?> delete(String key) {
        return inTime(redis.delete(prefix + key)).toFuture();
    }

    /** On another thread: the first command waits until the connection is open, however long that takes. */
    private <T> Mono<T> inTime(Mono<T> command) {
        return command.subscribeOn(Schedulers.boundedElastic()).timeout(timeout);
    }

    private <T> @Nullable T await(Mono<T> command) {
        try {
            return inTime(command).toFuture().get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new QueryTimeoutException("interrupted", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof TimeoutException) {
                throw new QueryTimeoutException("Redis did not answer within " + timeout, e);
            }
            if (e.getCause() instanceof DataAccessException failure) {
                throw failure;
            }
            throw new IllegalStateException(e.getCause());
        }
    }

    private String text(RequestRecord record) {
        return new String(json.write(record), StandardCharsets.UTF_8);
    }
}
