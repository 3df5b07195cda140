package io.delayqueue.spring;

import io.delayqueue.AsyncOperations;
import io.delayqueue.BulkScheduleException;
import io.delayqueue.BulkScheduleException.Entry;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.ScheduleResult;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Schedules many messages in one call, so that single calls of others don't wait for all of them. */
final class BulkCall {

    private BulkCall() {}

    /** One future for each message, with its own result or failure. */
    static List<CompletableFuture<ScheduleResult>> of(AsyncOperations calls, List<OutgoingMessage> messages) {
        CompletableFuture<List<ScheduleResult>> bulk = calls.scheduleAllAsync(messages);
        return IntStream.range(0, messages.size())
                .mapToObj(i -> bulk.handle((results, failure) -> resultAt(i, results, failure)))
                .toList();
    }

    private static ScheduleResult resultAt(int i, @Nullable List<ScheduleResult> results, @Nullable Throwable failure) {
        if (failure == null && results != null) {
            return results.get(i);
        }
        Throwable cause = failure == null ? null : LinkedFuture.unwrap(failure);
        if (cause instanceof BulkScheduleException bulk && i < bulk.entries().size()) {
            Entry entry = bulk.entries().get(i);
            if (entry.result() != null) {
                return entry.result();
            }
            cause = entry.error();
        }
        throw cause instanceof RuntimeException exception ? exception : new CompletionException(cause);
    }
}
