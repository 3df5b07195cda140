package io.delayqueue.spring;

import io.delayqueue.AsyncOperations;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An operation of a committed transaction until it is answered or given up. Safe for use by several threads. */
final class SendingOperation<T> {

    /** One name for all that is logged about such operations. */
    private static final Logger log = LoggerFactory.getLogger(CommittedOperations.class);

    private static final Duration FIRST_REPEAT_DELAY = Duration.ofMillis(250);
    private static final Duration MAX_REPEAT_DELAY = Duration.ofSeconds(8);

    /** Decides about failed operations, and is notified of their end. */
    interface Progress {

        /** Whether an operation that failed is to be given up. */
        boolean isToGiveUp(SendingOperation<?> sending, Throwable failure);

        /** Repeats an operation. */
        void repeat(SendingOperation<?> sending, Duration delay, Throwable failure);

        /** Forgets an operation that ended, before its caller gets the answer. */
        void ended(SendingOperation<?> sending);
    }

    private final AfterCommitOperation<T> operation;
    private final Progress progress;
    private final long since = System.nanoTime();
    private final AtomicBoolean ended = new AtomicBoolean();
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private volatile Duration nextDelay = FIRST_REPEAT_DELAY;

    SendingOperation(AfterCommitOperation<T> operation, Progress progress) {
        this.operation = operation;
        this.progress = progress;
    }

    AfterCommitOperation<T> operation() {
        return operation;
    }

    /** Completes when the operation ends, whatever its answer, and before its caller gets that. */
    CompletableFuture<Void> done() {
        return done;
    }

    Duration age() {
        return Duration.ofNanos(System.nanoTime() - since);
    }

    /** Whether it is to be sent. Ends it if its caller gave it up. */
    boolean isWanted() {
        if (!operation.answer().isDone()) {
            return !ended.get();
        }
        giveUp(new CancellationException());
        return false;
    }

    void attempt(AsyncOperations calls) {
        if (!isWanted()) {
            return;
        }
        try {
            follow(operation.call().apply(calls));
        } catch (RuntimeException | Error e) { // such as the want of memory or of a thread
            failed(e);
        }
    }

    /** Ends with the answer of a call, or is attempted again. */
    @SuppressWarnings("unchecked") // the answer is one of this operation
    void follow(CompletableFuture<?> call) {
        call.whenComplete((result, failure) -> {
            if (failure != null) {
                failed(LinkedFuture.unwrap(failure));
            } else if (end()) {
                complete((T) result, null);
            }
        });
    }

    private void failed(Throwable failure) {
        if (!progress.isToGiveUp(this, failure)) {
            Duration delay = nextDelay;
            nextDelay = delay.compareTo(MAX_REPEAT_DELAY) < 0 ? delay.multipliedBy(2) : MAX_REPEAT_DELAY;
            progress.repeat(this, delay, failure);
        } else if (end()) {
            LostOperations.log(
                    log, "given up after the commit of their transaction (" + failure + ")", List.of(operation));
            complete(null, failure);
        }
    }

    /** Ends it with a failure, unless it has ended. */
    void giveUp(Throwable failure) {
        if (end()) {
            complete(null, failure);
        }
    }

    /** Whether this call ended it: it is not attempted again, and its end is to be completed. */
    boolean end() {
        return ended.compareAndSet(false, true);
    }

    void complete(@Nullable T result, @Nullable Throwable failure) {
        progress.ended(this);
        done.complete(null);
        if (failure != null) {
            operation.answer().completeExceptionally(failure);
        } else {
            operation.answer().complete(result);
        }
    }
}
