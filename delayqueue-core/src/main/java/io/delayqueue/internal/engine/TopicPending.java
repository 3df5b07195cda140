package io.delayqueue.internal.engine;

import io.delayqueue.Delay;
import io.delayqueue.PendingMessage;
import io.delayqueue.PendingMessages;
import io.delayqueue.internal.engine.shared.ClientContext;
import io.delayqueue.internal.engine.shared.TopicPartitions;
import io.delayqueue.internal.store.Partition;
import io.delayqueue.internal.store.Partitioning;
import io.delayqueue.internal.store.PendingMessageStore;
import io.delayqueue.internal.store.PendingMessageStore.PurgeStep;
import io.delayqueue.internal.store.Selection;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** One topic's pending messages. A long call goes in steps, so that Redis never stalls. */
final class TopicPending implements PendingMessages {

    /** Across partitions as Redis orders them in each. */
    private static final Comparator<PendingMessage> ORDER = Comparator.comparing(PendingMessage::due)
            .thenComparing(message -> bytes(message.id()), Arrays::compareUnsigned);

    private final String topic;
    private final PendingMessageStore store;
    private final TopicPartitions partitions;
    private final BlockingCall blocking;
    private final PurgeSteps purges;

    TopicPending(String topic, ClientContext client, BlockingCall blocking) {
        this.topic = topic;
        this.store = client.store().pendingMessages();
        this.partitions = client.partitions();
        this.blocking = blocking;
        this.purges = new PurgeSteps(topic, client.observer(), blocking);
    }

    @Override
    public List<PendingMessage> list(Position after, int limit) {
        if (limit < 1 || limit > MAX_PAGE_SIZE) {
            throw new IllegalArgumentException(
                    "a page of pending messages needs a limit of 1 to " + MAX_PAGE_SIZE + ", not " + limit);
        }
        return await(partitions.with(topic, partitioning -> page(partitioning, after, limit)));
    }

    private CompletableFuture<List<PendingMessage>> page(Partitioning partitioning, Position after, int limit) {
        List<CompletableFuture<List<PendingMessage>>> parts = partitioning.all().stream()
                .map(partition -> store.list(partition, after, limit))
                .toList();
        return CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new))
                .thenApply(done -> parts.stream()
                        .flatMap(part -> part.join().stream())
                        .sorted(ORDER)
                        .limit(limit)
                        .toList());
    }

    @Override
    public List<Long> countDue(List<Instant> bounds) {
        TimeBounds.check(bounds);
        return await(partitions.with(
                topic, partitioning -> TimeBounds.sums(partitioning, part -> store.count(part, bounds))));
    }

    @Override
    public long purge(Collection<String> ids) {
        return purge(ids, Selection::of);
    }

    @Override
    public long purgeDueUntil(Instant due, Collection<String> ids) {
        checkLatest(due);
        return purge(ids, step -> Selection.until(due, step));
    }

    private long purge(Collection<String> ids, Function<List<String>, Selection> selection) {
        DistinctIds distinct = DistinctIds.of(topic, ids);
        return distinct.isEmpty()
                ? 0
                : distinct.inSteps(
                        await(partitions.ask(topic)),
                        (partition, step) -> purges.one(() -> store.purge(partition, selection.apply(step))));
    }

    @Override
    public long purgeDueUntil(Instant due, Map<String, String> generations) {
        checkLatest(due);
        DistinctIds distinct = DistinctIds.of(topic, generations.keySet());
        return distinct.isEmpty()
                ? 0
                : distinct.inSteps(
                        await(partitions.ask(topic)),
                        (partition, step) -> purgeGenerations(partition, due, step, generations));
    }

    private long purgeGenerations(Partition partition, Instant due, List<String> ids, Map<String, String> generations) {
        long total = 0;
        int from = 0;
        while (from < ids.size()) {
            Map<String, String> some = new LinkedHashMap<>();
            ids.subList(from, ids.size()).forEach(id -> some.put(id, String.valueOf(generations.get(id))));
            PurgeStep step = purges.one(() -> store.purge(partition, due, some), PurgeStep::ids);
            total += step.ids().size();
            from += Math.max(1, step.looked());
        }
        return total;
    }

    private static void checkLatest(Instant due) {
        if (due.isAfter(Delay.LATEST)) {
            throw new IllegalArgumentException("due must be at most " + Delay.LATEST + ", not " + due);
        }
    }

    @Override
    public long purgeDueUntil(Instant due) {
        checkLatest(due);
        return await(partitions.ask(topic)).all().stream()
                .mapToLong(partition -> purges.all(() -> store.purge(partition, due)))
                .sum();
    }

    private static byte[] bytes(String id) {
        return id.getBytes(StandardCharsets.UTF_8);
    }

    private <T> T await(CompletableFuture<T> answer) {
        return blocking.await(answer, topic, null);
    }
}
