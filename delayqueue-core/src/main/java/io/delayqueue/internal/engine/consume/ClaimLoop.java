package io.delayqueue.internal.engine.consume;

import io.delayqueue.internal.FutureErrors;
import io.delayqueue.internal.engine.consume.PassSchedule.Pause;
import io.delayqueue.internal.engine.dispatch.Capacity;
import io.delayqueue.internal.engine.settle.Backlog;
import io.delayqueue.internal.engine.settle.InFlightMessage;
import io.delayqueue.internal.engine.shared.ConsumerContext;
import io.delayqueue.internal.engine.shared.RetryPause;
import io.delayqueue.internal.store.ClaimAnswer;
import io.delayqueue.internal.store.ConnectionChangedException;
import io.delayqueue.internal.store.MessageStore;
import io.delayqueue.internal.store.Partition;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/**
 * Claims the messages of one partition as far as its subscription has capacity, one claim at a time. The next claim comes when the
 * next message is due, or later if another consumer claims that one; on a wake-up, when capacity it lacked is free, or after the guard
 * interval. It has no thread: see {@link PassSchedule}.
 */
final class ClaimLoop {

    /** After the first freed slot, a claim waits this long for more: a busy consumer must not claim one by one. */
    private static final long GATHER_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** A claim comes at most this long before the next message is due: a round trip to Redis takes less. */
    private static final long MAX_LEAD_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** After a stall, time between two looks whether the settlements have been answered that go before the next claim. */
    private static final long SETTLE_FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final ConsumerContext context;
    private final ClaimTarget target;
    private final ClaimCapacity capacity;
    private final Backlog backlog;
    private final PassSchedule passes;
    private final ClaimPermission permission;
    private final ClaimCalls calls;
    private final ClaimReservation reserved;
    private final OrphanScan orphanScan;
    private final ClaimFindings findings;
    private final SuspectClaims suspects;
    private final ClaimHealth health;
    private final ExpectedClaim expected = new ExpectedClaim();
    private final Partition partition;
    private final long guardNanos;
    private final long leadNanos;
    private RetryPause retryPause = RetryPause.FIRST;
    private volatile boolean awaitingCapacity;
    private volatile boolean awaitingSettlements;
    private volatile boolean paused;
    /** Whether the last claim took so long that its capacity was released before the answer. */
    private volatile boolean slow;

    ClaimLoop(ConsumerContext context, Partition partition, String consumer, ClaimTarget target, SuspectPermit permit) {
        this.context = context;
        this.target = target;
        this.capacity = target.capacity();
        this.backlog = target.settlements();
        this.partition = partition;
        this.passes = new PassSchedule(context.client().timer(), this::pass);
        this.permission =
                new ClaimPermission(context.client().options().claimGate(), partition, () -> passes.wakeAfter(0));
        this.calls = new ClaimCalls(context, partition, consumer, permission::connection, this::accept);
        this.orphanScan = new OrphanScan(context, partition);
        this.findings = new ClaimFindings(context, partition, calls, orphanScan, target::partitionCountIs);
        this.suspects = new SuspectClaims(context, permit, () -> passes.wakeAfter(0));
        // a silent server keeps neither slots nor the permit from the others
        this.reserved = new ClaimReservation(capacity, context.client().timer(), suspects::noClaim);
        this.guardNanos = context.client().options().guardInterval().toNanos();
        this.health = new ClaimHealth(guardNanos);
        // half of what may be early, so that a claim finds early messages, too; a single slot has none to keep them for
        this.leadNanos = context.options().concurrency() == 1
                ? 0
                : Math.min(
                        MAX_LEAD_NANOS, context.client().options().claimAhead().toNanos() / 2);
    }

    /** Begins to claim. */
    void start() {
        passes.wakeAfter(0);
    }

    /** A message may be due after that time. */
    void wakeUp(long waitMicros) {
        passes.wakeAfter(untilClaim(waitMicros));
    }

    /** Claims at once. The answer completes after a claim that began after this call, if there is capacity for it. */
    CompletableFuture<Void> claimNow() {
        return passes.passNow();
    }

    /** The subscription has capacity again. */
    void capacityFreed(Capacity freed) {
        wakeIfAwaitingCapacity(freed.isLarge() ? 0 : GATHER_NANOS);
    }

    /** The client has bytes for the subscription again. They go to another one unless it claims at once. */
    void bytesFreed() {
        wakeIfAwaitingCapacity(0);
    }

    private void wakeIfAwaitingCapacity(long nanos) {
        if (awaitingCapacity) {
            passes.wakeAfter(nanos);
        }
    }

    /** A message of the partition was settled. */
    void settled() {
        if (awaitingSettlements && !backlog.hasBacklog(partition.number())) {
            passes.wakeAfter(0);
        }
    }

    void pause(boolean pause) {
        boolean resumes = paused && !pause;
        paused = pause;
        if (resumes) {
            passes.wakeAfter(0);
        }
    }

    /** Whether it is paused, or its claims are answered, or have not been failing for long. */
    boolean isHealthy() {
        return paused || health.isHealthy();
    }

    long sincePassNanos() {
        return passes.sincePassNanos();
    }

    /** See {@link ClaimHealth#isFailing}. */
    boolean isFailing() {
        return health.isFailing();
    }

    ServerClock clock() {
        return calls.clock();
    }

    /** Claims no more. The answer completes when no claim is under way, and no message is leased that this process does not know of. */
    CompletableFuture<Void> stop() {
        suspects.stop();
        return passes.stop()
                .thenCompose(ended -> calls.isUnanswered() ? claimNothing() : CompletableFuture.completedFuture(null))
                .thenCompose(answered -> claimNothingWhileExpected());
    }

    /** A claim that repeats another one or ends leases leaves this consumer expected. */
    private CompletableFuture<Void> claimNothingWhileExpected() {
        return expected.isExpected()
                ? claimNothing().thenCompose(answered -> claimNothingWhileExpected())
                : CompletableFuture.completedFuture(null);
    }

    private CompletableFuture<Pause> pass() {
        return runOnce()
                .handle((nanos, error) -> error == null ? new Pause(Math.min(nanos, guardNanos), true) : failed(error));
    }

    private Pause failed(Throwable error) {
        health.failed();
        suspects.noClaim();
        context.callFailed(FutureErrors.unwrap(error));
        Pause pause = new Pause(retryPause.nanos(), false);
        retryPause = retryPause.next();
        return pause;
    }

    /** Claims once, if there is capacity. The answer is how long to sleep in ns. */
    CompletableFuture<Long> runOnce() {
        return claimOnce().exceptionally(this::askGate).thenCompose(orphanScan::step);
    }

    /** Nothing was claimed over a connection that the gate does not know of. */
    private long askGate(Throwable error) {
        if (FutureErrors.unwrap(error) instanceof ConnectionChangedException changed) {
            permission.ask(changed.connection());
            suspects.noClaim();
            return guardNanos;
        }
        throw error instanceof CompletionException wrapped ? wrapped : new CompletionException(error);
    }

    private CompletableFuture<Long> claimOnce() {
        long beganNanos = System.nanoTime();
        boolean onlyRepeats = paused;
        if (onlyRepeats && !calls.isUnanswered()) {
            return handOver();
        }
        if (permission.isAsked()) {
            // the gate wakes the loop when it opens
            return noClaim(guardNanos);
        }
        if (target.renewUrgentLeases(partition.number())) {
            // Redis has been silent for long: the next claim is one that holds no slot
            health.failed();
            return noClaim(SETTLE_FIRST_NANOS);
        }
        if (onlyRepeats || health.isFailing()) {
            // a partition that does not answer must hold no slot that others could use
            return claimNothing().thenApply(answer -> 0L);
        }
        // before looking: settlements and capacity that is freed meanwhile must not be missed
        awaitingSettlements = true;
        if (backlog.hasBacklog(partition.number())) {
            backlog.warnOfStuckBacklog(partition.number());
            return noClaim(guardNanos);
        }
        awaitingSettlements = false;
        awaitingCapacity = true;
        ClaimLimits limits = reserved.begin(slow ? capacity.fairShare() : MessageStore.LARGEST_BATCH);
        if (limits.slots() == 0) {
            return handOver();
        }
        awaitingCapacity = false;
        return calls.claim(limits.withSuspect(suspects.takePermitIfDue()))
                .whenComplete((answer, error) -> slow = !reserved.end())
                .thenApply(answer -> answered(answer, beganNanos))
                .thenApply(answer -> sleepAfter(answer, limits.slots()));
    }

    /** The suspects of other partitions don't wait for a loop that sleeps. */
    private CompletableFuture<Long> noClaim(long sleepNanos) {
        suspects.noClaim();
        return CompletableFuture.completedFuture(sleepNanos);
    }

    /** There is no claim now. If others rely on one, a claim of nothing tells Redis in time, which wakes them. */
    private CompletableFuture<Long> handOver() {
        long sleepNanos = untilMissed();
        if (sleepNanos > 0) {
            return noClaim(sleepNanos);
        }
        suspects.noClaim();
        return claimNothing().thenApply(answer -> answer.isExpected() ? 0L : guardNanos);
    }

    /** How long this loop may go without a claim before others have to be told. */
    private long untilMissed() {
        return expected.isExpected() ? Math.min(guardNanos, Math.max(0, expected.nanosLeft() - leadNanos)) : guardNanos;
    }

    private CompletableFuture<ClaimAnswer> claimNothing() {
        long beganNanos = System.nanoTime();
        return calls.claim(ClaimLimits.NONE).thenApply(answer -> answered(answer, beganNanos));
    }

    private void accept(List<InFlightMessage> messages) {
        target.accept(suspects.take(messages, target::refuse));
    }

    private ClaimAnswer answered(ClaimAnswer answer, long beganNanos) {
        health.succeeded();
        retryPause = RetryPause.FIRST;
        context.callSucceeded();
        expected.answered(answer);
        suspects.answered(answer.suspectWaitMicros() == 0);
        findings.handle(answer, Duration.ofNanos(System.nanoTime() - beganNanos));
        return answer;
    }

    private long sleepAfter(ClaimAnswer answer, int slots) {
        long sleep = sleepUntilNext(answer, slots);
        // one that is due already is claimed with the permit
        return answer.suspectWaitMicros() > 0 ? Math.min(sleep, ServerClock.nanos(answer.suspectWaitMicros())) : sleep;
    }

    private long sleepUntilNext(ClaimAnswer answer, int slots) {
        if (answer.waitMicros() < 0) {
            return guardNanos;
        }
        if (answer.waitMicros() > 0) {
            return untilClaim(answer.isExpected() ? answer.expectedMicros() : answer.waitMicros());
        }
        return answer.claimed().size() < slots ? 0 : awaitCapacity();
    }

    /** A claim a little before a message is due has the message here in time. */
    long untilClaim(long waitMicros) {
        long wait = ServerClock.nanos(waitMicros);
        return wait > leadNanos ? wait - leadNanos : wait;
    }

    /** More is due than there was capacity for. */
    private long awaitCapacity() {
        awaitingCapacity = true;
        Capacity now = capacity.slots().capacity();
        if (now.isLarge()) {
            return 0;
        }
        return now.free() > 0 ? GATHER_NANOS : untilMissed();
    }
}
