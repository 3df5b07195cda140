package io.delayqueue.internal.engine.consume;

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
 * Stops subscriptions, all at the same time: they claim no more and release the messages that no handler has begun; handlers get the
 * grace to finish, then they are interrupted; the last settlements are waited for. See {@link io.delayqueue.Subscription#stop}.
 */
final class StopSequence {

    private static final Logger log = LoggerFactory.getLogger("io.delayqueue");

    /** Handlers that were interrupted get this long to end: enough for one that heeds it. */
    private static final Duration AFTER_INTERRUPT = Duration.ofSeconds(1);

    /** Redis gets this long to forget the consumer: the connection may be closed next, and the command lost with it. */
    private static final Duration TO_FORGET = Duration.ofSeconds(1);

    private final List<SubscriptionRun> runs;
    private boolean interrupted;

    private StopSequence(Collection<SubscriptionRun> runs) {
        this.runs = List.copyOf(runs);
    }

    /** Returns true if all handlers finished within the grace. A run that is being stopped already is waited for. */
    static boolean stop(Collection<SubscriptionRun> runs, Duration grace) {
        List<SubscriptionRun> own =
                runs.stream().filter(SubscriptionRun::claimStop).toList();
        boolean finished = own.isEmpty() || new StopSequence(own).run(grace);
        return runs.stream().allMatch(run -> run.stopped().join()) && finished;
    }

    private boolean run(Duration grace) {
        interrupted = Thread.interrupted();
        boolean finished = false;
        try {
            CompletableFuture<Void> claimed = all(SubscriptionRun::stopClaiming);
            finished = awaitHandlers(grace);
            if (!finished) {
                runs.forEach(SubscriptionRun::interruptHandlers);
                awaitHandlers(AFTER_INTERRUPT);
                runs.forEach(SubscriptionRun::releaseStuck);
            }
            Duration commandTimeout = runs.get(0).commandTimeout();
            await(claimed, commandTimeout.plusSeconds(1), "the last claim is not answered");
            await(all(SubscriptionRun::whenSettled), commandTimeout, "the last settlement is not answered");
        } finally {
            boolean allFinished = finished;
            await(all(run -> run.end(allFinished)), TO_FORGET, "a consumer stays known to Redis for an hour");
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        return finished;
    }

    /**
     * Waits until no handler runs. An interrupt ends the wait as if the time were over; the bounded steps after it save messages from
     * waiting for their leases.
     */
    private boolean awaitHandlers(Duration max) {
        long endNanos = System.nanoTime() + Nanos.of(max);
        boolean finished = true;
        try {
            for (SubscriptionRun run : runs) {
                finished &= run.awaitHandlers(endNanos - System.nanoTime());
            }
        } catch (InterruptedException e) {
            interrupted = true;
            return false;
        }
        return finished;
    }

    private CompletableFuture<Void> all(Function<SubscriptionRun, CompletableFuture<Void>> call) {
        return CompletableFuture.allOf(runs.stream().map(call).toArray(CompletableFuture[]::new));
    }

    private void await(CompletableFuture<Void> answer, Duration max, String otherwise) {
        try {
            answer.get(max.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            interrupted = true;
        } catch (ExecutionException | TimeoutException e) {
            log.debug(otherwise, e);
        }
    }
}
