package io.delayqueue.internal.engine;

import io.delayqueue.DelayQueueException;
import io.delayqueue.PartitionMark;
import io.delayqueue.Survey;
import io.delayqueue.SurveyedMessage;
import io.delayqueue.internal.Names;
import io.delayqueue.internal.engine.shared.TopicPartitions;
import io.delayqueue.internal.store.MessageStore;
import io.delayqueue.internal.store.MessageStore.IdStep;
import io.delayqueue.internal.store.OutboxStore.SurveyStep;
import io.delayqueue.internal.store.Partition;
import io.delayqueue.internal.store.Partitioning;
import io.delayqueue.internal.store.PartitionsChangedException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.ToLongBiFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The survey of one topic.
 *
 * @param topic the topic
 * @param store has the messages
 * @param partitions of the topic
 * @param blocking waits for each call
 */
record TopicSurvey(String topic, MessageStore store, TopicPartitions partitions, BlockingCall blocking)
        implements Survey {

    /** Few at first, as Redis reads their bodies, which may be large; more while they are small. */
    private static final int FIRST_IDS = 64;

    private static final int FEWEST_IDS = 16;
    private static final long SMALL_PAGE_BYTES = 256 * 1024;

    @Override
    public List<PartitionMark> marks() {
        List<CompletableFuture<PartitionMark>> asked =
                present().stream().map(store.outbox()::mark).toList();
        return asked.stream().map(this::await).toList();
    }

    @Override
    public CompletionStage<Integer> partitions(int seen) {
        return partitions
                .ask(topic)
                .thenCompose(now -> now.partitions() >= seen
                        ? CompletableFuture.completedFuture(now)
                        : partitions.update(topic, seen))
                .thenApply(Partitioning::partitions);
    }

    /** A partition's keys, and this call, don't depend on the number of partitions, which another server may have to tell. */
    @Override
    public CompletionStage<PartitionMark> mark(int partition) {
        return store.outbox().mark(new Partition(topic, partition, partition + 1));
    }

    @Override
    public Page page(int partition, @Nullable String cursor) {
        return withPartitions(partition + 1, partitioning -> page(number(partitioning, partition), Cursor.of(cursor)));
    }

    private Page page(Partition partition, Cursor from) {
        IdStep step = await(store.listIds(partition, from.position(), from.about()));
        if (!from.isOf(step.server())) {
            // a server that was restarted has the ids in another order
            step = await(store.listIds(partition, IdStep.BEGIN, FIRST_IDS));
        }
        Found found = new Found();
        look(partition, List.copyOf(new LinkedHashSet<>(step.ids())), found);
        return found.page(step.isLast() ? null : from.next(step));
    }

    @Override
    public Page find(Collection<String> ids) {
        List<String> distinct = distinct(ids);
        return withPartitions(1, partitioning -> {
            ByPartition<String> parts = new ByPartition<>();
            distinct.forEach(id -> partitioning.candidates(id).forEach(candidate -> parts.add(candidate, id)));
            return parts
                    .map((partition, some) -> {
                        Found found = new Found();
                        look(partition, some, found);
                        return found;
                    })
                    .stream()
                    .reduce(new Found(), Found::with)
                    .page(null);
        });
    }

    @Override
    public Set<String> idsIn(Set<Integer> some, Collection<String> ids) {
        List<String> distinct = distinct(ids);
        Partitioning partitioning = await(partitions.ask(topic));
        return distinct.stream()
                .filter(id -> partitioning.candidates(id).stream().anyMatch(each -> some.contains(each.number())))
                .collect(Collectors.toSet());
    }

    private void look(Partition partition, List<String> ids, Found found) {
        int from = 0;
        while (from < ids.size()) {
            int to = Math.min(from + MessageStore.LARGEST_BATCH, ids.size());
            SurveyStep step = await(store.outbox().survey(partition, ids.subList(from, to)));
            found.add(step);
            from += Math.max(1, step.looked());
        }
    }

    @Override
    public long drop(Map<String, String> generations) {
        DistinctIds ids = new DistinctIds(distinct(generations.keySet()));
        return ids.isEmpty()
                ? 0
                : counted(ids, (partition, some) -> {
                    Map<String, String> part = new HashMap<>();
                    some.forEach(id -> part.put(id, String.valueOf(generations.get(id))));
                    return await(store.outbox().drop(partition, part));
                });
    }

    @Override
    public long correctDue(Collection<DueCorrection> corrections) {
        Map<String, DueCorrection> byId = new HashMap<>();
        corrections.forEach(each -> byId.put(each.id(), each));
        DistinctIds ids = new DistinctIds(distinct(byId.keySet()));
        return ids.isEmpty()
                ? 0
                : counted(
                        ids,
                        (partition, some) -> await(store.outbox()
                                .correctDue(
                                        partition, some.stream().map(byId::get).toList())));
    }

    /** A repetition counts what the steps before it did, too. */
    private long counted(DistinctIds ids, ToLongBiFunction<Partition, List<String>> call) {
        AtomicLong total = new AtomicLong();
        withPartitions(
                1,
                partitioning -> ids.inSteps(
                        partitioning, (partition, some) -> total.addAndGet(call.applyAsLong(partition, some))));
        return total.get();
    }

    private List<String> distinct(Collection<String> ids) {
        if (ids.size() > MAX_IDS) {
            throw new IllegalArgumentException("a survey takes up to " + MAX_IDS + " ids, not " + ids.size());
        }
        List<String> distinct = List.copyOf(new LinkedHashSet<>(ids));
        distinct.forEach(id -> Names.requireId(topic, id));
        return distinct;
    }

    @Override
    public PartitionMark beginEpoch(int partition, @Nullable String expected) {
        return await(store.outbox().beginEpoch(new Partition(topic, partition, partition + 1), expected));
    }

    private List<Partition> present() {
        return await(partitions.ask(topic)).all();
    }

    private Partition number(Partitioning partitioning, int number) {
        List<Partition> all = partitioning.all();
        if (number < 0 || number >= all.size()) {
            throw new IllegalArgumentException(
                    "topic '" + topic + "' has " + all.size() + " partitions, so none with the number " + number);
        }
        return all.get(number);
    }

    /**
     * Makes calls that partitions refuse if the number of partitions is another one. One that lost its keys, or some of them, does not know
     * the number: it is told again.
     *
     * @param least partitions that the caller knows of
     */
    private <T> T withPartitions(int least, Function<Partitioning, T> call) {
        for (int attempt = 1; ; attempt++) {
            Partitioning known = partitions.known(topic);
            try {
                // the first partition's server, which tells the number, may be silent
                return call.apply(known != null && known.partitions() >= least ? known : await(partitions.ask(topic)));
            } catch (DelayQueueException e) {
                if (attempt == TopicPartitions.MAX_ATTEMPTS
                        || !(e.getCause() instanceof PartitionsChangedException changed)) {
                    throw e;
                }
                if (known != null && changed.partitions() < known.partitions()) {
                    tellAgain(known);
                } else {
                    await(partitions.update(topic, changed.partitions()));
                }
            }
        }
    }

    /** Without the servers that are silent: what is told matters to those that have lost it. */
    private void tellAgain(Partitioning known) {
        boolean paused =
                await(store.partitions(topic).handle((now, error) -> error == null ? now.paused() : Boolean.FALSE));
        CompletableFuture<?>[] told = known.all().stream()
                .map(partition -> store.increasePartitions(partition, paused).handle((now, error) -> error == null))
                .toArray(CompletableFuture[]::new);
        await(CompletableFuture.allOf(told));
    }

    private <T> T await(CompletableFuture<T> answer) {
        return blocking.await(answer, topic, null);
    }

    /** Place in the list of ids of one server's process. */
    private record Cursor(@Nullable String server, int about, String position) {

        static Cursor of(@Nullable String text) {
            if (text == null) {
                return new Cursor(null, FIRST_IDS, IdStep.BEGIN);
            }
            String[] parts = text.split(":", 3);
            return new Cursor(parts[0], Integer.parseInt(parts[1]), parts[2]);
        }

        String next(IdStep step) {
            int more = step.bytes() < SMALL_PAGE_BYTES
                    ? Math.min(2 * about, MessageStore.LARGEST_BATCH)
                    : Math.max(about / 2, FEWEST_IDS);
            return step.server() + ":" + more + ":" + step.cursor();
        }

        boolean isOf(String other) {
            return server == null || server.equals(other);
        }
    }

    /** Messages of several steps. */
    private static final class Found {

        private final List<SurveyedMessage> messages = new ArrayList<>();
        private long timeMicros = Long.MAX_VALUE;

        void add(SurveyStep step) {
            messages.addAll(step.messages());
            timeMicros = Math.min(timeMicros, step.timeMicros());
        }

        Found with(Found other) {
            messages.addAll(other.messages);
            timeMicros = Math.min(timeMicros, other.timeMicros);
            return this;
        }

        Page page(@Nullable String next) {
            return new Page(messages, timeMicros == Long.MAX_VALUE ? 0 : timeMicros, next);
        }
    }
}
