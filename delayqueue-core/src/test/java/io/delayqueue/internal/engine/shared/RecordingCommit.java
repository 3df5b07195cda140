package io.delayqueue.internal.engine.shared;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import org.jspecify.annotations.Nullable;

/** Remembers what was sent; answers when told, at once, or on a thread. */
final class RecordingCommit extends GroupCommit<RecordingCommit.Item, String> {

    final List<Batch> sent = Collections.synchronizedList(new ArrayList<>());
    final List<Runnable> later = new ArrayList<>();
    boolean answersAtOnce;
    boolean mayBeLater;
    long patienceNanos = Long.MAX_VALUE;
    int enough;

    @Nullable
    ExecutorService answering;

    @Nullable
    RuntimeException thrown;

    private int answered;

    record Item(String name, String key, int weight) {

        static Item of(String name) {
            return new Item(name, name, 1);
        }
    }

    record Batch(List<Item> items, CompletableFuture<List<@Nullable String>> answer) {

        private void complete() {
            List<@Nullable String> results = new ArrayList<>();
            items.forEach(item -> results.add(item.name.equals("refuse me") ? null : "did " + item.name));
            answer.complete(results);
        }

        @Override
        public String toString() {
            return String.join(" ", items.stream().map(Item::name).toList());
        }
    }

    /** Submits a bulk. */
    List<CompletableFuture<String>> submitAll(List<Item> items) {
        List<CompletableFuture<String>> answers = new ArrayList<>();
        items.forEach(item -> answers.add(new CompletableFuture<>()));
        submitAll(items, answers);
        return answers;
    }

    List<String> batches() {
        return List.copyOf(sent).stream().map(Batch::toString).toList();
    }

    void answerNext() {
        sent.get(answered++).complete();
    }

    void failNext(Exception error) {
        sent.get(answered++).answer.completeExceptionally(error);
    }

    @Override
    protected CompletableFuture<List<@Nullable String>> send(List<Item> items) {
        if (thrown != null) {
            throw thrown;
        }
        Batch batch = new Batch(items, new CompletableFuture<>());
        sent.add(batch);
        if (answersAtOnce) {
            batch.complete();
        } else if (answering != null) {
            answering.execute(batch::complete);
        }
        return batch.answer;
    }

    @Override
    protected boolean mayGather(int waiting, int recentBatchSize) {
        return waiting < Math.max(enough, recentBatchSize);
    }

    @Override
    protected boolean sendLater(Runnable task) {
        return mayBeLater && later.add(task);
    }

    @Override
    protected long patienceNanos() {
        return patienceNanos;
    }

    @Override
    protected Throwable unsent(Item item, Throwable error) {
        return new IllegalStateException("unsent " + item.name + ": " + error.getMessage());
    }

    @Override
    protected Object key(Item item) {
        return item.key;
    }

    @Override
    protected int weight(Item item) {
        return item.weight;
    }

    @Override
    protected Throwable refusal(Item item) {
        return new IllegalArgumentException("refused " + item.name);
    }
}
