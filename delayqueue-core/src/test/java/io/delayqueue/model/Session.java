package io.delayqueue.model;

import io.delayqueue.OutboxOperation;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.internal.store.Claimed;
import io.delayqueue.internal.store.Lease;
import io.delayqueue.internal.store.MessageStore;
import io.delayqueue.internal.store.OutboxBatchAnswer;
import io.delayqueue.internal.store.Partition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** A sequence of operations on one partition: the real store, the model beside it, and the leases that consumers remember. */
final class Session {

    static final List<String> IDS = List.of("a", "b", "c", "d", "ä\n{e}", "f", "g");
    static final List<String> CONSUMERS = List.of("consumer-1", "consumer-2");
    static final int MOST_PENDING = 5;
    static final int DEFAULT_ATTEMPTS = 3;
    static final Duration LONG_LEASE = Duration.ofHours(2);
    static final Duration SHORT_LEASE = Duration.ofMillis(1);

    final String topic;
    final Partition partition;
    final MessageStore store;
    final ModelClock clock;
    final TopicModel model;
    final List<OutgoingMessage> sent = new ArrayList<>();
    final List<Applied> applied = new ArrayList<>();
    private final Map<String, String> ids = new LinkedHashMap<>();
    private final List<Held> leases = new ArrayList<>();
    private final Map<String, ModelConsumer> consumers = new HashMap<>();

    Session(Partition partition, MessageStore store, ModelClock clock) {
        this.topic = partition.topic();
        this.partition = partition;
        this.store = store;
        // each partition has its share of the topic's
        this.model = new TopicModel((MOST_PENDING + partition.count() - 1) / partition.count());
        this.clock = clock;
        IDS.forEach(id -> ids.put(id, inPartition(partition, id)));
        CONSUMERS.forEach(name -> consumers.put(name, new ModelConsumer(name)));
    }

    /** The ids of this partition. */
    List<String> ids() {
        return List.copyOf(ids.values());
    }

    /** The id of this partition that stands for one of {@link #IDS}. */
    String own(String id) {
        return ids.get(id);
    }

    List<String> own(Collection<String> some) {
        return some.stream().map(this::own).toList();
    }

    /** The id with a number after it that puts it into the partition. */
    private static String inPartition(Partition partition, String id) {
        return IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> i == 0 ? id : id + i)
                .filter(partition::isOf)
                .findFirst()
                .orElseThrow();
    }

    ModelConsumer consumer(String name) {
        return consumers.get(name);
    }

    /** A change that an outbox sent, and the answer. */
    record Applied(OutboxOperation operation, OutboxBatchAnswer.Result result) {}

    /** A lease that was granted once, whether or not it still holds. */
    record Held(Claimed claimed, long receipt) {}

    void remember(Claimed claimed, long receipt) {
        leases.add(new Held(claimed, receipt));
    }

    /** The picked leases, of different messages; none before the first was granted. */
    List<Held> pick(List<LeasePick> picks) {
        Map<String, Held> byId = new LinkedHashMap<>();
        if (!leases.isEmpty()) {
            for (LeasePick pick : picks) {
                Held held = leases.get(leases.size() - 1 - pick.back() % leases.size());
                byId.putIfAbsent(held.claimed().message().id(), known(held.claimed(), pick.receipt(held, leases)));
            }
        }
        return List.copyOf(byId.values());
    }

    /** A foreign receipt may be valid by chance: then it came with the present message, not with an earlier one of that id. */
    private Held known(Claimed claimed, long receipt) {
        return leases.stream()
                .filter(lease -> lease.receipt() == receipt
                        && lease.claimed()
                                .message()
                                .id()
                                .equals(claimed.message().id()))
                .findFirst()
                .orElse(new Held(claimed, receipt));
    }

    static Lease lease(Held held) {
        return new Lease(held.claimed().message().id(), held.receipt());
    }

    /** Calls the store between two readings of Redis' clock. */
    <T> Answered<T> call(Supplier<CompletableFuture<T>> call) {
        long from = clock.micros();
        T answer = join(call.get());
        return new Answered<>(answer, new TimeWindow(from, clock.micros()));
    }

    record Answered<T>(T answer, TimeWindow when) {}

    static <T> T join(CompletableFuture<T> answer) {
        return answer.orTimeout(10, TimeUnit.SECONDS).join();
    }

    @Override
    public String toString() {
        return "Session[" + partition + "]";
    }
}
