package io.delayqueue.cluster;

import static io.delayqueue.ScheduleOutcome.SCHEDULED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.ReplicationTimeoutException;
import io.delayqueue.ScheduleResult;
import io.delayqueue.testsupport.TestCluster.Node;
import io.lettuce.core.KillArgs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Slots move, and servers change their roles or fail, while {@code schedule} waits for replicas. */
@Tag("slow")
class ClusterChangesDuringWaitsTests extends WaitsForReplicas {

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
        // a replica of a busy machine may take longer once
        soon().until(() -> outcome(queue, before) == SCHEDULED);
        Node to = anotherThan(serverOf(before));
        OutgoingMessage after = samePartition(before);
        // the client does not know it yet
        cluster.moveSlotOf(keyOf(before), to, () -> {});

        soon().until(() -> outcome(queue, after) == SCHEDULED);

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
            load.assertNothingLost(1);
        }
    }

    private static Node anotherThan(Node server) {
        return cluster.nodes().stream()
                .filter(node -> node != server && node.isPrimary())
                .findFirst()
                .orElseThrow();
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
}
