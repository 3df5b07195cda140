package io.delayqueue.spring;

import io.delayqueue.BulkCancelException;
import io.delayqueue.BulkScheduleException;
import io.delayqueue.BulkScheduleException.Entry;
import io.delayqueue.CancelOutcome;
import io.delayqueue.DelayQueueException;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.ScheduleResult;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes one future of the answers of a bulk whose calls are made one by one. It ends as one outside of a transaction does: a
 * failure hides no result of the others. An executor completes it. It is cancelled if all answers are, and cancelling it cancels them.
 */
final class BulkAnswers {

    private BulkAnswers() {}

    /** Fails with a {@link BulkScheduleException} if a message failed. */
    static CompletableFuture<List<ScheduleResult>> ofSchedules(
            List<OutgoingMessage> messages, List<CompletableFuture<ScheduleResult>> answers, Executor executor) {
        return together(answers, () -> conclude(messages, answers), executor);
    }

    /** Fails with a {@link BulkCancelException} if an id failed. */
    static CompletableFuture<Map<String, CancelOutcome>> ofCancels(
            String topic, Map<String, CompletableFuture<CancelOutcome>> answers, Executor executor) {
        return together(answers.values(), () -> conclude(topic, answers), executor);
    }

    private static <T, R> CompletableFuture<R> together(
            Collection<CompletableFuture<T>> answers, Supplier<R> conclude, Executor executor) {
        CompletableFuture<R> future = new CompletableFuture<>();
        CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new)).whenComplete((all, error) -> {
            if (error != null && answers.stream().allMatch(CompletableFuture::isCancelled)) {
                future.cancel(false);
            } else {
                executor.execute(() -> complete(future, conclude));
            }
        });
        future.whenComplete((value, error) -> answers.forEach(answer -> answer.cancel(false)));
        return future;
    }

    private static <R> void complete(CompletableFuture<R> future, Supplier<R> conclude) {
        try {
            future.complete(conclude.get());
        } catch (DelayQueueException e) {
            future.completeExceptionally(e);
        }
    }

    private static List<ScheduleResult> conclude(
            List<OutgoingMessage> messages, List<CompletableFuture<ScheduleResult>> answers) {
        List<ScheduleResult> results = new ArrayList<>(messages.size());
        List<Entry> entries = new ArrayList<>(messages.size());
        DelayQueueException first = null;
        for (int i = 0; i < messages.size(); i++) {
            OutgoingMessage message = messages.get(i);
            DelayQueueException failure = failure(message.topic(), message.id(), answers.get(i));
            if (failure == null) {
                results.add(answers.get(i).join());
                entries.add(new Entry(message, answers.get(i).join(), null));
            } else {
                first = first == null ? failure : first;
                entries.add(new Entry(message, null, failure));
            }
        }
        if (first != null) {
            throw new BulkScheduleException(entries, first);
        }
        return results;
    }

    private static Map<String, CancelOutcome> conclude(
            String topic, Map<String, CompletableFuture<CancelOutcome>> answers) {
        Map<String, CancelOutcome> outcomes = new LinkedHashMap<>();
        Map<String, DelayQueueException> failures = new LinkedHashMap<>();
        answers.forEach((id, answer) -> {
            DelayQueueException failure = failure(topic, id, answer);
            if (failure == null) {
                outcomes.put(id, answer.join());
            } else {
                failures.put(id, failure);
            }
        });
        if (!failures.isEmpty()) {
            throw new BulkCancelException(topic, outcomes, failures);
        }
        return outcomes;
    }

    /** The failure of a completed answer; null if it did not fail. */
    private static @Nullable DelayQueueException failure(String topic, String id, CompletableFuture<?> answer) {
        return answer.<@Nullable DelayQueueException>handle((value, error) -> {
                    if (error == null) {
                        return null;
                    }
                    Throwable cause = LinkedFuture.unwrap(error);
                    return cause instanceof DelayQueueException failure
                            ? failure
                            : new DelayQueueException(
                                    "Message '" + id + "' of topic '" + topic + "' failed: " + cause, topic, id, cause);
                })
                .join();
    }
}
