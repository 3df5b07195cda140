package io.delayqueue.gateway.callback;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.gateway.FutureFailures;
import io.delayqueue.gateway.log.RareWarnings;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Schedules messages about results. One that Redis does not take is tried again beside the callbacks, whose calls are not repeated for it,
 * until it is closed. Thread-safe.
 */
final class ResultRetries {

    /** Results that wait for Redis, at about 1 kB each. More are lost. */
    static final int MOST_WAITING = 10_000;

    private static final Logger log = LoggerFactory.getLogger(ResultRetries.class);
    private static final long LONGEST_DELAY_SECONDS = 60;
    private static final int MOST_DOUBLINGS = 6;

    private final DelayQueueClient client;
    private final CallbackObserver observer;
    private final Executor threads;
    private final Map<String, Result> waiting = new ConcurrentHashMap<>();
    private final RareWarnings retries = new RareWarnings(log, System::nanoTime);
    private final RareWarnings losses = new RareWarnings(log, System::nanoTime);
    private volatile boolean closed;

    /** A message about a message of the callback topic. */
    private record Result(String topic, OutgoingMessage message) {}

    /**
     * Retries by a client.
     *
     * @param observer is told of results that are not scheduled
     * @param threads run the retries
     */
    ResultRetries(DelayQueueClient client, CallbackObserver observer, Executor threads) {
        this.client = client;
        this.observer = observer;
        this.threads = threads;
    }

    /**
     * Schedules a result.
     *
     * @param topic the callback topic
     * @return completes without an error once it is scheduled, or waits for a retry, or is lost
     */
    CompletableFuture<Void> schedule(String topic, OutgoingMessage message) {
        Result result = new Result(topic, message);
        return attempt(result).handle((scheduled, error) -> {
            if (error != null) {
                failed(result, 0, error);
            }
            return null;
        });
    }

    private CompletableFuture<?> attempt(Result result) {
        try {
            return client.scheduleAsync(result.message);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void failed(Result result, int failures, Throwable thrown) {
        Throwable error = FutureFailures.unwrap(thrown);
        // it would be refused each time
        boolean isRefused = error instanceof IllegalArgumentException;
        if (isRefused || closed || failures == 0 && waiting.size() >= MOST_WAITING) {
            lost(result, error);
            return;
        }
        if (failures == 0) {
            waiting.put(result.message.id(), result);
            observer.resultDelayed(result.topic);
        }
        retries.warn(
                "The result of a callback of topic '" + result.topic + "' could not be scheduled to topic '"
                        + result.message.topic() + "' yet; still retrying, and the call is not repeated",
                error);
        long delay = Math.min(LONGEST_DELAY_SECONDS, 1L << Math.min(failures, MOST_DOUBLINGS));
        CompletableFuture.delayedExecutor(delay, TimeUnit.SECONDS, task -> begin(task, result, failures + 1))
                .execute(() -> again(result, failures + 1));
    }

    /** Called by a timer of the JDK, which tells nobody that the machine has no thread left. */
    private void begin(Runnable task, Result result, int failures) {
        try {
            threads.execute(task);
        } catch (Throwable noThread) {
            failed(result, failures, noThread);
        }
    }

    private void again(Result result, int failures) {
        if (!waiting.containsKey(result.message.id())) {
            return;
        }
        attempt(result).whenComplete((scheduled, error) -> {
            if (error == null) {
                waiting.remove(result.message.id());
            } else {
                failed(result, failures, error);
            }
        });
    }

    private void lost(Result result, Throwable error) {
        waiting.remove(result.message.id());
        observer.resultLost(result.topic);
        losses.warn(
                "The result '" + result.message.id() + "' of a callback of topic '" + result.topic
                        + "' is lost: it could not be scheduled to topic '" + result.message.topic() + "'",
                error);
    }

    /** Number of results that wait for Redis. */
    int waiting() {
        return waiting.size();
    }

    /** Tries what waits once more, within a time; the rest is lost. */
    void close(Duration timeout) {
        closed = true;
        CompletableFuture<?>[] last = waiting.values().stream()
                .map(result -> attempt(result).whenComplete((scheduled, error) -> {
                    if (error == null) {
                        waiting.remove(result.message.id());
                    } else {
                        lost(result, error);
                    }
                }))
                .toArray(CompletableFuture[]::new);
        CompletableFuture.allOf(last)
                .orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS)
                .exceptionally(error -> null)
                .join();
        waiting.values().forEach(result -> lost(result, new IllegalStateException("the process stops")));
    }
}
