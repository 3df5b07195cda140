package io.delayqueue.jdbc.outbox;

import io.delayqueue.CancelOutcome;
import io.delayqueue.OutboxAnswer;
import io.delayqueue.RescheduleOutcome;
import io.delayqueue.ScheduleOutcome;
import io.delayqueue.ScheduleResult;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Redis' answers to changes, for their callers: as far as they are known, else what was recorded. */
final class Answers {

    /** Longer than Redis takes while all is well, and short enough for a request. */
    private static final Duration BRIEFLY = Duration.ofMillis(200);

    private final Executor executor;
    private final AtomicInteger late = new AtomicInteger();

    /** Answers whose futures an executor completes. */
    Answers(Executor executor) {
        this.executor = executor;
    }

    /** Waits for answers, but not while earlier ones are late: then Redis is unavailable, or far behind. */
    void awaitBriefly(List<CommittedChange> changes) {
        if (late.get() > 0) {
            return;
        }
        CompletableFuture<Void> all = all(changes);
        try {
            all.get(BRIEFLY.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            late.incrementAndGet();
            all.whenComplete((done, failure) -> late.decrementAndGet());
        } catch (ExecutionException e) {
            throw new IllegalStateException(e); // never fails
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** A future for the caller, who may chain blocking work to it. It is cancelled if the changes are rolled back. */
    <T> CompletableFuture<T> future(List<CommittedChange> changes, Supplier<T> result) {
        CompletableFuture<T> future = new CompletableFuture<>();
        all(changes).whenComplete((done, rolledBack) -> {
            if (rolledBack != null) {
                future.cancel(false);
            } else {
                complete(() -> future.complete(result.get()));
            }
        });
        return future;
    }

    private void complete(Runnable completion) {
        try {
            executor.execute(completion);
        } catch (RejectedExecutionException e) {
            // the application's executor refuses: better here than never
            completion.run();
        }
    }

    private static CompletableFuture<Void> all(List<CommittedChange> changes) {
        return CompletableFuture.allOf(
                changes.stream().map(CommittedChange::answer).toArray(CompletableFuture[]::new));
    }

    static ScheduleResult scheduled(CommittedChange change) {
        ScheduleOutcome outcome = known(
                change,
                answer -> switch (answer) {
                    case REPLACED -> ScheduleOutcome.REPLACED;
                    case KEPT -> ScheduleOutcome.KEPT;
                    case REJECTED_DUPLICATE -> ScheduleOutcome.REJECTED_DUPLICATE;
                    default -> null;
                },
                ScheduleOutcome.SCHEDULED);
        return new ScheduleResult(change.key().id(), outcome);
    }

    static CancelOutcome cancelled(CommittedChange change) {
        return known(
                change,
                answer -> switch (answer) {
                    case CANCELLED -> CancelOutcome.CANCELLED;
                    case IN_FLIGHT -> CancelOutcome.IN_FLIGHT;
                    case NOT_FOUND -> CancelOutcome.NOT_FOUND;
                    default -> null;
                },
                CancelOutcome.AFTER_COMMIT);
    }

    static RescheduleOutcome rescheduled(CommittedChange change) {
        return known(
                change,
                answer -> switch (answer) {
                    case RESCHEDULED -> RescheduleOutcome.RESCHEDULED;
                    case IN_FLIGHT -> RescheduleOutcome.IN_FLIGHT;
                    case NOT_FOUND -> RescheduleOutcome.NOT_FOUND;
                    default -> null;
                },
                RescheduleOutcome.AFTER_COMMIT);
    }

    private static <T> T known(
            CommittedChange change, Function<OutboxAnswer.Outcome, @Nullable T> meaning, T provisional) {
        CompletableFuture<Optional<OutboxAnswer>> answer = change.answer();
        Optional<OutboxAnswer> known = answer.isCancelled() ? Optional.empty() : answer.getNow(Optional.empty());
        if (known.isEmpty()) {
            return provisional;
        }
        T outcome = meaning.apply(known.get().outcome());
        return outcome == null ? provisional : outcome;
    }
}
