package io.delayqueue.internal.engine.consume;

import io.delayqueue.Subscription;
import io.delayqueue.internal.Nanos;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stops subscriptions, all of them and all their partitions at the same time. They claim no more and release the messages that no
 * handler has begun. Handlers get the grace to finish, then they are interrupted. The last settlements are waited for. However many
 * they are, and even if Redis is silent, that takes at most the grace and {@link Subscription#AFTER_GRACE}: a second for each of the
 * last three steps. See {@link Subscription#stop}.
 */
final class StopSequence {

    private static final Logger log = LoggerFactory.getLogger("io.delayqueue");

    /** Handlers that were interrupted get this long to end: enough for one that heeds it. */
    private static final Duration AFTER_INTERRUPT = Duration.ofSeconds(1);

    /** Redis gets this long to forget the consumer: the connection may be closed next, and the command lost with it. */
    private static final Duration TO_FORGET = Duration.ofSeconds(1);

    private final List<ConsumerRun> runs;
    private final long graceEndsNanos;
    private final long endNanos;
    private boolean interrupted;

    private StopSequence(Collection<ConsumerRun> runs, Duration grace) {
        this.runs = List.copyOf(runs);
        this.graceEndsNanos = System.nanoTime() + Nanos.of(grace);
        this.endNanos = graceEndsNanos + Subscription.AFTER_GRACE.toNanos();
    }

    /** Returns true if all handlers finished within the grace. A run that is being stopped already is waited for as long. */
    static boolean stop(Collection<ConsumerRun> runs, Duration grace) {
        return new StopSequence(runs, grace).stop();
    }

    private boolean stop() {
        List<ConsumerRun> own = runs.stream().filter(ConsumerRun::claimStop).toList();
        interrupted = Thread.interrupted();
        try {
            boolean finished = own.isEmpty() || stop(own);
            return othersFinished() && finished;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private boolean stop(List<ConsumerRun> own) {
        boolean finished = false;
        try {
            CompletableFuture<Void> claimed = all(own, ConsumerRun::stopClaiming);
            finished = awaitHandlers(own, graceEndsNanos);
            if (!finished) {
                own.forEach(ConsumerRun::interruptHandlers);
                awaitHandlers(own, System.nanoTime() + AFTER_INTERRUPT.toNanos());
                own.forEach(ConsumerRun::releaseStuck);
            }
            // the messages of the last claims are released, too: one call after the other
            CompletableFuture<Void> settled = claimed.exceptionally(error -> null)
                    .thenCompose(done -> all(own, run -> run.settlements().whenEmpty()));
            Duration commandTimeout = own.get(0).context().client().options().commandTimeout();
            await(
                    settled,
                    Math.min(2 * commandTimeout.toNanos(), leftNanos() - TO_FORGET.toNanos()),
                    "the last claim or settlement is not answered");
        } finally {
            boolean allFinished = finished;
            await(
                    all(own, run -> run.end(allFinished)),
                    Math.min(TO_FORGET.toNanos(), leftNanos()),
                    "a consumer stays known to Redis for an hour");
        }
        return finished;
    }

    private boolean othersFinished() {
        boolean finished = true;
        for (ConsumerRun run : runs) {
            await(run.stopped(), leftNanos(), "another thread goes on to stop the subscription");
            finished &= run.stopped().getNow(false);
        }
        return finished;
    }

    /**
     * Waits until no handler runs. An interrupt ends the wait as if the time were over; the bounded steps after it save messages from
     * waiting for their leases.
     */
    private boolean awaitHandlers(List<ConsumerRun> own, long untilNanos) {
        boolean finished = true;
        try {
            for (ConsumerRun run : own) {
                finished &= run.awaitHandlers(untilNanos - System.nanoTime());
            }
        } catch (InterruptedException e) {
            interrupted = true;
            return false;
        }
        return finished;
    }

    private long leftNanos() {
        return endNanos - System.nanoTime();
    }

    private static CompletableFuture<Void> all(
            List<ConsumerRun> runs, Function<ConsumerRun, CompletableFuture<Void>> call) {
        return CompletableFuture.allOf(runs.stream().map(call).toArray(CompletableFuture[]::new));
    }

    private void await(CompletableFuture<?> answer, long nanos, String otherwise) {
        try {
            answer.get(nanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            interrupted = true;
        } catch (ExecutionException | TimeoutException e) {
            log.debug(otherwise, e);
        }
    }
}
