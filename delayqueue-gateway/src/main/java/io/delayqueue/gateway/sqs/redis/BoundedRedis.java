package io.delayqueue.gateway.sqs.redis;

import io.delayqueue.gateway.redis.UnansweredCommands;
import io.delayqueue.gateway.sqs.protocol.SqsErrors;
import io.delayqueue.gateway.sqs.protocol.SqsException;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.core.ReactiveStringRedisTemplate;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Commands on the endpoint's own keys, for a bounded time each: {@code spring.data.redis.timeout} may be a minute. Few threads wait at
 * once, since those of the container are needed by others. Safe for use by several threads.
 */
public final class BoundedRedis {

    private static final Logger log = LoggerFactory.getLogger(BoundedRedis.class);
    private static final int MAX_WAITING = 64;

    /** Commands under way that no thread waits for: they take a little memory until their time is over. */
    private static final int MAX_UNAWAITED = 1_000;

    private static final long REPORT_INTERVAL_NANOS = Duration.ofMinutes(1).toNanos();

    private final ReactiveStringRedisTemplate redis;
    private final String prefix;
    private final Duration timeout;
    private final UnansweredCommands unanswered;
    private final Semaphore waiting = new Semaphore(MAX_WAITING);
    private final Semaphore unawaited = new Semaphore(MAX_UNAWAITED);
    private final AtomicLong reported = new AtomicLong(System.nanoTime() - REPORT_INTERVAL_NANOS);

    /**
     * Commands of a Redis.
     *
     * @param keyPrefix prefix of the delay queue's keys
     * @param timeout longest time for a command
     */
    public BoundedRedis(ReactiveStringRedisTemplate redis, String keyPrefix, Duration timeout) {
        this.redis = redis;
        this.prefix = keyPrefix + ":gateway:";
        this.timeout = timeout;
        this.unanswered = new UnansweredCommands(redis.getConnectionFactory(), timeout);
    }

    /** A key of the endpoint. */
    public String key(String name) {
        return prefix + name;
    }

    /**
     * The result of a command; null if it has none.
     *
     * @throws SqsException that the service is unavailable, if Redis does not answer in time or refuses, or as many commands wait
     *     already as may
     */
    public <T> @Nullable T await(Function<ReactiveStringRedisTemplate, Mono<T>> command) {
        if (!waiting.tryAcquire()) {
            throw SqsErrors.unavailable();
        }
        try {
            return begin(command).get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw SqsErrors.unavailable();
        } catch (ExecutionException e) {
            report(e.getCause());
            throw SqsErrors.unavailable();
        } finally {
            waiting.release();
        }
    }

    /**
     * The future result of a command, for which no thread waits. It fails if Redis does not answer in time or refuses, or if as many
     * commands are under way already as may be.
     */
    public <T> CompletableFuture<T> send(Function<ReactiveStringRedisTemplate, Mono<T>> command) {
        if (!unawaited.tryAcquire()) {
            return CompletableFuture.failedFuture(SqsErrors.unavailable());
        }
        return begin(command).whenComplete((result, failure) -> {
            unawaited.release();
            if (failure != null) {
                report(failure);
            }
        });
    }

    /**
     * On another thread: the first command waits until the connection is open, however long that takes. One that is given up is cancelled,
     * since the application's own work may need that thread.
     */
    private <T> CompletableFuture<T> begin(Function<ReactiveStringRedisTemplate, Mono<T>> command) {
        CompletableFuture<T> answer = Mono.defer(() -> command.apply(redis))
                .subscribeOn(Schedulers.boundedElastic())
                .timeout(timeout)
                // as Lettuce tells that it closed the connection, which a future would take for its own cancellation
                .onErrorMap(
                        CancellationException.class,
                        closed -> new RedisConnectionFailureException("The connection was closed", closed))
                .toFuture();
        answer.whenComplete((result, failure) -> unanswered.ended(failure));
        return answer;
    }

    /** The first failure, and one each minute. */
    private void report(@Nullable Throwable failure) {
        long now = System.nanoTime();
        long last = reported.get();
        if (now - last >= REPORT_INTERVAL_NANOS && reported.compareAndSet(last, now)) {
            log.warn(
                    "A command for the queues of SQS clients failed; further failures are logged once a minute",
                    failure);
        } else {
            log.debug("A command for the queues of SQS clients failed", failure);
        }
    }
}
