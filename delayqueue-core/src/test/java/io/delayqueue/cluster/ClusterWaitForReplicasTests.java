package io.delayqueue.cluster;

import static io.delayqueue.ScheduleOutcome.SCHEDULED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueException;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.ReplicationTimeoutException;
import io.delayqueue.ScheduleOutcome;
import io.delayqueue.ScheduleResult;
import io.delayqueue.TopicOptions;
import io.delayqueue.testsupport.TestCluster;
import io.delayqueue.testsupport.TestCluster.Node;
import io.lettuce.core.KillArgs;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** With {@code waitForReplicas}, {@code schedule} returns when replicas of the server that stores the message have it. */
class ClusterWaitForReplicasTests {

    private static final String TOPIC = "orders";
    private static final int PARTITIONS = 12;
    private static final Duration SHORT = Duration.ofMillis(300);
    private static final Duration LONG = Duration.ofSeconds(20);

    private static TestCluster cluster;

    private final RedisClusterClient client = cluster.client();
    private final List<DelayQueueClient> queues = new ArrayList<>();

    @BeforeAll
    static void startCluster() {
        cluster = TestCluster.start(3, true);
    }

    @AfterAll
    static void stopCluster() {
        cluster.close();
    }

    @BeforeEach
    void empty() {
        cluster.nodes().stream()
                .filter(Node::isPrimary)
                .forEach(node -> node.redis().flushall());
        cluster.nodes().forEach(node -> node.redis().configResetstat());
    }

    @AfterEach
    void close() {
        cluster.nodes().forEach(node -> node.resume());
        queues.forEach(DelayQueueClient::close);
        client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        cluster.awaitReplicasInSync();
        cluster.assertNothingDenied();
    }

    @Test
    void messageIsAtAReplicaOfItsServerWhenScheduleReturns() {
        DelayQueueClient queue = waiting(1, LONG);
        for (int i = 0; i < 60; i++) {
            OutgoingMessage message = later("m" + i);
            queue.schedule(message);

            assertThat(isAtReplica(message)).isTrue();
        }
    }

    @Test
    void frozenReplicaIsAnErrorAndDelaysNoOtherServersMessages() {
        DelayQueueClient queue = waiting(1, SHORT);
        DelayQueueClient patient = waiting(1, LONG);
        List.of(queue, patient).forEach(it -> it.schedule(later("before")));
        OutgoingMessage message = later("m");
        Node server = serverOf(message);
        Node replica = cluster.replicaOf(server);
        replica.pause();

        CompletableFuture<ScheduleResult> patientAnswer = patient.scheduleAsync(message);
        ReplicationTimeoutException few =
                catchThrowableOfType(ReplicationTimeoutException.class, () -> queue.schedule(message));
        assertThat(few.topic()).isEqualTo(TOPIC);
        assertThat(few.id()).isEqualTo("m");
        assertThat(few.replicas()).isZero();
        assertThat(few.required()).isEqualTo(1);
        elsewhere(server)
                .forEach(other -> assertThat(patient.schedule(other).outcome()).isEqualTo(SCHEDULED));
        assertThat(patientAnswer).isNotDone();
        assertThat(queue.find(TOPIC, "m")).isPresent();
        replica.resume();

        assertThat(patientAnswer).succeedsWithin(Duration.ofSeconds(25));
        soon().until(() -> outcome(queue, message) == SCHEDULED);
        assertThat(isAtReplica(message)).isTrue();
        assertThat(queue.stats(TOPIC).unaccounted()).isZero();
    }

    @Test
    void aBatchIsOneCommandMoreForReplicasAndOneForItsSlotAndNoneElsewhere() {
        DelayQueueClient queue = waiting(1, LONG);
        queue.schedule(ofSingle("first"));
        Node server = cluster.primaryOf("dq:{single:0}:meta");
        cluster.nodes().forEach(node -> node.redis().configResetstat());

        queue.scheduleAll(
                IntStream.range(0, 500).mapToObj(i -> ofSingle("m" + i)).toList());

        for (Node node : cluster.nodes()) {
            int calls = node == server ? 1 : 0;
            assertThat(callsOf(node, "wait")).isEqualTo(calls);
            assertThat(callsOf(node, "hexists")).isEqualTo(calls);
            assertThat(callsOf(node, "evalsha")).isEqualTo(calls);
        }
    }

    @Test
    void batchesForOneServerThatWaitAtTheSameTimeWaitTogether() {
        DelayQueueClient queue = waiting(1, Duration.ofSeconds(1));
        OutgoingMessage some = later("some");
        queue.schedule(some);
        Node server = serverOf(some);
        cluster.replicaOf(server).pause();
        server.redis().configResetstat();

        List<CompletableFuture<ScheduleResult>> answers = IntStream.range(0, 100)
                .mapToObj(i -> later("m" + i))
                .filter(message -> serverOf(message) == server)
                .map(queue::scheduleAsync)
                .toList();

        assertThat(answers)
                .allSatisfy(answer -> assertThat(answer)
                        .failsWithin(Duration.ofSeconds(25))
                        .withThrowableThat()
                        .withCauseInstanceOf(ReplicationTimeoutException.class));
        // each of its partitions sends the first message, then the others
        assertThat(callsOf(server, "wait")).isLessThanOrEqualTo(4);
        assertThat(callsOf(server, "evalsha")).isGreaterThan(5);
    }

    @Test
    void waitRepeatedOverANewConnectionProvesNothing() {
        DelayQueueClient queue = waiting(1, Duration.ofSeconds(5));
        OutgoingMessage message = later("m");
        Node server = serverOf(message);
        queue.schedule(message);
        cluster.replicaOf(server).pause();
        CompletableFuture<ScheduleResult> answer = queue.scheduleAsync(later("m"));
        soon().until(() -> waitsUnderWay(server) == 1);
        server.redis().clientKill(KillArgs.Builder.typeNormal().skipme());

        assertOutcomeIsUnknown(answer, "the connection to Redis broke");
    }

    @Test
    void slotThatMovedIsWaitedForAtItsNewServer() {
        DelayQueueClient queue = waiting(1, SHORT);
        OutgoingMessage before = later("m");
        queue.schedule(before);
        Node to = anotherThan(serverOf(before));
        OutgoingMessage after = samePartition(before);
        // the client does not know it yet
        cluster.moveSlotOf(keyOf(before), to, () -> {});

        queue.schedule(after);

        assertThat(serverOf(after)).isSameAs(to);
        assertThat(isAtReplica(after)).isTrue();
        cluster.replicaOf(to).pause();
        assertThatThrownBy(() -> queue.schedule(after)).isInstanceOf(ReplicationTimeoutException.class);
    }

    @Test
    void movingSlotIsWaitedForUntilItHasArrived() {
        DelayQueueClient queue = waiting(1, LONG);
        OutgoingMessage before = later("m");
        queue.schedule(before);
        Node to = anotherThan(serverOf(before));
        OutgoingMessage during = samePartition(before);
        List<CompletableFuture<ScheduleResult>> answers = new ArrayList<>();
        cluster.moveSlotOf(keyOf(before), to, () -> {
            answers.add(queue.scheduleAsync(during));
            await().during(Duration.ofMillis(500)).until(() -> !answers.get(0).isDone());
        });

        assertThat(answers.get(0)).succeedsWithin(Duration.ofSeconds(25));
        assertThat(serverOf(during)).isSameAs(to);
        assertThat(isAtReplica(during)).isTrue();
    }

    @Test
    void replicasOfAServerThatLostTheSlotProveNothing() {
        DelayQueueClient queue = waiting(1, LONG);
        OutgoingMessage message = later("m");
        queue.schedule(samePartition(message));
        Node from = serverOf(message);
        Node itsReplica = cluster.replicaOf(from);
        Node to = anotherThan(from);
        itsReplica.pause();
        CompletableFuture<ScheduleResult> answer = queue.scheduleAsync(message);
        soon().until(() -> waitsUnderWay(from) == 1);
        cluster.takeSlotOf(keyOf(message), to);
        itsReplica.resume();

        assertOutcomeIsUnknown(answer, "its keys went to another server");
        assertThat(queue.schedule(message).outcome()).isEqualTo(SCHEDULED);
        assertThat(isAtReplica(message)).isTrue();
        assertThat(queue.stats(TOPIC).totals().accepted()).isEqualTo(2);
    }

    @Test
    void failoverDuringTheWaitProvesNothing() {
        DelayQueueClient two = waiting(2, LONG);
        OutgoingMessage message = later("m");
        Node from = serverOf(message);
        Node replica = cluster.replicaOf(from);
        CompletableFuture<ScheduleResult> answer = two.scheduleAsync(message);
        soon().until(() -> waitsUnderWay(from) == 1);
        replica.redis().clusterFailover(false);

        assertOutcomeIsUnknown(answer, "");
        assertThat(serverOf(message)).isSameAs(replica);
        DelayQueueClient one = waiting(1, SHORT);
        soon().until(() -> outcome(one, message) == SCHEDULED);
        assertThat(one.stats(TOPIC).totals().accepted()).isEqualTo(1);
    }

    /** The process has no consumer, so that only the waiting call can notice it. */
    @Test
    void frozenServerIsLeftForTheReplicaThatTookOver() {
        DelayQueueClient queue =
                open(options -> options.waitForReplicas(1, SHORT).commandTimeout(Duration.ofSeconds(1)));
        OutgoingMessage message = later("m");
        Node frozen = serverOf(message);
        soon().until(() -> outcome(queue, message) == SCHEDULED);
        frozen.pause();

        // the new primary has the message, and no replica
        soon().until(() -> outcome(queue, samePartition(message)) instanceof ReplicationTimeoutException);
        frozen.resume();
        soon().until(() -> outcome(queue, message) == SCHEDULED);
    }

    @Test
    void killedPrimaryLosesNothingThatWasWaitedFor() {
        try (ClusterLoad load = new ClusterLoad(cluster, options -> options.waitForReplicas(1, SHORT))) {
            load.start();
            Node killed = cluster.primaryOf("dq:{" + ClusterLoad.TOPIC + ":0}:meta");
            Node replica = cluster.replicaOf(killed);
            killed.server().kill();
            soon().until(replica::isPrimary);
            killed.server().restart();
            cluster.awaitOk();

            load.awaitProgress();
            load.drain();
            load.assertNothingLost();
        }
    }

    private DelayQueueClient waiting(int count, Duration timeout) {
        return open(options -> options.waitForReplicas(count, timeout).commandTimeout(Duration.ofSeconds(10)));
    }

    private DelayQueueClient open(UnaryOperator<DelayQueueOptions.Builder> options) {
        DelayQueueClient queue = DelayQueueClient.create(
                client,
                options.apply(DelayQueueOptions.builder()
                                .shutdownTimeout(Duration.ofMillis(100))
                                .topic(
                                        TOPIC,
                                        TopicOptions.builder()
                                                .partitions(PARTITIONS)
                                                .build()))
                        .build());
        queues.add(queue);
        return queue;
    }

    private static OutgoingMessage later(String id) {
        return message(TOPIC, id);
    }

    private static OutgoingMessage ofSingle(String id) {
        return message("single", id);
    }

    private static OutgoingMessage message(String topic, String id) {
        return OutgoingMessage.to(topic)
                .id(id)
                .payload(new byte[] {1})
                .delay(Duration.ofHours(1))
                .build();
    }

    private static OutgoingMessage samePartition(OutgoingMessage message) {
        return IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> later("like-" + message.id() + i))
                .filter(other -> keyOf(other).equals(keyOf(message)))
                .findFirst()
                .orElseThrow();
    }

    /** A message for each of the other servers. */
    private static List<OutgoingMessage> elsewhere(Node server) {
        return IntStream.range(0, 100)
                .mapToObj(i -> later("other" + i))
                .filter(message -> serverOf(message) != server)
                .limit(10)
                .toList();
    }

    private static String keyOf(OutgoingMessage message) {
        int number = new io.delayqueue.internal.store.Partitioning(TOPIC, PARTITIONS, false, List.of())
                .of(message.id())
                .number();
        return "dq:{" + TOPIC + ":" + number + "}:messages";
    }

    private static Node serverOf(OutgoingMessage message) {
        return cluster.primaryOf(keyOf(message));
    }

    private static Node anotherThan(Node server) {
        return cluster.nodes().stream()
                .filter(node -> node != server && node.isPrimary())
                .findFirst()
                .orElseThrow();
    }

    private static boolean isAtReplica(OutgoingMessage message) {
        Node replica = cluster.replicaOf(serverOf(message));
        replica.redis().readOnly();
        return replica.redis().hexists(keyOf(message), message.id());
    }

    private static Object outcome(DelayQueueClient queue, OutgoingMessage message) {
        try {
            ScheduleOutcome outcome = queue.schedule(message).outcome();
            return outcome;
        } catch (DelayQueueException e) {
            return e;
        }
    }

    private static void assertOutcomeIsUnknown(CompletableFuture<ScheduleResult> answer, String why) {
        assertThat(answer)
                .failsWithin(25, TimeUnit.SECONDS)
                .withThrowableThat()
                .havingRootCause()
                .isInstanceOf(RedisUnavailableException.class)
                .withMessageContaining("was done, but " + why)
                .withMessageContaining("repeat it only with the same OutgoingMessage or an id of your own");
    }

    private static long callsOf(Node node, String command) {
        return node.redis()
                .info("commandstats")
                .lines()
                .filter(line -> line.startsWith("cmdstat_" + command + ":calls="))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^=]*=(\\d+),.*", "$1")))
                .sum();
    }

    private static long waitsUnderWay(Node node) {
        return node.redis()
                .clientList()
                .lines()
                .filter(line -> line.contains(" cmd=wait ") && line.matches(".* flags=\\S*b\\S* .*"))
                .count();
    }

    private static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(20));
    }
}
