package io.delayqueue.internal.engine.consume;

import io.delayqueue.ClaimGate;
import io.delayqueue.internal.FutureErrors;
import io.delayqueue.internal.engine.settle.InFlightMessage;
import io.delayqueue.internal.engine.shared.ConsumerContext;
import io.delayqueue.internal.engine.shared.DeadLetterRetention;
import io.delayqueue.internal.store.CallId;
import io.delayqueue.internal.store.ClaimAnswer;
import io.delayqueue.internal.store.ClaimRequest;
import io.delayqueue.internal.store.Claimed;
import io.delayqueue.internal.store.ConnectionChangedException;
import io.delayqueue.internal.store.Partition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The claims of one partition, one at a time. Each has a number, and is repeated under it until it is answered: a claim whose answer
 * was lost may have leased messages.
 */
final class ClaimCalls {

    /**
     * A claim that needs longer than this part of a lease to reach Redis ends no leases, unless the one before it took as long. Acks may be
     * behind it, of messages whose leases were long enough when it was sent: a lease is renewed when a third of it is over.
     */
    private static final int HELD_UP_DIVISOR = 4;

    private final ConsumerContext context;
    private final Partition partition;
    private final String consumer;
    private final LongSupplier connection;
    private final Consumer<List<InFlightMessage>> accept;
    private final ServerClock clock = new ServerClock();
    private long number = 1;
    private volatile boolean unanswered;
    private long housekeepingNanos = System.nanoTime();

    /** From the last claim that was answered to its answer. */
    private long lastTookNanos;

    /**
     * @param connection number of the connection that may be claimed over
     * @param accept takes the messages of a claim
     */
    ClaimCalls(
            ConsumerContext context,
            Partition partition,
            String consumer,
            LongSupplier connection,
            Consumer<List<InFlightMessage>> accept) {
        this.connection = connection;
        this.context = context;
        this.partition = partition;
        this.consumer = consumer;
        this.accept = accept;
    }

    /** Whether the last claim was not answered, so that messages may be leased that this process does not know of. */
    boolean isUnanswered() {
        return unanswered;
    }

    ServerClock clock() {
        return clock;
    }

    /** Claims as many messages as the limits allow, or repeats the last claim if it was not answered. */
    CompletableFuture<ClaimAnswer> claim(ClaimLimits limits) {
        long sentNanos = System.nanoTime();
        ClaimRequest request = request(limits, sentNanos);
        boolean isRepeated = unanswered;
        unanswered = true;
        return send(request)
                .whenComplete((answer, error) -> notSent(error, isRepeated))
                .thenApply(answer -> {
                    clock.update(answer.timeMicros(), sentNanos, System.nanoTime());
                    unanswered = false;
                    number++;
                    lastTookNanos = System.nanoTime() - sentNanos;
                    Duration retention = request.retention();
                    if (retention != null
                            && answer.leaseExpired().isEmpty()
                            && answer.deadLettered().isEmpty()) {
                        housekeepingNanos = sentNanos + DeadLetterRetention.intervalNanos(retention);
                    }
                    accept.accept(inFlight(answer, sentNanos));
                    return answer;
                });
    }

    /**
     * Asks for the server's time alone, for the next claim. The answer to a claim takes longer and tells the time of its begin: messages
     * would be late by the difference.
     */
    void updateClock() {
        long sentNanos = System.nanoTime();
        context.client()
                .store()
                .time(partition)
                .thenAccept(micros -> clock.update(micros, sentNanos, System.nanoTime()));
    }

    private CompletableFuture<ClaimAnswer> send(ClaimRequest request) {
        try {
            return isGated()
                    ? context.client().store().claim(partition, request, connection.getAsLong())
                    : context.client().store().claim(partition, request);
        } catch (RuntimeException | Error e) {
            // the caller ends its reservation with the answer
            return CompletableFuture.failedFuture(e);
        }
    }

    private void notSent(@Nullable Throwable error, boolean isRepeated) {
        if (error != null && FutureErrors.unwrap(error) instanceof ConnectionChangedException) {
            unanswered = isRepeated;
        }
    }

    private boolean isGated() {
        return context.client().options().claimGate() != ClaimGate.OPEN;
    }

    private ClaimRequest request(ClaimLimits limits, long now) {
        return new ClaimRequest(
                new CallId(consumer, number, unanswered),
                limits.slots(),
                limits.reservation().prefetch(),
                context.options().lease(),
                context.options().maxAttempts(),
                retentionIfDue(now),
                early(limits),
                limits.suspect(),
                limits.maxBytes(),
                endsLeasesUntilMicros(now));
    }

    private ClaimRequest.Early early(ClaimLimits limits) {
        return new ClaimRequest.Early(
                context.client().options().claimAhead(), limits.reservation().early());
    }

    /** As Redis' clock shows it; 0 for any time, before that clock is known. */
    private long endsLeasesUntilMicros(long sentNanos) {
        long sentMicros = clock.microsAt(sentNanos);
        return sentMicros == 0 ? 0 : sentMicros + TimeUnit.NANOSECONDS.toMicros(maxNanosOnTheWay());
    }

    /**
     * Longer where Redis or this machine is slow all the time: the leases of consumers that are dead have to end. Twice, since the clock
     * may lag by as much as the last answer took.
     */
    private long maxNanosOnTheWay() {
        return context.options().lease().toNanos() / HELD_UP_DIVISOR + 2 * lastTookNanos;
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
            messages.add(new InFlightMessage(claimed, partition.number(), dueNanos, leaseEndsNanos));
        }
        return messages;
    }
}
