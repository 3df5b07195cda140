package io.delayqueue.internal.engine.consume;

import io.delayqueue.internal.FutureErrors;
import io.delayqueue.internal.engine.consume.PassSchedule.Pause;
import io.delayqueue.internal.engine.dispatch.Capacity;
import io.delayqueue.internal.engine.dispatch.Reservation;
import io.delayqueue.internal.engine.settle.InFlightMessage;
import io.delayqueue.internal.engine.shared.ConsumerContext;
import io.delayqueue.internal.engine.shared.DeadLetterRetention;
import io.delayqueue.internal.engine.shared.RetryPause;
import io.delayqueue.internal.store.CallId;
import io.delayqueue.internal.store.ClaimAnswer;
import io.delayqueue.internal.store.ClaimRequest;
import io.delayqueue.internal.store.Claimed;
import io.delayqueue.internal.store.MessageStore;
import io.delayqueue.internal.store.Partition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Claims the messages of one partition as far as its subscription has capacity, one claim at a time. The next claim comes when the
 * next message is due, on a wake-up, when capacity it lacked is free, or after the guard interval. It has no thread: see
 * {@link PassSchedule}.
 */
final class ClaimLoop {

    /** After the first freed slot, a claim waits this long for more: a busy consumer must not claim one by one. */
    private static final long GATHER_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** A claim comes at most this long before the next message is due: a round trip to Redis takes less. */
    private static final long MAX_LEAD_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** A claim of this many early messages is a sign of load: the next claim comes soon, and needs an exact clock. */
    private static final int MIN_EARLY_FOR_CLOCK = 2;

    private final ConsumerContext context;
    private final Partition partition;
    private final String consumer;
    private final Target target;
    private final PassSchedule passes;
    private final OrphanScan orphanScan;
    private final ClaimReport report;
    private final SuspectClaims suspects;
    private final ServerClock clock = new ServerClock();
    private final long guardNanos;
    private final long leadNanos;
    private long number = 1;
    private volatile boolean unanswered;
    private RetryPause retryPause = RetryPause.FIRST;
    private long housekeepingNanos = System.nanoTime();
    private volatile boolean awaitingCapacity;
    private volatile boolean awaitingSettlements;
    private volatile boolean paused;
    private volatile boolean healthy = true;

    ClaimLoop(ConsumerContext context, Partition partition, String consumer, Target target) {
        this.context = context;
        this.partition = partition;
        this.consumer = consumer;
        this.target = target;
        this.passes = new PassSchedule(context.client().timer(), this::pass);
        this.orphanScan = new OrphanScan(context, partition);
        this.report = new ClaimReport(context, partition);
        this.suspects = new SuspectClaims(context.client().suspects(), () -> passes.wakeAfter(0));
        this.guardNanos = context.client().options().guardInterval().toNanos();
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

    /** The subscription has capacity again. */
    void capacityFreed(Capacity capacity) {
        if (awaitingCapacity) {
            passes.wakeAfter(capacity.isLarge() ? 0 : GATHER_NANOS);
        }
    }

    /** A message of the partition was settled. */
    void settled() {
        if (awaitingSettlements && !target.hasBacklog(partition)) {
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

    boolean isHealthy() {
        return healthy || paused;
    }

    ServerClock clock() {
        return clock;
    }

    /** Claims no more. The answer completes when no claim is under way, and no message is leased that this process does not know of. */
    CompletableFuture<Void> stop() {
        suspects.stop();
        return passes.stop()
                .thenCompose(ended -> unanswered
                        ? claim(Reservation.NONE).<Void>thenApply(answer -> null)
                        : CompletableFuture.completedFuture(null));
    }

    private CompletableFuture<Pause> pass() {
        return runOnce().handle((nanos, error) -> error == null ? succeeded(nanos) : failed(error));
    }

    private Pause succeeded(long nanos) {
        healthy = true;
        retryPause = RetryPause.FIRST;
        context.callSucceeded();
        return new Pause(Math.min(nanos, guardNanos), true);
    }

    private Pause failed(Throwable error) {
        healthy = false;
        suspects.noClaim();
        context.callFailed(FutureErrors.unwrap(error));
        Pause pause = new Pause(retryPause.nanos(), false);
        retryPause = retryPause.next();
        return pause;
    }

    /** Claims once, if there is capacity. The answer is how long to sleep in ns. */
    CompletableFuture<Long> runOnce() {
        return claimOnce().thenCompose(orphanScan::step);
    }

    private CompletableFuture<Long> claimOnce() {
        if (paused) {
            suspects.noClaim();
            return CompletableFuture.completedFuture(guardNanos);
        }
        if (!healthy) {
            // a partition that does not answer must hold no slot that others could use
            return claim(Reservation.NONE).thenApply(answer -> 0L);
        }
        // before looking: settlements and capacity that is freed meanwhile must not be missed
        awaitingSettlements = true;
        if (target.hasBacklog(partition)) {
            return CompletableFuture.completedFuture(guardNanos);
        }
        awaitingSettlements = false;
        awaitingCapacity = true;
        Reservation reservation = target.reserve(MessageStore.LARGEST_BATCH);
        if (reservation.slots() == 0) {
            suspects.noClaim();
            return CompletableFuture.completedFuture(guardNanos);
        }
        awaitingCapacity = false;
        return claim(reservation.withSuspect(suspects.mayTake()))
                .whenComplete((answer, error) -> target.release(reservation))
                .thenApply(answer -> sleepAfter(answer, reservation));
    }

    private long sleepAfter(ClaimAnswer answer, Reservation reservation) {
        long sleep = sleepUntilNext(answer, reservation);
        // one that is due already is claimed with the permit
        return answer.suspectWaitMicros() > 0 ? Math.min(sleep, ServerClock.nanos(answer.suspectWaitMicros())) : sleep;
    }

    private long sleepUntilNext(ClaimAnswer answer, Reservation reservation) {
        if (answer.waitMicros() < 0) {
            return guardNanos;
        }
        if (answer.waitMicros() > 0) {
            return untilClaim(answer.waitMicros());
        }
        return answer.claimed().size() < reservation.slots() ? 0 : awaitCapacity();
    }

    /** A claim a little before a message is due has the message here in time. */
    long untilClaim(long waitMicros) {
        long wait = ServerClock.nanos(waitMicros);
        return wait > leadNanos ? wait - leadNanos : wait;
    }

    /** More is due than there was capacity for. */
    private long awaitCapacity() {
        awaitingCapacity = true;
        Capacity capacity = target.capacity();
        if (capacity.isLarge()) {
            return 0;
        }
        return capacity.free() > 0 ? GATHER_NANOS : guardNanos;
    }

    private CompletableFuture<ClaimAnswer> claim(Reservation reservation) {
        long sentNanos = System.nanoTime();
        ClaimRequest request = request(reservation, sentNanos);
        unanswered = true;
        return send(request).thenApply(answer -> {
            clock.update(answer.timeMicros(), sentNanos, System.nanoTime());
            unanswered = false;
            number++;
            // before all that may fail: leased messages must not wait for the end of their leases
            target.accept(inFlight(answer, sentNanos));
            suspects.answered(answer.suspectWaitMicros() == 0);
            report.report(answer);
            if (answer.unscheduled() > 0) {
                orphanScan.goOn();
            }
            if (answer.retained() > 0) {
                context.client().retention().purge(partition);
            }
            target.partitionCountIs(answer.partitions());
            if (answer.claimedEarly() >= MIN_EARLY_FOR_CLOCK) {
                updateClock();
            }
            Duration retention = request.retention();
            if (retention != null
                    && answer.leaseExpired().isEmpty()
                    && answer.deadLettered().isEmpty()) {
                housekeepingNanos = sentNanos + DeadLetterRetention.intervalNanos(retention);
            }
            return answer;
        });
    }

    /**
     * Asks for the server's time alone, for the next claim. The answer to a claim takes longer and tells the time of its begin: messages
     * would be late by the difference.
     */
    private void updateClock() {
        long sentNanos = System.nanoTime();
        context.client()
                .store()
                .time(partition)
                .thenAccept(micros -> clock.update(micros, sentNanos, System.nanoTime()));
    }

    private CompletableFuture<ClaimAnswer> send(ClaimRequest request) {
        try {
            return context.client().store().claim(partition, request);
        } catch (RuntimeException | Error e) {
            // the caller ends its reservation with the answer
            return CompletableFuture.failedFuture(e);
        }
    }

    private ClaimRequest request(Reservation reservation, long now) {
        return new ClaimRequest(
                new CallId(consumer, number, unanswered),
                reservation.slots(),
                reservation.prefetch(),
                context.options().lease(),
                context.options().maxAttempts(),
                retentionIfDue(now),
                early(reservation),
                reservation.suspect(),
                reservation.maxBytes());
    }

    /**
     * The time is named even if no message may be early: the claim may repeat one that leased early messages, and those must not be
     * taken for due.
     */
    private ClaimRequest.Early early(Reservation reservation) {
        return new ClaimRequest.Early(context.client().options().claimAhead(), reservation.early());
    }

    /** Null while housekeeping is not due. It stays due until a claim has done it: one that ends expired leases does nothing else. */
    private @Nullable Duration retentionIfDue(long now) {
        return now - housekeepingNanos < 0
                ? null
                : context.client().options().topic(context.topic()).deadLetterRetention();
    }

    private List<InFlightMessage> inFlight(ClaimAnswer answer, long sentNanos) {
        List<InFlightMessage> messages = new ArrayList<>(answer.claimed().size());
        for (Claimed claimed : answer.claimed()) {
            // not the lease that was asked for: the answer to a repeated claim is of leases that began earlier
            long leaseEndsNanos = sentNanos + ServerClock.nanos(claimed.receipt() - answer.timeMicros());
            long dueNanos = clock.nanosOf(claimed.dueMicros());
            InFlightMessage message = new InFlightMessage(claimed, partition.number(), dueNanos, leaseEndsNanos);
            if (message.isSuspect() && !suspects.take(message)) {
                target.refuse(message);
            } else {
                messages.add(message);
            }
        }
        return messages;
    }

    /** The subscription that the messages are claimed for. */
    interface Target {

        /** The number of messages that can still be claimed. */
        Capacity capacity();

        /** Keeps the capacity there is, for at most that many messages. */
        Reservation reserve(int max);

        /** Ends a reservation, after the messages of its claim were accepted. */
        void release(Reservation reservation);

        /** Whether too many messages of the partition wait to be settled. */
        boolean hasBacklog(Partition partition);

        /** Takes the messages of a claim. */
        void accept(List<InFlightMessage> messages);

        /** Gives back a message of a claim. */
        void refuse(InFlightMessage message);

        /** The partition told how many partitions the topic has. */
        void partitionCountIs(int count);
    }
}
