package io.delayqueue.testsupport;

import io.delayqueue.CancelOutcome;
import io.delayqueue.Delay;
import io.delayqueue.InFlightMessages;
import io.delayqueue.MessageInfo;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.PartitionMark;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.RescheduleOutcome;
import io.delayqueue.ScheduleOutcome;
import io.delayqueue.ServerReport;
import io.delayqueue.Survey.DueCorrection;
import io.delayqueue.internal.store.CallId;
import io.delayqueue.internal.store.ClaimAnswer;
import io.delayqueue.internal.store.ClaimRequest;
import io.delayqueue.internal.store.DeadLetterStore;
import io.delayqueue.internal.store.Extension;
import io.delayqueue.internal.store.Lease;
import io.delayqueue.internal.store.MessageStore;
import io.delayqueue.internal.store.OrphanScanStep;
import io.delayqueue.internal.store.OutboxBatch;
import io.delayqueue.internal.store.OutboxBatchAnswer;
import io.delayqueue.internal.store.OutboxStore;
import io.delayqueue.internal.store.Partition;
import io.delayqueue.internal.store.PartitionStats;
import io.delayqueue.internal.store.Partitioning;
import io.delayqueue.internal.store.PendingMessageStore;
import io.delayqueue.internal.store.Release;
import io.delayqueue.internal.store.RescheduleAnswer;
import io.delayqueue.internal.store.Retry;
import io.delayqueue.internal.store.ScheduleAnswer;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A store that can fall asleep, or fail in any way told, to play a Redis in trouble. Awake it holds no messages: claims are
 * answered as scripted, and leases are held if told so. Remembers all calls.
 */
public final class SleepyStore implements MessageStore {

    public static final long NOW = 1_800_000_000_000_000L;
    static final CallId NO_ID = new CallId("", 0, false);

    public final List<Call> calls = new CopyOnWriteArrayList<>();
    public final Queue<ClaimAnswer> claimAnswers = new ConcurrentLinkedQueue<>();
    public final Queue<OrphanScanStep> orphanScanAnswers = new ConcurrentLinkedQueue<>();
    public final Queue<Long> purged = new ConcurrentLinkedQueue<>();
    public volatile long time = NOW;
    public volatile Predicate<Lease> held = lease -> true;
    public volatile @Nullable RuntimeException listenFailure;
    private final Map<String, Mood> moods = new ConcurrentHashMap<>();
    private volatile Mood mood = Mood.AWAKE;

    /**
     * A call that came in.
     *
     * @param partition of calls about leases
     * @param callId of calls that have one
     */
    public record Call(String method, @Nullable Partition partition, CallId callId, Object argument) {}

    public void fallAsleep() {
        mood = Mood.failing(new RedisUnavailableException("asleep", null, null, null));
    }

    /** Answers again. */
    public void wakeUp() {
        mood = Mood.AWAKE;
    }

    /** Answers this kind of call again as the others. */
    public void wakeUp(String method) {
        moods.remove(method);
    }

    public void be(Mood mood) {
        this.mood = mood;
    }

    /** For one kind of call. */
    public void be(String method, Mood mood) {
        moods.put(method, mood);
    }

    public List<Call> calls(String method) {
        return calls.stream().filter(call -> call.method().equals(method)).toList();
    }

    /** Their ids. */
    public List<CallId> callIds(String method) {
        return calls(method).stream().map(Call::callId).toList();
    }

    <T> CompletableFuture<T> called(
            String method, @Nullable Partition partition, CallId callId, Object argument, Supplier<T> usual) {
        calls.add(new Call(method, partition, callId, argument));
        return moods.getOrDefault(method, mood).answer(usual);
    }

    <T> CompletableFuture<T> called(String method, Object argument, Supplier<T> usual) {
        return called(method, null, NO_ID, argument, usual);
    }

    @Override
    public CompletableFuture<Void> register(String topic) {
        return called("register", topic, () -> null);
    }

    @Override
    public CompletableFuture<ScheduleAnswer> schedule(Partition partition, List<OutgoingMessage> messages) {
        return called(
                "schedule",
                messages,
                () -> new ScheduleAnswer(
                        Collections.nCopies(messages.size(), ScheduleOutcome.SCHEDULED), List.of(), -1));
    }

    @Override
    public CompletableFuture<ClaimAnswer> claim(Partition partition, ClaimRequest request) {
        return called("claim", partition, request.callId(), request, () -> {
            ClaimAnswer next = claimAnswers.poll();
            return next != null ? next : ClaimAnswers.NOTHING;
        });
    }

    @Override
    public CompletableFuture<Long> time(Partition partition) {
        return called("time", partition, () -> time);
    }

    @Override
    public CompletableFuture<List<Boolean>> ack(Partition partition, CallId callId, List<Lease> leases) {
        return called(
                "ack",
                partition,
                callId,
                leases,
                () -> leases.stream().map(held::test).toList());
    }

    @Override
    public CompletableFuture<List<Boolean>> retry(Partition partition, CallId callId, List<Retry> retries) {
        return called(
                "retry",
                partition,
                callId,
                retries,
                () -> retries.stream().map(retry -> held.test(retry.lease())).toList());
    }

    @Override
    public CompletableFuture<List<Long>> extend(Partition partition, CallId callId, List<Extension> extensions) {
        return called(
                "extend",
                partition,
                callId,
                extensions,
                () -> extensions.stream()
                        .map(extension ->
                                held.test(extension.lease()) ? extension.lease().receipt() + 1000 : -1L)
                        .toList());
    }

    @Override
    public CompletableFuture<List<Boolean>> release(Partition partition, List<Release> releases) {
        return called(
                "release",
                partition,
                NO_ID,
                releases,
                () -> releases.stream()
                        .map(release -> held.test(release.lease()))
                        .toList());
    }

    @Override
    public CompletableFuture<Void> forgetConsumer(Partition partition, String consumer) {
        return called("forget", consumer, () -> null);
    }

    @Override
    public CompletableFuture<List<CancelOutcome>> cancel(Partition partition, List<String> ids) {
        return called("cancel", ids, () -> Collections.nCopies(ids.size(), CancelOutcome.CANCELLED));
    }

    /** Each change finds no message. */
    @Override
    public OutboxStore outbox() {
        return new OutboxStore() {
            @Override
            public CompletableFuture<OutboxBatchAnswer> apply(Partition partition, OutboxBatch batch) {
                List<OutboxBatchAnswer.Change> changes = Collections.nCopies(
                        batch.operations().size(),
                        new OutboxBatchAnswer.Change(OutboxBatchAnswer.Result.NOT_FOUND, false, null));
                return called("apply", batch, () -> new OutboxBatchAnswer(changes, -1, markOf(partition)));
            }

            @Override
            public CompletableFuture<ForgetStep> forget(Partition partition, long beforeMicros) {
                return called("forget", beforeMicros, () -> new ForgetStep(0, 0));
            }

            @Override
            public CompletableFuture<PartitionMark> mark(Partition partition) {
                return called("mark", partition, () -> markOf(partition));
            }

            @Override
            public CompletableFuture<Long> time() {
                return called("time", "", () -> time);
            }

            @Override
            public CompletableFuture<SurveyStep> survey(Partition partition, List<String> ids) {
                return called("survey", ids, () -> new SurveyStep(time, ids.size(), List.of()));
            }

            @Override
            public CompletableFuture<Long> drop(Partition partition, Map<String, String> generations) {
                return called("drop", generations, () -> 0L);
            }

            @Override
            public CompletableFuture<Long> correctDue(Partition partition, List<DueCorrection> corrections) {
                return called("correctDue", corrections, () -> 0L);
            }

            @Override
            public CompletableFuture<PartitionMark> beginEpoch(Partition partition, @Nullable String expected) {
                return called("beginEpoch", partition, () -> markOf(partition));
            }

            private PartitionMark markOf(Partition partition) {
                return new PartitionMark(partition.topic(), partition.number(), "1:epoch", 0, 0);
            }
        };
    }

    @Override
    public CompletableFuture<RescheduleAnswer> reschedule(Partition partition, List<String> ids, Delay delay) {
        return called(
                "reschedule",
                ids,
                () -> new RescheduleAnswer(Collections.nCopies(ids.size(), RescheduleOutcome.RESCHEDULED), 0));
    }

    @Override
    public CompletableFuture<Optional<MessageInfo>> find(Partition partition, String id) {
        return called("find", id, Optional::empty);
    }

    @Override
    public CompletableFuture<Map<Partition, PartitionStats>> stats(Collection<Partition> partitions) {
        return called("stats", partitions, Map::of);
    }

    @Override
    public CompletableFuture<Set<String>> present(Partition partition, Collection<String> ids) {
        return called("present", ids, Set::of);
    }

    @Override
    public CompletableFuture<Partitioning> partitions(String topic) {
        return called("partitions", topic, () -> Partitioning.single(topic));
    }

    @Override
    public CompletableFuture<Partitioning> increasePartitions(Partition partition, boolean paused) {
        return called(
                "increasePartitions",
                partition,
                () -> new Partitioning(partition.topic(), partition.count(), paused, List.of()));
    }

    @Override
    public CompletableFuture<Set<String>> topics() {
        return called("topics", "", Set::of);
    }

    @Override
    public CompletableFuture<Void> setPaused(Partition partition, boolean paused) {
        return called("setPaused", paused, () -> null);
    }

    @Override
    public CompletableFuture<OrphanScanStep> scanOrphans(Partition partition, String cursor) {
        return called("scanOrphans", cursor, () -> {
            OrphanScanStep next = orphanScanAnswers.poll();
            return next != null ? next : new OrphanScanStep(OrphanScanStep.BEGIN, List.of());
        });
    }

    @Override
    public DeadLetterStore deadLetters() {
        return new SleepyDeadLetters(this);
    }

    @Override
    public PendingMessageStore pendingMessages() {
        return new SleepyPendingMessages(this);
    }

    @Override
    public CompletableFuture<InFlightMessages> inFlight(Partition partition, int limit) {
        return called("inFlight", limit, () -> new InFlightMessages(Instant.EPOCH, List.of(), List.of()));
    }

    @Override
    public CompletableFuture<Partitioning> forgetFormer(Partitioning searched) {
        return called(
                "forgetFormer",
                searched,
                () -> new Partitioning(searched.topic(), searched.partitions(), searched.paused(), List.of()));
    }

    @Override
    public CompletableFuture<IdStep> listIds(Partition partition, String cursor, int about) {
        return called("listIds", cursor, () -> new IdStep(List.of(), IdStep.BEGIN, 0, ""));
    }

    @Override
    public CompletableFuture<Boolean> unregister(String topic) {
        return called("unregister", topic, () -> true);
    }

    @Override
    public CompletableFuture<DeleteStep> deleteTopic(Partition partition, boolean force) {
        return called("deleteTopic", force, () -> DeleteStep.DELETED);
    }

    @Override
    public CompletableFuture<List<ServerReport>> inspect() {
        return called(
                "inspect",
                "",
                () -> List.of(ServerReport.builder().version("7.0.0").build()));
    }

    @Override
    public AutoCloseable listen(Partition partition, WakeUpListener listener) {
        calls.add(new Call("listen", partition, NO_ID, partition));
        RuntimeException failure = listenFailure;
        if (failure != null) {
            throw failure;
        }
        return () -> {};
    }

    @Override
    public void close() {
        calls.add(new Call("close", null, NO_ID, ""));
    }
}
