package io.delayqueue.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.delayqueue.CancelOutcome;
import io.delayqueue.ConsumerOptions;
import io.delayqueue.Delay;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.InFlightMessages;
import io.delayqueue.Outbox;
import io.delayqueue.OutboxOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.PullConsumer;
import io.delayqueue.PullOptions;
import io.delayqueue.PulledMessage;
import io.delayqueue.Receipt;
import io.delayqueue.RedisAccessDeniedException;
import io.delayqueue.RescheduleOutcome;
import io.delayqueue.ServerReport;
import io.delayqueue.TopicOptions;
import io.delayqueue.WakeUp;
import io.delayqueue.testsupport.DocumentedUser;
import io.delayqueue.testsupport.TestCluster;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Everything works on a Cluster of three primaries that nothing disturbs. */
class ClusterTests {

    private static final String TOPIC = "orders";
    private static final int PARTITIONS = 9;

    private static TestCluster cluster;

    private final RedisClusterClient client = cluster.client();
    private DelayQueueClient queue;

    @BeforeAll
    static void startCluster() {
        cluster = TestCluster.start(3, false);
    }

    @AfterAll
    static void stopCluster() {
        cluster.close();
    }

    @BeforeEach
    void open() {
        cluster.nodes().forEach(node -> node.redis().flushall());
        queue = open(options -> options);
    }

    @AfterEach
    void close() {
        assertThat(queue.stats(queue.topics()).values())
                .allSatisfy(stats -> assertThat(stats.unaccounted()).isZero());
        queue.close();
        client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        cluster.assertNothingDenied();
    }

    private DelayQueueClient open(UnaryOperator<DelayQueueOptions.Builder> options) {
        return DelayQueueClient.create(
                client,
                options.apply(DelayQueueOptions.builder()
                                .guardInterval(Duration.ofHours(1))
                                .commandTimeout(Duration.ofSeconds(10))
                                .topic(
                                        TOPIC,
                                        TopicOptions.builder()
                                                .partitions(PARTITIONS)
                                                .build()))
                        .build());
    }

    @ParameterizedTest
    @EnumSource(WakeUp.class)
    void messagesSpreadOverAllServersAndAreHandledOnce(WakeUp wakeUp) {
        queue.close();
        queue = open(options -> options.wakeUp(wakeUp));
        Set<String> handled = ConcurrentHashMap.newKeySet();
        scheduleAll(0, 900, Duration.ZERO);
        assertThat(cluster.nodes())
                .allSatisfy(node -> assertThat(node.redis().keys("*:scheduled")).isNotEmpty());

        queue.subscribe(
                        TOPIC,
                        options(),
                        (message, delivery) ->
                                assertThat(handled.add(message.id())).isTrue())
                .start();

        await().atMost(Duration.ofSeconds(25))
                .until(() -> queue.stats(TOPIC).totals().acked() == 900);
        assertThat(handled).hasSize(900);
        assertThat(cluster.nodes().stream().flatMap(node -> node.redis().keys("*").stream()))
                .allMatch(key -> key.endsWith(":meta") || key.equals("dq:topics"));
    }

    @Test
    void messagesOfAllServersArePulledAndSettledByAnotherProcess() {
        scheduleAll(0, 300, Duration.ZERO);
        PullConsumer pull = queue.pullConsumer(TOPIC, PullOptions.defaults());
        Set<String> receipts = ConcurrentHashMap.newKeySet();
        while (receipts.size() < 300) {
            List<PulledMessage> received = pull.receive(50, Duration.ofSeconds(25));
            assertThat(received).as("after %s", receipts.size()).isNotEmpty();
            received.forEach(pulled -> assertThat(pull.extend(pulled.receipt(), Duration.ofMinutes(5)))
                    .isTrue());
            received.forEach(pulled -> receipts.add(pulled.receipt().toString()));
        }

        try (DelayQueueClient other = open(options -> options)) {
            PullConsumer settling = other.pullConsumer(TOPIC, PullOptions.defaults());
            assertThat(receipts)
                    .allSatisfy(text ->
                            assertThat(settling.ack(Receipt.parse(text))).isTrue());
        }

        assertThat(pull.receive(1, Duration.ZERO)).isEmpty();
        assertThat(queue.stats(TOPIC).totals().acked()).isEqualTo(300);
    }

    @Test
    void messagesInFlightOnAllServersHaveTheirHolder() {
        scheduleAll(0, 90, Duration.ZERO);
        PullConsumer pull = queue.pullConsumer(TOPIC, PullOptions.defaults());
        await().atMost(Duration.ofSeconds(25)).until(() -> {
            pull.receive(50, Duration.ZERO);
            return queue.stats(TOPIC).inFlight() == 90;
        });

        InFlightMessages inFlight = queue.inFlight(TOPIC, 512);

        assertThat(inFlight.messages()).hasSize(90);
        assertThat(inFlight.messages())
                .extracting(InFlightMessages.Message::leaseUntil)
                .isSorted();
        assertThat(inFlight.holders()).singleElement().satisfies(holder -> {
            assertThat(holder.instance()).endsWith(":" + ProcessHandle.current().pid());
            assertThat(holder.messages()).isEqualTo(90);
            assertThat(holder.since()).isNotNull();
        });
    }

    @Test
    void earlierMessageOnAnyServerWakesTheConsumer() throws Exception {
        BlockingQueue<String> handled = new LinkedBlockingQueue<>();
        queue.subscribe(TOPIC, options(), (message, delivery) -> handled.add(message.id()))
                .start();
        scheduleAll(0, 90, Duration.ofHours(1));

        for (int i = 100; i < 130; i++) {
            scheduleAll(i, i + 1, Duration.ofMillis(20));
            assertThat(handled.poll(25, TimeUnit.SECONDS)).isEqualTo(String.valueOf(i));
        }
    }

    /** Before its first connection, a process does not know which publish command its servers have. */
    @Test
    void firstMessageOfAProcessWakesConsumersOfOthers() throws Exception {
        BlockingQueue<String> handled = new LinkedBlockingQueue<>();
        queue.subscribe("single", options(), (message, delivery) -> handled.add(message.id()))
                .start();
        queue.schedule(
                OutgoingMessage.to("single").payload(new byte[0]).id("first").build());
        assertThat(handled.poll(25, TimeUnit.SECONDS)).isEqualTo("first");
        await().atMost(Duration.ofSeconds(25))
                .until(() -> queue.stats("single").totals().acked() == 1);

        try (DelayQueueClient another = open(options -> options)) {
            another.schedule(OutgoingMessage.to("single")
                    .payload(new byte[0])
                    .id("second")
                    .delay(Duration.ofMillis(20))
                    .build());
        }

        assertThat(handled.poll(25, TimeUnit.SECONDS)).isEqualTo("second");
    }

    @Test
    void singleMessageIsFoundRescheduledAndCancelled() {
        scheduleAll(0, 30, Duration.ofHours(1));
        for (int i = 0; i < 30; i++) {
            String id = String.valueOf(i);
            assertThat(queue.find(TOPIC, id)).isPresent();
            assertThat(queue.reschedule(TOPIC, id, Delay.of(Duration.ofHours(2))))
                    .isEqualTo(RescheduleOutcome.RESCHEDULED);
            assertThat(queue.cancel(TOPIC, id)).isEqualTo(CancelOutcome.CANCELLED);
        }
        assertThat(queue.stats(TOPIC).totals().cancelled()).isEqualTo(30);
    }

    @Test
    void deadLettersPauseAndResume() {
        var subscription =
                queue.subscribe(TOPIC, ConsumerOptions.builder().maxAttempts(1).build(), (message, delivery) -> {
                    throw new IllegalStateException("no");
                });
        subscription.start();
        scheduleAll(0, 40, Duration.ZERO);
        await().atMost(Duration.ofSeconds(25)).until(() -> queue.stats(TOPIC).dead() == 40);
        assertThat(queue.deadLetters(TOPIC).list(0, 100)).hasSize(40);
        queue.pause(TOPIC);
        assertThat(queue.deadLetters(TOPIC).redriveAll()).isEqualTo(40);
        assertThat(queue.stats(TOPIC).pending().ready()).isEqualTo(40);
        assertThat(queue.stats(TOPIC).paused()).isTrue();

        queue.resume(TOPIC);

        await().atMost(Duration.ofSeconds(25)).until(() -> queue.stats(TOPIC).dead() == 40);
        assertThat(queue.deadLetters(TOPIC).purgeOlderThan(Duration.ZERO)).isEqualTo(40);
    }

    @Test
    void topicsOfOnePartitionWorkToo() {
        Set<String> handled = ConcurrentHashMap.newKeySet();
        List<String> topics =
                IntStream.range(0, 12).mapToObj(i -> "single-" + i).toList();
        topics.forEach(topic -> queue.subscribe(topic, options(), (message, delivery) -> handled.add(message.topic()))
                .start());
        queue.scheduleAll(topics.stream()
                .map(topic -> OutgoingMessage.to(topic).payload(new byte[1]).build())
                .toList());

        await().atMost(Duration.ofSeconds(25)).until(() -> handled.size() == topics.size());
        await().atMost(Duration.ofSeconds(25))
                .until(() -> queue.stats(topics).values().stream()
                        .allMatch(stats -> stats.totals().acked() == 1));
        assertThat(queue.topics()).containsExactlyInAnyOrderElementsOf(topics);
    }

    @Test
    void eachServerIsInspected() {
        assertThat(queue.inspectServers()).hasSize(3).allSatisfy(report -> {
            assertThat(report.isReachable()).isTrue();
            assertThat(report.missingPermissions()).isEmpty();
            assertThat(report.isSupported()).isTrue();
            assertThat(report.version()).isNotEmpty();
            assertThat(report.isPersistent()).isTrue();
        });
        assertThat(queue.inspectServers())
                .extracting(ServerReport::server)
                .containsExactlyInAnyOrderElementsOf(
                        cluster.nodes().stream().map(ClusterTests::address).toList());
    }

    @Test
    void problemOfOneServerIsReportedForThatServer() {
        TestCluster.Node evicting = cluster.nodes().get(0);
        TestCluster.Node restricted = cluster.nodes().get(2);
        evicting.redis().configSet("maxmemory-policy", "allkeys-lru");
        DocumentedUser.createWithout(restricted.redis(), "+zadd", DocumentedUser.CLUSTER);
        try {
            Map<String, ServerReport> reports =
                    queue.inspectServers().stream().collect(Collectors.toMap(ServerReport::server, report -> report));
            for (TestCluster.Node node : cluster.nodes()) {
                ServerReport report = reports.get(address(node));
                assertThat(report.mayEvict()).isEqualTo(node == evicting);
                assertThat(report.missingPermissions()).isEqualTo(node == restricted ? List.of("zadd") : List.of());
            }
        } finally {
            evicting.redis().configSet("maxmemory-policy", "noeviction");
            DocumentedUser.create(restricted.redis(), DocumentedUser.CLUSTER, DocumentedUser.WAIT);
            restricted.redis().aclLogReset();
        }
    }

    @Test
    void serverThatDoesNotAnswerIsNamedInTime() {
        queue.close();
        queue = open(options -> options.commandTimeout(Duration.ofSeconds(5)));
        assertThat(queue.inspectServers()).allMatch(ServerReport::isReachable);
        TestCluster.Node frozen = cluster.nodes().get(1);
        frozen.pause();
        try {
            long begun = System.nanoTime();
            List<ServerReport> reports = queue.inspectServers();

            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(10));
            assertThat(reports)
                    .hasSize(3)
                    .allSatisfy(report -> assertThat(report.isReachable())
                            .isNotEqualTo(report.server().equals(address(frozen))));
            assertThat(reports)
                    .filteredOn(report -> !report.isReachable())
                    .singleElement()
                    .extracting(ServerReport::error)
                    .asString()
                    .contains("not answered within");
        } finally {
            frozen.resume();
            cluster.awaitOk();
        }
    }

    @Test
    void anotherServerTellsTheTimeWhileTheOneWithTheTopicsNamesIsSilent() throws Exception {
        queue.close();
        queue = open(options -> options.commandTimeout(Duration.ofSeconds(1)));
        Outbox outbox = queue.outbox(OutboxOptions.DEFAULTS);
        // the first connection of a JVM may take longer than a command
        await().atMost(Duration.ofSeconds(25))
                .ignoreExceptions()
                .until(() -> outbox.timeMicros().get(25, TimeUnit.SECONDS) > 0);
        long before = outbox.timeMicros().get(25, TimeUnit.SECONDS);
        TestCluster.Node silent = cluster.primaryOf("dq:topics");
        silent.pause();
        try {
            assertThat(outbox.timeMicros().get(25, TimeUnit.SECONDS)).isGreaterThan(before);
            // from now on no call waits for the silent one
            long[] took = new long[5];
            for (int i = 0; i < took.length; i++) {
                long begun = System.nanoTime();
                assertThat(outbox.timeMicros().get(25, TimeUnit.SECONDS)).isGreaterThan(before);
                took[i] = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
            }
            Arrays.sort(took);
            assertThat(took[2]).isLessThan(1000);
        } finally {
            silent.resume();
            cluster.awaitOk();
        }
    }

    @Test
    void serverThatRefusesTheLoginIsNamed() {
        TestCluster.Node closed = cluster.nodes().get(1);
        assertThat(queue.inspectServers()).hasSize(3);
        DocumentedUser.acl(closed.redis(), "SETUSER", "delayqueue", "resetpass", ">another");
        try {
            // where a server closes the connection at once, Lettuce may lose its error
            await().atMost(Duration.ofSeconds(25))
                    .untilAsserted(() -> assertThatThrownBy(() -> queue.inspectServers())
                            .isInstanceOf(RedisAccessDeniedException.class)
                            .hasMessageContaining(address(closed))
                            .hasMessageContaining("WRONGPASS"));
        } finally {
            DocumentedUser.create(closed.redis(), DocumentedUser.CLUSTER, DocumentedUser.WAIT);
            closed.redis().aclLogReset();
        }
    }

    private static String address(TestCluster.Node node) {
        return "127.0.0.1:" + node.server().port();
    }

    private static ConsumerOptions options() {
        return ConsumerOptions.builder().lease(Duration.ofMinutes(1)).build();
    }

    private void scheduleAll(int from, int to, Duration delay) {
        queue.scheduleAll(IntStream.range(from, to)
                .mapToObj(i -> OutgoingMessage.to(TOPIC)
                        .id(String.valueOf(i))
                        .payload(new byte[1])
                        .delay(delay)
                        .build())
                .toList());
    }
}
