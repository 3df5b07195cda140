package io.delayqueue.spring.operator;

import io.delayqueue.DeadLetters;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.spring.operator.BulkJob.State;
import io.delayqueue.spring.operator.OperatorEvent.Outcome;
import io.delayqueue.spring.operator.OperatorEvent.Step;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A bulk operation, running or ended. Takes step after step until none is left, it is stopped, or a step fails. Thread-safe. */
final class BulkRun implements Runnable {

    private static final int LARGEST_STEP = DeadLetters.MAX_PAGE_SIZE;

    private final DelayQueueClient client;
    private final String token;
    private final BulkRequest request;
    private final long count;
    private final String startedBy;
    private final @Nullable Integer ratePerSecond;
    private final OperationLog log;
    private final Instant started = Instant.now();
    private final long startNanos = System.nanoTime();
    private final CountDownLatch stopped = new CountDownLatch(1);
    /** Null once it ended, as it may hold many ids. */
    private volatile @Nullable PlannedMessages messages;

    private volatile @Nullable String stoppedBy;
    private volatile Progress progress = new Progress(State.RUNNING, 0, 0, 0, null, null);

    private record Progress(
            State state,
            long taken,
            long changed,
            long nanos,
            @Nullable Instant ended,
            @Nullable String error) {}

    /** A confirmed plan: its messages, the user who started it, and its maximum rate. */
    record Start(
            String token,
            PlannedMessages planned,
            String startedBy,
            @Nullable Integer ratePerSecond) {}

    BulkRun(DelayQueueClient client, Start start, OperationLog log) {
        this.client = client;
        this.token = start.token;
        this.messages = start.planned;
        this.request = start.planned.request();
        this.count = start.planned.count();
        this.startedBy = start.startedBy;
        this.ratePerSecond = start.ratePerSecond;
        this.log = log;
    }

    BulkRequest request() {
        return request;
    }

    boolean isRunning() {
        return progress.state == State.RUNNING;
    }

    /** No step begins after this; one under way ends. */
    void stop(String caller) {
        if (stopped.getCount() > 0) {
            stoppedBy = caller;
            stopped.countDown();
        }
    }

    @Override
    public void run() {
        try {
            // a listener that fails must not leave it running for ever
            tell(startedBy, Step.BULK_BEGIN, Outcome.DONE, count, null);
            boolean all = count == 0;
            PlannedMessages planned = Objects.requireNonNull(messages);
            while (!all && stopped.getCount() > 0) {
                all = step(planned);
            }
            end(all ? State.DONE : State.STOPPED, null);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            end(State.STOPPED, null);
        } catch (RuntimeException | Error e) {
            end(State.FAILED, String.valueOf(e));
            throw e;
        }
    }

    /** Whether none is left. */
    private boolean step(PlannedMessages planned) throws InterruptedException {
        Progress before = progress;
        int limit = ratePerSecond == null ? LARGEST_STEP : Math.min(LARGEST_STEP, ratePerSecond);
        PlannedMessages.Step step = planned.step(client, before.taken, limit);
        long nanos = System.nanoTime() - startNanos;
        long taken = before.taken + step.taken();
        progress = new Progress(State.RUNNING, taken, before.changed + step.changed(), nanos, null, null);
        if (!step.isLast() && ratePerSecond != null) {
            long due = (long) (taken * (double) TimeUnit.SECONDS.toNanos(1) / ratePerSecond);
            // a stop ends the wait, and the loop
            boolean ignored = stopped.await(Math.max(0, due - nanos), TimeUnit.NANOSECONDS);
        }
        return step.isLast();
    }

    private void end(State state, @Nullable String error) {
        messages = null;
        Progress last = progress;
        progress = new Progress(state, last.taken, last.changed, System.nanoTime() - startNanos, Instant.now(), error);
        String by = stoppedBy;
        tell(
                state == State.STOPPED && by != null ? by : startedBy,
                Step.BULK_END,
                switch (state) {
                    case STOPPED -> Outcome.STOPPED;
                    case FAILED -> Outcome.FAILED;
                    default -> Outcome.DONE;
                },
                last.changed,
                error);
    }

    private void tell(String caller, Step step, Outcome outcome, long count, @Nullable String error) {
        log.tell(new OperatorEvent(
                caller, request.operation(), step, request.topic(), List.of(), outcome, count, error));
    }

    BulkJob status() {
        Progress now = progress;
        double seconds = Math.max(now.nanos, 1) / (double) TimeUnit.SECONDS.toNanos(1);
        return new BulkJob(
                token,
                request,
                now.state,
                startedBy,
                count,
                now.changed,
                now.changed / seconds,
                started,
                now.ended,
                now.error);
    }
}
