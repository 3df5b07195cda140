package io.delayqueue.spring;

import io.delayqueue.BulkScheduleException;
import io.delayqueue.BulkScheduleException.Entry;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.ScheduleResult;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Schedules the messages of a large transaction in one call, so that single calls of others don't wait for all of them. */
final class BulkFirstCall {

    private BulkFirstCall() {}

    /** One future for each message, with its own result or failure. */
    static List<CompletableFuture<ScheduleResult>> of(DelayQueueClient client, List<OutgoingMessage> messages) {
        CompletableFuture<List<ScheduleResult>> bulk = client.scheduleAllAsync(messages);
        return IntStream.range(0, messages.size())
                .mapToObj(i -> bulk.handle((results, failure) -> resultAt(i, results, failure)))
                .toList();
    }

    private static ScheduleResult resultAt(int i, @Nullable List<ScheduleResult> results, @Nullable Throwable failure) {
        if (failure == null && results != null) {
            return results.get(i);
        }
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
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
