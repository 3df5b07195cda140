package io.delayqueue.gateway.http;

import io.delayqueue.CancelOutcome;
import io.delayqueue.Delay;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.RescheduleOutcome;
import io.delayqueue.ScheduleResult;
import io.delayqueue.gateway.http.problem.ProblemType;
import io.delayqueue.gateway.http.request.BoundedCalls;
import io.delayqueue.spring.MessageSender;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes the API's changes of messages. A sender that waits, for a journal's database, gets threads of its own: those of the container and
 * of the client serve claims, which need no database. Safe for use by many threads.
 */
public final class OwnThreadSender implements AutoCloseable {

    /** As many as a usual connection pool has connections. */
    private static final int THREADS = 10;

    private static final int MOST_WAITING = 1_000;
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    private final MessageSender sender;
    private final @Nullable BoundedCalls calls;

    private OwnThreadSender(MessageSender sender, @Nullable BoundedCalls calls) {
        this.sender = sender;
        this.calls = calls;
    }

    /** Changes by a sender that does not wait. */
    public static OwnThreadSender immediate(MessageSender sender) {
        return new OwnThreadSender(sender, null);
    }

    /** Changes by a sender that may wait. */
    public static OwnThreadSender waiting(MessageSender sender) {
        return new OwnThreadSender(
                sender,
                new BoundedCalls(
                        "delayqueue-gateway-journal", THREADS, MOST_WAITING, TIMEOUT, ProblemType.JOURNAL_UNAVAILABLE));
    }

    CompletableFuture<ScheduleResult> scheduleAsync(OutgoingMessage message) {
        return make(() -> sender.scheduleAsync(message));
    }

    CompletableFuture<List<ScheduleResult>> scheduleAllAsync(List<OutgoingMessage> messages) {
        return make(() -> sender.scheduleAllAsync(messages));
    }

    CompletableFuture<CancelOutcome> cancelAsync(String topic, String id) {
        return make(() -> sender.cancelAsync(topic, id));
    }

    CompletableFuture<RescheduleOutcome> rescheduleAsync(String topic, String id, Delay delay) {
        return make(() -> sender.rescheduleAsync(topic, id, delay));
    }

    private <T> CompletableFuture<T> make(Supplier<CompletableFuture<T>> change) {
        return calls == null ? change.get() : calls.call(change::get).thenCompose(Function.identity());
    }

    @Override
    public void close() {
        if (calls != null) {
            calls.close();
        }
    }
}
