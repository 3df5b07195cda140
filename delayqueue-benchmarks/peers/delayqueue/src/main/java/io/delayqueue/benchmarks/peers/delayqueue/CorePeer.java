package io.delayqueue.benchmarks.peers.delayqueue;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueObserver;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.ScheduleOutcome;
import io.delayqueue.ScheduleResult;
import io.delayqueue.Subscription;
import io.delayqueue.TopicOptions;
import io.delayqueue.benchmarks.peer.Handler;
import io.delayqueue.benchmarks.peer.Outgoing;
import io.delayqueue.benchmarks.peer.Peer;
import io.delayqueue.benchmarks.peer.PeerSettings;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** This library without Spring, with default options, except a longer command timeout. */
public final class CorePeer implements Peer {

    private final Map<String, Long> calls = new ConcurrentHashMap<>();
    private final AbstractRedisClient client;
    private final DelayQueueClient queue;
    private final Duration lease;

    /** Connects to the server, or to its Cluster for the variant {@code cluster}. */
    public CorePeer(PeerSettings settings) {
        DelayQueueOptions options = DelayQueueOptions.builder()
                .topicDefaults(
                        TopicOptions.builder().partitions(settings.partitions()).build())
                .commandTimeout(Duration.ofSeconds(20)) // the first call of a new process on a busy machine may need it
                .observer(new CallCounter())
                .build();
        lease = settings.lease();
        if (settings.variant().equals("cluster")) {
            RedisClusterClient cluster = RedisClusterClient.create(settings.server());
            client = cluster;
            queue = DelayQueueClient.create(cluster, options);
        } else {
            RedisClient single = RedisClient.create(settings.server());
            client = single;
            queue = DelayQueueClient.create(single, options);
        }
    }

    @Override
    public void schedule(Outgoing message) {
        requireScheduled(queue.schedule(toMessage(message)));
    }

    @Override
    public CompletionStage<?> scheduleAsync(Outgoing message) {
        return queue.scheduleAsync(toMessage(message));
    }

    @Override
    public void scheduleAll(List<Outgoing> messages) {
        queue.scheduleAll(messages.stream().map(CorePeer::toMessage).toList()).forEach(CorePeer::requireScheduled);
    }

    private static void requireScheduled(ScheduleResult result) {
        if (result.outcome() != ScheduleOutcome.SCHEDULED) {
            throw new IllegalStateException("not scheduled: " + result);
        }
    }

    private static OutgoingMessage toMessage(Outgoing message) {
        return OutgoingMessage.to(message.topic())
                .id(message.id())
                .payload(message.payload())
                .delay(message.delay())
                .build();
    }

    @Override
    public AutoCloseable consume(List<String> topics, int concurrency, Handler handler) {
        ConsumerOptions options =
                ConsumerOptions.builder().concurrency(concurrency).lease(lease).build();
        List<Subscription> subscriptions = topics.stream()
                .map(topic -> queue.subscribe(
                        topic,
                        options,
                        (message, delivery) -> handler.handle(message.payload(), micros(message.due()))))
                .toList();
        subscriptions.forEach(Subscription::start);
        return () -> subscriptions.forEach(subscription -> subscription.stop(Duration.ofSeconds(1)));
    }

    private static long micros(Instant instant) {
        return instant.getEpochSecond() * 1_000_000 + instant.getNano() / 1_000;
    }

    @Override
    public Map<String, Long> counters() {
        return Map.copyOf(calls);
    }

    @Override
    public void close() {
        queue.close();
        client.shutdown(0, 2, TimeUnit.SECONDS);
    }

    private final class CallCounter implements DelayQueueObserver {

        @Override
        public void claimed(String topic, int count) {
            if (count == 0) {
                calls.merge("emptyClaims", 1L, Long::sum);
            }
        }

        @Override
        public void redisCall(String script, Duration duration, @Nullable Throwable error) {
            calls.merge(script, 1L, Long::sum);
        }
    }
}
