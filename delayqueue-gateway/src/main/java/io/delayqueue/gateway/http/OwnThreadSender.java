package io.delayqueue.gateway.http;

import io.delayqueue.CancelOutcome;
import io.delayqueue.Delay;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.RescheduleOutcome;
import io.delayqueue.ScheduleOutcome;
import io.delayqueue.ScheduleResult;
import io.delayqueue.gateway.http.problem.ProblemException;
import io.delayqueue.gateway.http.problem.ProblemType;
import io.delayqueue.gateway.http.request.BoundedCalls;
import io.delayqueue.gateway.security.Caller;
import io.delayqueue.gateway.security.CallerShares;
import io.delayqueue.spring.MessageSender;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes the changes of messages for all endpoints. A sender that waits, for a journal's database, gets threads of its own: those of the
 * container and of the client serve claims, which need no database. Changes of one message take half of them at most: a transaction may
 * hold its row. At most half of the changes that wait are of one caller. Safe for use by many threads.
 */
public final class OwnThreadSender implements AutoCloseable {

    /** As many as a usual connection pool has connections. */
    private static final int THREADS = 10;

    private static final int MOST_OF_A_MESSAGE = THREADS / 2;

    /** Changes that may wait for a thread. */
    public static final int MOST_WAITING = 1_000;

    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    /** With the timeout of the database, it is less than containers give a request. */
    private static final Duration REDIS = Duration.ofSeconds(5);

    private final MessageSender sender;
    private final @Nullable BoundedCalls calls;
    private final boolean isRecorded;
    private final Map<String, Integer> underWay = new ConcurrentHashMap<>();
    private final CallerShares shares = new CallerShares(MOST_WAITING);

    private OwnThreadSender(MessageSender sender, @Nullable BoundedCalls calls, boolean isRecorded) {
        this.sender = sender;
        this.calls = calls;
        this.isRecorded = isRecorded;
    }

    /** Changes by a sender that does not wait. */
    public static OwnThreadSender immediate(MessageSender sender) {
        return new OwnThreadSender(sender, null, false);
    }

    /** Changes by a sender that may wait. */
    public static OwnThreadSender waiting(MessageSender sender) {
        return new OwnThreadSender(sender, threads(), false);
    }

    /**
     * Changes by a sender that may wait, and has recorded a change when its call returns. If Redis has not answered five seconds after
     * that, the answer is that it is recorded.
     */
    public static OwnThreadSender recording(MessageSender sender) {
        return new OwnThreadSender(sender, threads(), true);
    }

    private static BoundedCalls threads() {
        return new BoundedCalls(
                "delayqueue-gateway-journal", THREADS, MOST_WAITING, TIMEOUT, ProblemType.JOURNAL_UNAVAILABLE);
    }

    /** Whether its changes need no threads. */
    public boolean isImmediate() {
        return calls == null;
    }

    /** Schedules a message. */
    public CompletableFuture<ScheduleResult> scheduleAsync(Caller caller, OutgoingMessage message) {
        return scheduleAsync(caller, message, REDIS);
    }

    /**
     * Schedules a message.
     *
     * @param redis time within which Redis may answer once the message is recorded; then the answer is that it is scheduled
     * @throws ProblemException that tells whether the message may exist; the future may fail with it, too. Beyond the caller's share, it
     *     is {@link ProblemType#TOO_MANY_REQUESTS}
     */
    public CompletableFuture<ScheduleResult> scheduleAsync(Caller caller, OutgoingMessage message, Duration redis) {
        return make(
                caller,
                () -> changing(message.topic(), message.id(), () -> sender.scheduleAsync(message)),
                () -> recorded(message),
                redis);
    }

    CompletableFuture<List<ScheduleResult>> scheduleAllAsync(Caller caller, List<OutgoingMessage> messages) {
        return make(
                caller,
                () -> sender.scheduleAllAsync(messages),
                () -> messages.stream().map(OwnThreadSender::recorded).toList());
    }

    CompletableFuture<CancelOutcome> cancelAsync(Caller caller, String topic, String id) {
        return make(
                caller,
                () -> changing(topic, id, () -> sender.cancelAsync(topic, id)),
                () -> CancelOutcome.AFTER_COMMIT);
    }

    CompletableFuture<RescheduleOutcome> rescheduleAsync(Caller caller, String topic, String id, Delay delay) {
        return make(
                caller,
                () -> changing(topic, id, () -> sender.rescheduleAsync(topic, id, delay)),
                () -> RescheduleOutcome.AFTER_COMMIT);
    }

    private static ScheduleResult recorded(OutgoingMessage message) {
        return new ScheduleResult(message.id(), ScheduleOutcome.SCHEDULED);
    }

    /** Makes a change of one message, unless others of it wait already. */
    private <T> T changing(String topic, String id, Supplier<T> change) {
        if (calls == null) {
            return change.get();
        }
        String key = topic + ' ' + id;
        try {
            if (underWay.merge(key, 1, Integer::sum) > MOST_OF_A_MESSAGE) {
                throw new ProblemException(
                        ProblemType.OVERLOADED,
                        "other changes of this message wait for the database; nothing was done");
            }
            return change.get();
        } finally {
            underWay.computeIfPresent(key, (same, count) -> count == 1 ? null : count - 1);
        }
    }

    private <T> CompletableFuture<T> make(Caller caller, Supplier<CompletableFuture<T>> change, Supplier<T> recorded) {
        return make(caller, change, recorded, REDIS);
    }

    private <T> CompletableFuture<T> make(
            Caller caller, Supplier<CompletableFuture<T>> change, Supplier<T> recorded, Duration redis) {
        if (calls == null) {
            return change.get();
        }
        return onThread(calls, caller, change)
                .thenCompose(answer -> isRecorded
                        ? answer.copy().completeOnTimeout(recorded.get(), redis.toNanos(), TimeUnit.NANOSECONDS)
                        : answer);
    }

    /** A change that waits for Redis no longer counts among those that wait for the database. */
    private <T> CompletableFuture<CompletableFuture<T>> onThread(
            BoundedCalls threads, Caller caller, Supplier<CompletableFuture<T>> change) {
        if (!shares.tryBegin(caller)) {
            throw new ProblemException(
                    ProblemType.TOO_MANY_REQUESTS,
                    shares.most() + " changes of caller '" + caller.name()
                            + "' wait for the database, the maximum; nothing was done");
        }
        CompletableFuture<CompletableFuture<T>> answer;
        try {
            answer = threads.call(change::get);
        } catch (Throwable e) {
            shares.end(caller);
            throw e;
        }
        return answer.whenComplete((made, failure) -> shares.end(caller));
    }

    @Override
    public void close() {
        if (calls != null) {
            calls.close();
        }
    }
}
