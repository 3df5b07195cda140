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
import io.delayqueue.testsupport.MachineStalls;
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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * One of three primaries stops for a while, and nothing takes over from it. The messages of the others are on time: a tenth of a
 * second per partition of the silent server at worst, and nothing after that.
 */
@Tag("slow")
class FrozenServerTests {

    private static final String TOPIC = "orders";
    private static final String OTHER = "invoices";
    private static final int PARTITIONS = 12;
    private static final Duration FROZEN = Duration.ofSeconds(6);
    private static final Duration ON_TIME = Duration.ofMillis(500);

    /** The claim of a partition waits that long for the silent server before others get its capacity. */
    private static final Duration PER_SILENT_PARTITION = Duration.ofMillis(100);

    private static final int MOST_ROUNDS = 4;

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
        // the first connection of a JVM may take longer than a command
        await().ignoreExceptions().until(() -> queue.stats(List.of(TOPIC, OTHER)) != null);
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

    /** A stall of the machine, or of a server alone, makes messages late, too: the best of some rounds counts. */
    @Test
    void messagesOfTheOtherServersAreOnTime() {
        Subscription subscription = subscribe(TOPIC);
        subscribe(OTHER);
        Freeze freeze;
        int round = 0;
        do {
            freeze = freeze("round" + round++, subscription);
        } while (!isOnTime(freeze) && round < MOST_ROUNDS);

        assertThat(p99(freeze.schedules)).as("p99 of schedule, %s", freeze).isLessThan(ON_TIME);
        assertThat(latest(freeze.atOnset)).as("latest at onset, %s", freeze).isLessThan(onset());
        assertThat(p99(freeze.afterwards)).as("p99 afterwards, %s", freeze).isLessThan(ON_TIME);
        await().until(subscription::isHealthy);
    }

    private Freeze freeze(String round, Subscription subscription) {
        handled.clear();
        long ackedOfTopic = queue.stats(TOPIC).totals().acked();
        long ackedOfOther = queue.stats(OTHER).totals().acked();
        int count = (int) FROZEN.plusSeconds(1).dividedBy(PACE);
        scheduleMany(TOPIC, round, count);
        scheduleMany(OTHER, round, count / 10);
        await().until(() -> handled.size() > 50);

        List<Duration> schedules;
        Instant from;
        Instant to;
        Duration stall;
        try (MachineStalls stalls = MachineStalls.observe()) {
            frozen.pause();
            from = Instant.now();
            // short delays: they need a schedule and a wake-up
            schedules = scheduleWhileFrozen(round, from.plus(FROZEN));
            await().atMost(FROZEN).until(() -> !subscription.isHealthy());
            to = Instant.now();
            frozen.resume();
            stall = stalls.longest();
        }

        await().atMost(Duration.ofSeconds(30))
                .until(() -> queue.stats(TOPIC).totals().acked() == ackedOfTopic + count + schedules.size()
                        && queue.stats(OTHER).totals().acked() == ackedOfOther + count / 10);
        assertThat(handled.stream().map(it -> it.topic + it.id))
                .as("handled once each")
                .doesNotHaveDuplicates()
                .hasSize(count + schedules.size() + count / 10);
        assertThat(handled.stream()
                        // those that fell due just then may have been claimed before
                        .filter(it -> isOnFrozen(it) && isDueBetween(it, from.plus(ON_TIME), to.minus(ON_TIME))))
                .as("the fault struck")
                .isNotEmpty()
                .allMatch(it -> it.at.isAfter(to));
        List<Duration> atOnset = lateOnOthers(from, from.plus(ON_TIME));
        assertThat(atOnset).hasSizeGreaterThan(20);
        List<Duration> afterwards = lateOnOthers(from.plus(ON_TIME), to);
        assertThat(afterwards).hasSizeGreaterThan(300);
        return new Freeze(schedules, atOnset, afterwards, stall);
    }

    /**
     * Times of the other servers while one was frozen, each in ascending order.
     *
     * @param schedules how long the calls took
     * @param atOnset how late messages were that were due soon after it began
     * @param afterwards how late those were that were due later
     * @param stall the longest of the machine
     */
    private record Freeze(
            List<Duration> schedules, List<Duration> atOnset, List<Duration> afterwards, Duration stall) {}

    private boolean isOnTime(Freeze freeze) {
        return p99(freeze.schedules).compareTo(ON_TIME) < 0
                && latest(freeze.atOnset).compareTo(onset()) < 0
                && p99(freeze.afterwards).compareTo(ON_TIME) < 0;
    }

    private Duration onset() {
        int silent = onFrozen(TOPIC).size() + onFrozen(OTHER).size();
        return PER_SILENT_PARTITION.multipliedBy(silent).plus(ON_TIME);
    }

    private static Duration p99(List<Duration> ascending) {
        return ascending.get(ascending.size() * 99 / 100);
    }

    private static Duration latest(List<Duration> ascending) {
        return ascending.get(ascending.size() - 1);
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
        scheduleMany(TOPIC, "", count);
        DelayQueueClient another = open();
        await().until(() -> another.topics().contains(TOPIC));
        frozen.pause();
        List<String> others =
                ids("", count).stream().filter(id -> !isOnFrozen(TOPIC, id)).toList();

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

    /** Returns how long each call took, in ascending order. */
    private List<Duration> scheduleWhileFrozen(String round, Instant end) {
        List<Duration> took = new ArrayList<>();
        for (int i = 0; Instant.now().isBefore(end); i++) {
            LockSupport.parkNanos(PACE.toNanos());
            String id = round + "-live-" + i;
            if (!isOnFrozen(TOPIC, id)) {
                Instant before = Instant.now();
                queue.schedule(message(TOPIC, id, Duration.ofMillis(20)));
                took.add(Duration.between(before, Instant.now()));
            }
        }
        took.sort(Duration::compareTo);
        return took;
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

    private void scheduleMany(String topic, String round, int count) {
        List<String> ids = ids(round, count);
        queue.scheduleAll(IntStream.range(0, count)
                .mapToObj(i -> message(topic, ids.get(i), PACE.multipliedBy(topic.equals(TOPIC) ? i : 10L * i)))
                .toList());
    }

    private static List<String> ids(String round, int count) {
        return IntStream.range(0, count).mapToObj(i -> round + i).toList();
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
