package io.delayqueue.testsupport;

import io.delayqueue.ReceivedMessage;
import io.delayqueue.internal.store.CallId;
import io.delayqueue.internal.store.ClaimAnswer;
import io.delayqueue.internal.store.ClaimRequest;
import io.delayqueue.internal.store.ClaimRequest.Early;
import io.delayqueue.internal.store.Claimed;
import io.delayqueue.internal.store.Extension;
import io.delayqueue.internal.store.Lease;
import io.delayqueue.internal.store.MessageStore;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Requests to a store and its answers, of which a test names only the parts that matter to it. */
public final class StoreCalls {

    /** Due messages only. */
    public static final Early NOT_EARLY = new Early(Duration.ZERO, 0);

    private StoreCalls() {}

    /** Asks for due messages only, one for each slot. */
    public static ClaimRequest claimRequest(
            CallId callId, int slots, Duration lease, int maxAttempts, @Nullable Duration retention) {
        return claimRequest(callId, slots, 0, lease, maxAttempts, retention, NOT_EARLY);
    }

    /** Asks for no suspect, and for as many bytes as an answer may have. */
    public static ClaimRequest claimRequest(
            CallId callId,
            int slots,
            int prefetch,
            Duration lease,
            int maxAttempts,
            @Nullable Duration retention,
            Early early) {
        return claimRequest(
                callId, slots, prefetch, lease, maxAttempts, retention, early, false, MessageStore.LARGEST_BYTES);
    }

    /** Ends expired leases, however long it is on its way. */
    public static ClaimRequest claimRequest(
            CallId callId,
            int slots,
            int prefetch,
            Duration lease,
            int maxAttempts,
            @Nullable Duration retention,
            Early early,
            boolean suspect,
            int maxBytes) {
        return new ClaimRequest(callId, slots, prefetch, lease, maxAttempts, retention, early, suspect, maxBytes, 0);
    }

    /** An answer of a partition without suspects. */
    public static ClaimAnswer claimAnswer(
            long timeMicros,
            long waitMicros,
            boolean paused,
            List<Claimed> claimed,
            List<String> expired,
            List<String> leaseExpired,
            List<ClaimAnswer.DeadLettered> deadLettered,
            long orphans,
            int partitions,
            long deferred,
            long unscheduled,
            long deadPastRetention) {
        return new ClaimAnswer(
                timeMicros,
                waitMicros,
                paused,
                claimed,
                expired,
                leaseExpired,
                deadLettered,
                orphans,
                partitions,
                deferred,
                unscheduled,
                deadPastRetention,
                -1,
                -1);
    }

    /** A message above suspicion. */
    public static Claimed claimed(ReceivedMessage message, long dueMicros, long receipt) {
        return new Claimed(message, dueMicros, receipt, false);
    }

    /** A renewal that blames nobody. */
    public static Extension extension(Lease lease, Duration duration) {
        return new Extension(lease, duration, false);
    }

    /** The argument of a call; of renewals without the time since their claim, which differs each time. */
    public static Object argument(SleepyStore.Call call) {
        return call.method().equals("extend")
                ? ((List<?>) call.argument())
                        .stream()
                                .map(Extension.class::cast)
                                .map(each -> new Extension(each.lease(), each.duration(), each.mode()))
                                .toList()
                : call.argument();
    }
}
