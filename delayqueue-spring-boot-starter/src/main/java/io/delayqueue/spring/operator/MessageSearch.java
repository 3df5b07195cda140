package io.delayqueue.spring.operator;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.MessageInfo;
import io.delayqueue.MessageState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The topics that have a message with an id.
 *
 * @param found the messages
 * @param searched number of topics that were searched
 * @param missing topics that were not searched: their server did not answer, or the time was over
 */
public record MessageSearch(List<Found> found, int searched, List<String> missing) {

    /** Calls that wait for Redis at once: topics of a silent server don't keep the others from being asked. */
    private static final int MAX_WAITING = 500;

    public MessageSearch {
        found = List.copyOf(found);
        missing = List.copyOf(missing);
    }

    /**
     * A message that was found.
     *
     * @param topic its topic
     * @param state its state
     * @param due its due time; null if it is dead
     */
    public record Found(
            String topic, MessageState state, @Nullable Instant due) {

        private static Found of(MessageInfo message) {
            return new Found(message.topic(), message.state(), message.due());
        }
    }

    static MessageSearch of(DelayQueueClient client, Collection<String> topics, String id, Duration timeout) {
        long end = System.nanoTime() + timeout.toNanos();
        Semaphore waiting = new Semaphore(MAX_WAITING);
        Map<String, CompletableFuture<Optional<Found>>> answers = new LinkedHashMap<>();
        List<String> missing = new ArrayList<>();
        try {
            for (String topic : topics) {
                if (waiting.tryAcquire(end - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                    CompletableFuture<Optional<Found>> answer =
                            client.findAsync(topic, id).thenApply(message -> message.map(Found::of));
                    answers.put(topic, answer.whenComplete((found, failure) -> waiting.release()));
                } else {
                    missing.add(topic);
                }
            }
            CompletableFuture<?> all = CompletableFuture.allOf(answers.values().toArray(CompletableFuture[]::new))
                    .exceptionally(e -> null);
            // those that fail or are late are told as missing
            CompletableFuture<?> ignored = all.completeOnTimeout(null, end - System.nanoTime(), TimeUnit.NANOSECONDS);
            ignored.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
        return result(answers, missing);
    }

    private static MessageSearch result(Map<String, CompletableFuture<Optional<Found>>> answers, List<String> missing) {
        List<Found> found = new ArrayList<>();
        int searched = 0;
        for (Map.Entry<String, CompletableFuture<Optional<Found>>> answer : answers.entrySet()) {
            try {
                Optional<Found> here = answer.getValue().getNow(null);
                if (here == null) {
                    missing.add(answer.getKey());
                } else {
                    here.ifPresent(found::add);
                    searched++;
                }
            } catch (CompletionException e) {
                if (e.getCause() instanceof IllegalArgumentException invalid) {
                    throw invalid;
                }
                missing.add(answer.getKey());
            }
        }
        return new MessageSearch(found, searched, missing);
    }
}
