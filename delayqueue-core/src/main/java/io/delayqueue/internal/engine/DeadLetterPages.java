package io.delayqueue.internal.engine;

import io.delayqueue.DeadLetter;
import io.delayqueue.DeadLetters;
import io.delayqueue.internal.store.DeadLetterStore;
import io.delayqueue.internal.store.DeadLetterStore.DeadLetterKey;
import io.delayqueue.internal.store.DeadLetterStore.DeadLetterStep;
import io.delayqueue.internal.store.Partition;
import io.delayqueue.internal.store.Partitioning;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** Puts pages of dead letters together from several partitions: by ids and times first, so that only the page's bodies are read. */
record DeadLetterPages(DeadLetterStore store) {

    private record Entry(Partition partition, DeadLetterKey key) {}

    CompletableFuture<List<DeadLetter>> page(Partitioning partitioning, int offset, int limit) {
        if (partitioning.partitions() == 1) {
            return store.list(partitioning.all().get(0), offset, limit);
        }
        return entries(partitioning, offset, limit)
                .thenCompose(entries -> load(entries)
                        .thenCompose(page -> page.isEmpty() && !entries.isEmpty()
                                // all were redriven or purged meanwhile: an empty page would seem to be the last
                                ? page(partitioning, offset, limit)
                                : CompletableFuture.completedFuture(page)));
    }

    CompletableFuture<List<DeadLetterKey>> keys(Partitioning partitioning, int offset, int limit) {
        if (partitioning.partitions() == 1) {
            return store.keys(partitioning.all().get(0), offset, limit);
        }
        return entries(partitioning, offset, limit)
                .thenApply(entries -> entries.stream().map(Entry::key).toList());
    }

    private CompletableFuture<List<Entry>> entries(Partitioning partitioning, int offset, int limit) {
        List<CompletableFuture<List<Entry>>> parts = partitioning.all().stream()
                .map(partition -> entries(partition, (long) offset + limit, List.of()))
                .toList();
        return CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new))
                .thenApply(done -> parts.stream()
                        .flatMap(part -> part.join().stream())
                        .sorted(Comparator.comparingLong((Entry entry) -> entry.key.micros())
                                .reversed())
                        .skip(offset)
                        .limit(limit)
                        .toList());
    }

    private CompletableFuture<List<Entry>> entries(Partition partition, long most, List<Entry> before) {
        int limit = (int) Math.min(DeadLetters.MAX_PAGE_SIZE, most - before.size());
        return store.keys(partition, before.size(), limit).thenCompose(step -> {
            List<Entry> sofar = Stream.concat(before.stream(), step.stream().map(key -> new Entry(partition, key)))
                    .toList();
            return step.size() < limit || sofar.size() >= most
                    ? CompletableFuture.completedFuture(sofar)
                    : entries(partition, most, sofar);
        });
    }

    private CompletableFuture<List<DeadLetter>> load(List<Entry> entries) {
        ByPartition<String> ids = new ByPartition<>();
        entries.forEach(entry -> ids.add(entry.partition, entry.key.id()));
        List<CompletableFuture<Part>> parts = ids.map(
                (partition, wanted) -> store.list(partition, wanted).thenApply(step -> new Part(partition, step)));
        return CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new))
                .thenApply(done -> inOrder(
                        entries, parts.stream().map(CompletableFuture::join).toList()));
    }

    private record Part(Partition partition, DeadLetterStep step) {}

    private record Place(Partition partition, String id) {}

    /** The page ends before the first one that a partition left out for its size. */
    private static List<DeadLetter> inOrder(List<Entry> entries, List<Part> parts) {
        Map<Place, DeadLetter> letters = new HashMap<>();
        Set<Partition> incomplete = new HashSet<>();
        for (Part part : parts) {
            part.step.letters().forEach(letter -> letters.put(new Place(part.partition, letter.id()), letter));
            if (!part.step.isComplete()) {
                incomplete.add(part.partition);
            }
        }
        List<DeadLetter> page = new ArrayList<>();
        for (Entry entry : entries) {
            DeadLetter letter = letters.get(new Place(entry.partition, entry.key.id()));
            if (letter != null) {
                page.add(letter);
            } else if (incomplete.contains(entry.partition)) {
                break;
            }
        }
        return page;
    }
}
