package io.delayqueue.internal.engine;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.DelayQueueObserver;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.ReceivedMessage;
import io.delayqueue.internal.store.Claimed;
import io.delayqueue.internal.store.Partition;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/** Messages in hand and what consumers are made of, for the tests of single parts. */
final class Fixtures {

    static final String TOPIC = "topic";
    static final Partition PARTITION = Partition.only(TOPIC);
    static final Duration LEASE = ConsumerOptions.DEFAULT_LEASE;

    private Fixtures() {}

    static Claimed claimed(String id) {
        ReceivedMessage message = new ReceivedMessage(TOPIC, id, new byte[0], Map.of(), 1, 3, Instant.EPOCH, 4);
        return new Claimed(message, SleepyStore.NOW, SleepyStore.NOW + LEASE.toNanos() / 1000);
    }

    static InFlightMessage inHand(String id) {
        return inHand(id, LEASE);
    }

    static InFlightMessage inHand(String id, Duration leaseLeft) {
        return inHand(claimed(id), System.nanoTime() + leaseLeft.toNanos());
    }

    /** One that nobody settles. */
    static InFlightMessage inHand(Claimed claimed, long leaseEndsNanos) {
        return new InFlightMessage(claimed, System.nanoTime(), leaseEndsNanos, settlements(new SleepyStore(), timer()));
    }

    static Settlements settlements(SleepyStore store, ScheduledExecutorService timer) {
        return new Settlements(context(store, ConsumerOptions.defaults(), timer), PARTITION, "me", () -> 0);
    }

    static ScheduledExecutorService timer() {
        return Executors.newSingleThreadScheduledExecutor(work -> {
            Thread thread = new Thread(work, "test-timer");
            thread.setDaemon(true);
            return thread;
        });
    }

    /** A guard of an hour: what happens within a test was not the guard. */
    static ConsumerContext context(SleepyStore store, ConsumerOptions options, ScheduledExecutorService timer) {
        return context(store, options, timer, DelayQueueObserver.NONE);
    }

    static ConsumerContext context(
            SleepyStore store, ConsumerOptions options, ScheduledExecutorService timer, DelayQueueObserver observer) {
        DelayQueueOptions queue =
                DelayQueueOptions.builder().guardInterval(Duration.ofHours(1)).build();
        return new ConsumerContext(
                TOPIC,
                (message, delivery) -> {},
                options,
                queue,
                store,
                new TopicPartitions(store, queue),
                new Observers(observer),
                timer,
                new Outage("Redis"),
                new Outage("Topic"));
    }
}
