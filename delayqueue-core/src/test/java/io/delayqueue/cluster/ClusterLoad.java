package io.delayqueue.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.ReceivedMessage;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.ReplicationTimeoutException;
import io.delayqueue.ScheduleOutcome;
import io.delayqueue.TopicOptions;
import io.delayqueue.TopicStats;
import io.delayqueue.testsupport.TestCluster;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Producers and a consumer of one topic that retry through all faults, and record acknowledged and handled ids. */
final class ClusterLoad implements AutoCloseable {

    static final String TOPIC = "load";
    static final int PARTITIONS = 6;

    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final Duration EARLY_CLAIM = Duration.ofMillis(25);
    /** Messages that the consumer has claimed and whose acks are not confirmed: prefetch is four times the concurrency at most. */
    private static final int MOST_IN_HAND = 5 * ConsumerOptions.DEFAULT_CONCURRENCY;

    private static final long PACE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private final RedisClusterClient client;
    private final DelayQueueClient queue;
    private final Set<String> acknowledged = ConcurrentHashMap.newKeySet();
    private final Set<String> handled = ConcurrentHashMap.newKeySet();
    private final Set<String> repeated = ConcurrentHashMap.newKeySet();
    private final Map<String, Long> firstBegunNanos = new ConcurrentHashMap<>();
    private final Map<String, String> unexplainedDuplicates = new ConcurrentHashMap<>();
    private final Set<String> redelivered = ConcurrentHashMap.newKeySet();
    private final AtomicInteger duplicates = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();
    private final Thread[] producers = new Thread[PARTITIONS];
    private volatile boolean stopping;

    ClusterLoad(TestCluster cluster) {
        this(cluster, options -> options);
    }

    ClusterLoad(TestCluster cluster, UnaryOperator<DelayQueueOptions.Builder> options) {
        client = cluster.client();
        queue = DelayQueueClient.create(
                client,
                options.apply(DelayQueueOptions.builder()
                                .guardInterval(Duration.ofSeconds(1))
                                .topic(
                                        TOPIC,
                                        TopicOptions.builder()
                                                .partitions(PARTITIONS)
                                                .build()))
                        .build());
        queue.subscribe(
                        TOPIC,
                        ConsumerOptions.builder().lease(LEASE).maxAttempts(100).build(),
                        (message, delivery) -> handle(message))
                .start();
    }

    /**
     * A message may be delivered again after its lease, or if its schedule call was repeated. The first call may have stored
     * it, and it may have been handled by then.
     */
    private void handle(ReceivedMessage message) {
        long nowNanos = System.nanoTime();
        Long firstNanos = firstBegunNanos.putIfAbsent(message.id(), nowNanos);
        handled.add(message.id());
        if (firstNanos != null) {
            duplicates.incrementAndGet();
            redelivered.add(message.id());
            Duration since = Duration.ofNanos(nowNanos - firstNanos);
            boolean leaseOver = message.attempt() > 1 && since.compareTo(LEASE.minus(EARLY_CLAIM)) >= 0;
            if (!leaseOver && !repeated.contains(message.id())) {
                unexplainedDuplicates.put(message.id(), message + " again after " + since);
            }
        }
    }

    DelayQueueClient queue() {
        return queue;
    }

    void start() {
        for (int i = 0; i < producers.length; i++) {
            int partition = i;
            producers[i] = new Thread(() -> produce(partition), "producer-" + i);
            producers[i].start();
        }
        awaitProgress();
    }

    /** Each partition has a producer of its own, so that an unreachable one does not stop the load on the others. */
    private void produce(int partition) {
        for (int i = 0; !stopping; i++) {
            OutgoingMessage message = OutgoingMessage.to(TOPIC)
                    .id("m" + i)
                    .payload(new byte[10])
                    .delay(Duration.ofMillis(ThreadLocalRandom.current().nextInt(300)))
                    .build();
            while (partitionOf(message.id()) == partition && !scheduled(message) && !stopping) {
                refused.incrementAndGet();
            }
            // a load without a backlog, which would hide the moment at which delivery resumes
            LockSupport.parkNanos(PACE_NANOS);
        }
    }

    private boolean scheduled(OutgoingMessage message) {
        try {
            ScheduleOutcome outcome = queue.schedule(message).outcome();
            // a call repeated after its message was handled stores the message once more
            assertThat(outcome).isEqualTo(ScheduleOutcome.SCHEDULED);
            acknowledged.add(message.id());
            return true;
        } catch (RedisUnavailableException | ReplicationTimeoutException e) {
            repeated.add(message.id());
            return false;
        }
    }

    /** Waits until further messages of every partition are acknowledged and handled. */
    void awaitProgress() {
        awaitProgressOf(IntStream.range(0, PARTITIONS).boxed().toList(), Duration.ofSeconds(30));
    }

    void awaitProgressOf(Collection<Integer> wanted, Duration most) {
        Set<String> before = new HashSet<>(acknowledged);
        await().atMost(most)
                .pollInterval(Duration.ofMillis(50))
                .until(() -> acknowledged.stream()
                        .filter(id -> !before.contains(id) && handled.contains(id))
                        .map(ClusterLoad::partitionOf)
                        .collect(Collectors.toSet())
                        .containsAll(wanted));
    }

    static int partitionOf(String id) {
        return new io.delayqueue.internal.store.Partitioning(TOPIC, PARTITIONS, false, java.util.List.of())
                .of(id)
                .number();
    }

    /** Stops the producers and waits until all messages are handled. */
    void drain() {
        stopProducers();
        await().atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(100))
                .ignoreExceptions()
                .until(() -> {
                    TopicStats stats = queue.stats(TOPIC);
                    return stats.pending().total() + stats.inFlight() == 0;
                });
    }

    private void stopProducers() {
        stopping = true;
        for (Thread producer : producers) {
            try {
                if (producer != null) {
                    producer.join();
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** Ids acknowledged and never handled. */
    Set<String> lost() {
        Set<String> lost = new HashSet<>(acknowledged);
        lost.removeAll(handled);
        return lost;
    }

    /** Ids delivered more than once although their schedule call was not repeated: their leases ended. */
    Set<String> leasesEnded() {
        Set<String> ended = new HashSet<>(redelivered);
        ended.removeAll(repeated);
        return ended;
    }

    /** Ids delivered more than once without a lease that was over or a schedule call that was repeated. */
    Set<String> deliveredTwice() {
        return unexplainedDuplicates.keySet();
    }

    /**
     * No more duplicates than these changes can cause, and a stall of the machine: each those in flight, and one for each call that
     * was repeated.
     */
    void assertFewDuplicates(int changes) {
        assertThat(duplicates.get())
                .as("duplicates: %s", this)
                .isLessThanOrEqualTo((changes + 1) * MOST_IN_HAND + refused.get());
    }

    /** After {@link #drain()}: no message is lost, none is delivered twice without a cause, few with one, and the counters add up. */
    void assertNothingLost(int changes) {
        assertThat(unexplainedDuplicates).isEmpty();
        assertFewDuplicates(changes);
        assertThat(lost()).as("lost of %d: %s", acknowledged.size(), this).isEmpty();
        TopicStats stats = queue.stats(TOPIC);
        assertThat(stats.unaccounted()).as("%s", stats).isZero();
        assertThat(stats.dead()).isZero();
    }

    @Override
    public String toString() {
        return acknowledged.size() + " acknowledged, " + handled.size() + " handled, " + duplicates + " duplicates, "
                + refused + " refused";
    }

    @Override
    public void close() {
        stopProducers();
        queue.close();
        client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    }
}
