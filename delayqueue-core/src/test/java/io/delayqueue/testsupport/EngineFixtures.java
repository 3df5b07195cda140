package io.delayqueue.testsupport;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.DelayQueueObserver;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.ReceivedMessage;
import io.delayqueue.internal.engine.settle.InFlightMessage;
import io.delayqueue.internal.engine.settle.Settlements;
import io.delayqueue.internal.engine.shared.ClientContext;
import io.delayqueue.internal.engine.shared.ConsumerContext;
import io.delayqueue.internal.engine.shared.DeadLetterRetention;
import io.delayqueue.internal.engine.shared.SafeObserver;
import io.delayqueue.internal.engine.shared.ThrottledLog;
import io.delayqueue.internal.engine.shared.TopicPartitions;
import io.delayqueue.internal.store.Claimed;
import io.delayqueue.internal.store.Partition;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/** Messages in flight, and the collaborators of a subscription, for the tests of single parts of the engine. */
public final class EngineFixtures {

    public static final String TOPIC = "topic";

    /** Name of the threads of {@link #timer()}. */
    static final String TIMER = "test-timer";

    public static final Partition PARTITION = Partition.only(TOPIC);
    public static final Duration LEASE = ConsumerOptions.DEFAULT_LEASE;

    private EngineFixtures() {}

    public static Claimed claimed(String id) {
        ReceivedMessage message =
                ReceivedMessage.of(TOPIC, id).generation("g0000001").build();
        return StoreCalls.claimed(message, SleepyStore.NOW, SleepyStore.NOW + LEASE.toNanos() / 1000);
    }

    /** Due now, and just leased. */
    public static InFlightMessage inFlight(String id) {
        return inFlight(id, LEASE);
    }

    public static InFlightMessage inFlight(String id, Duration leaseLeft) {
        long now = System.nanoTime();
        return new InFlightMessage(claimed(id), 0, now, now + leaseLeft.toNanos());
    }

    /** It may have killed its last consumers. */
    public static InFlightMessage suspect(String id) {
        long now = System.nanoTime();
        Claimed claimed = claimed(id);
        Claimed suspect = new Claimed(claimed.message(), claimed.dueMicros(), claimed.receipt(), true);
        return new InFlightMessage(suspect, 0, now, now + LEASE.toNanos());
    }

    /** Of a message with one attempt. */
    public static InFlightMessage singleAttempt(String id, Duration leaseLeft) {
        long now = System.nanoTime();
        ReceivedMessage message = ReceivedMessage.of(TOPIC, id)
                .maxAttempts(1)
                .generation("g0000001")
                .build();
        Claimed claimed = StoreCalls.claimed(message, SleepyStore.NOW, SleepyStore.NOW + LEASE.toNanos() / 1000);
        return new InFlightMessage(claimed, 0, now, now + leaseLeft.toNanos());
    }

    public static InFlightMessage inFlight(String id, int partition) {
        long now = System.nanoTime();
        return new InFlightMessage(claimed(id), partition, now, now + LEASE.toNanos());
    }

    public static InFlightMessage dueIn(String id, Duration wait) {
        long now = System.nanoTime();
        return new InFlightMessage(claimed(id), 0, now + wait.toNanos(), now + LEASE.toNanos());
    }

    public static Settlements settlements(SleepyStore store, ScheduledExecutorService timer) {
        return settlements(store, timer, DelayQueueObserver.NONE);
    }

    /** Of one partition. */
    public static Settlements settlements(
            SleepyStore store, ScheduledExecutorService timer, DelayQueueObserver observer) {
        Settlements settlements = new Settlements(context(store, ConsumerOptions.defaults(), timer, observer), "me");
        settlements.addPartition(PARTITION);
        return settlements;
    }

    public static ScheduledExecutorService timer() {
        return Executors.newSingleThreadScheduledExecutor(work -> {
            Thread thread = new Thread(work, TIMER);
            thread.setDaemon(true);
            return thread;
        });
    }

    /** A guard of an hour: whatever happens within a test was not caused by the guard. */
    public static ConsumerContext context(
            SleepyStore store, ConsumerOptions options, ScheduledExecutorService timer, DelayQueueObserver observer) {
        return context(store, options, timer, observer, TOPIC);
    }

    /** Its lines of log name this subject: a test that counts them takes a subject of its own. */
    public static ConsumerContext context(
            SleepyStore store,
            ConsumerOptions options,
            ScheduledExecutorService timer,
            DelayQueueObserver observer,
            String subject) {
        DelayQueueOptions queue =
                DelayQueueOptions.builder().guardInterval(Duration.ofHours(1)).build();
        TopicPartitions partitions = new TopicPartitions(store, queue, timer);
        SafeObserver safe = new SafeObserver(observer);
        ClientContext client = new ClientContext(
                queue,
                store,
                partitions,
                new DeadLetterRetention(store, partitions, queue, safe, timer),
                safe,
                timer,
                new ThrottledLog("Redis of " + subject));
        return new ConsumerContext(TOPIC, options, client, new ThrottledLog("Topic of " + subject));
    }
}
