package io.delayqueue.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.Subscription;
import io.delayqueue.TopicOptions;
import io.delayqueue.internal.store.Partitioning;
import io.delayqueue.testsupport.TestCluster;
import io.delayqueue.testsupport.TestCluster.Node;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * One of three primaries stops for a while, and nothing takes over from it. The messages of the others are on time: a tenth of a
 * second per partition of the silent server at worst, and nothing after that.
 */
class FrozenServerTests {

    private static final String TOPIC = "orders";
    private static final String OTHER = "invoices";
    private static final int PARTITIONS = 12;
    private static final Duration FROZEN = Duration.ofSeconds(6);
    private static final Duration ON_TIME = Duration.ofMillis(500);

    /** The claim of a partition waits that long for the silent server before others get its capacity. */
    private static final Duration PER_SILENT_PARTITION = Duration.ofMillis(100);

    /** Between the due times of two messages. */
    private static final Duration PACE = Duration.ofMillis(10);

    private final Map<String, Set<Integer>> onFrozen = new ConcurrentHashMap<>();
    private final Queue<Handled> handled = new ConcurrentLinkedQueue<>();
    private TestCluster cluster;
    private RedisClusterClient client;
    private DelayQueueClient queue;
    private Node frozen;

    private record Handled(String topic, String id, Instant due, Instant at) {

        Duration late() {
            return Duration.between(due, at);
        }
    }

    @BeforeEach
    void start() {
        cluster = TestCluster.start(3, false);
        cluster.nodes().forEach(node -> {
            // it shall neither be taken for dead nor stop the others
            node.redis().configSet("cluster-node-timeout", "60000");
            node.redis().configSet("cluster-require-full-coverage", "no");
        });
        client = cluster.client();
        queue = open();
        frozen = cluster.primaryOf(key(TOPIC, 0));
        // asked of the server that is going to be frozen, too
        onFrozen(TOPIC);
        onFrozen(OTHER);
    }

    @AfterEach
    void stop() {
        try {
            frozen.resume();
            queue.close();
            client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        } finally {
            cluster.close();
        }
    }

    private DelayQueueClient open() {
        TopicOptions partitioned = TopicOptions.builder().partitions(PARTITIONS).build();
        return DelayQueueClient.create(
                client,
                DelayQueueOptions.builder()
                        .guardInterval(Duration.ofMinutes(1))
                        .topic(TOPIC, partitioned)
                        .topic(OTHER, partitioned)
                        .build());
    }

    @Test
    void messagesOfTheOtherServersAreOnTime() {
        Subscription subscription = subscribe(TOPIC);
        subscribe(OTHER);
        int count = (int) FROZEN.plusSeconds(1).dividedBy(PACE);
        scheduleMany(TOPIC, count);
        scheduleMany(OTHER, count / 10);
        await().until(() -> handled.size() > 50);

        frozen.pause();
        Instant from = Instant.now();
        // short delays: they need a schedule and a wake-up
        List<String> live = scheduleWhileFrozen(from.plus(FROZEN));
        assertThat(subscription.isHealthy()).isFalse();
        Instant to = Instant.now();
        frozen.resume();

        await().atMost(Duration.ofSeconds(30))
                .until(() -> queue.stats(TOPIC).totals().acked() == count + live.size()
                        && queue.stats(OTHER).totals().acked() == count / 10);
        assertThat(handled.stream().map(it -> it.topic + it.id))
                .as("handled once each")
                .doesNotHaveDuplicates()
                .hasSize(count + live.size() + count / 10);
        assertThat(handled.stream()
                        // those that fell due just then may have been claimed before
                        .filter(it -> isOnFrozen(it) && isDueBetween(it, from.plus(ON_TIME), to.minus(ON_TIME))))
                .as("the fault struck")
                .isNotEmpty()
                .allMatch(it -> it.at.isAfter(to));
        int silent = onFrozen(TOPIC).size() + onFrozen(OTHER).size();
        Duration onset = PER_SILENT_PARTITION.multipliedBy(silent).plus(ON_TIME);
        List<Duration> atOnset = lateOnOthers(from, from.plus(ON_TIME));
        assertThat(atOnset).hasSizeGreaterThan(20);
        assertThat(atOnset.get(atOnset.size() - 1)).as("latest of %s", atOnset).isLessThan(onset);
        List<Duration> late = lateOnOthers(from.plus(ON_TIME), to);
        assertThat(late).hasSizeGreaterThan(300);
        assertThat(late.get(late.size() * 99 / 100)).as("p99 of %s", late).isLessThan(ON_TIME);
        await().until(subscription::isHealthy);
    }

    /** How late the messages of the other servers were that were due between these times, in ascending order. */
    private List<Duration> lateOnOthers(Instant from, Instant to) {
        return handled.stream()
                .filter(it -> !isOnFrozen(it) && isDueBetween(it, from, to))
                .map(Handled::late)
                .sorted()
                .toList();
    }

    private static boolean isDueBetween(Handled it, Instant from, Instant to) {
        return it.due.isAfter(from) && it.due.isBefore(to);
    }

    @Test
    void consumerThatStartsMeanwhileServesTheOtherServers() {
        int count = 120;
        scheduleMany(TOPIC, count);
        DelayQueueClient another = open();
        await().until(() -> another.topics().contains(TOPIC));
        frozen.pause();
        List<String> others =
                ids(count).stream().filter(id -> !isOnFrozen(TOPIC, id)).toList();

        // partition 0, which knows how many there are, does not answer
        try (another) {
            another.subscribe(
                            TOPIC,
                            options(),
                            (message, delivery) -> handled(message.topic(), message.id(), message.due()))
                    .start();

            await().atMost(Duration.ofSeconds(30))
                    .until(() -> handled.stream()
                            .map(Handled::id)
                            .collect(Collectors.toSet())
                            .containsAll(others));
            assertThat(handled).hasSize(others.size());
            frozen.resume();
            await().atMost(Duration.ofSeconds(30)).until(() -> handled.size() == count);
        }
    }

    private List<String> scheduleWhileFrozen(Instant end) {
        List<String> scheduled = new ArrayList<>();
        List<Duration> took = new ArrayList<>();
        for (int i = 0; Instant.now().isBefore(end); i++) {
            LockSupport.parkNanos(PACE.toNanos());
            String id = "live-" + i;
            if (!isOnFrozen(TOPIC, id)) {
                Instant before = Instant.now();
                queue.schedule(message(TOPIC, id, Duration.ofMillis(20)));
                took.add(Duration.between(before, Instant.now()));
                scheduled.add(id);
            }
        }
        took.sort(Duration::compareTo);
        assertThat(took.get(took.size() * 99 / 100)).as("p99 of schedule").isLessThan(ON_TIME);
        return scheduled;
    }

    private Subscription subscribe(String topic) {
        Subscription subscription = queue.subscribe(
                topic, options(), (message, delivery) -> handled(message.topic(), message.id(), message.due()));
        subscription.start();
        return subscription;
    }

    private static ConsumerOptions options() {
        return ConsumerOptions.builder()
                .concurrency(10)
                .lease(Duration.ofSeconds(30))
                .build();
    }

    private void handled(String topic, String id, Instant due) {
        handled.add(new Handled(topic, id, due, Instant.now()));
    }

    private void scheduleMany(String topic, int count) {
        List<String> ids = ids(count);
        queue.scheduleAll(IntStream.range(0, count)
                .mapToObj(i -> message(topic, ids.get(i), PACE.multipliedBy(topic.equals(TOPIC) ? i : 10L * i)))
                .toList());
    }

    private static List<String> ids(int count) {
        return IntStream.range(0, count).mapToObj(String::valueOf).toList();
    }

    private static OutgoingMessage message(String topic, String id, Duration delay) {
        return OutgoingMessage.to(topic)
                .id(id)
                .payload(new byte[1])
                .delay(delay)
                .build();
    }

    private boolean isOnFrozen(Handled it) {
        return isOnFrozen(it.topic, it.id);
    }

    private boolean isOnFrozen(String topic, String id) {
        int partition =
                new Partitioning(topic, PARTITIONS, false, List.of()).of(id).number();
        return onFrozen(topic).contains(partition);
    }

    private Set<Integer> onFrozen(String topic) {
        return onFrozen.computeIfAbsent(
                topic,
                name -> IntStream.range(0, PARTITIONS)
                        .filter(number -> cluster.primaryOf(key(name, number)) == frozen)
                        .boxed()
                        .collect(Collectors.toSet()));
    }

    private static String key(String topic, int partition) {
        return "dq:{" + topic + ":" + partition + "}:meta";
    }
}
