package io.delayqueue.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.testsupport.PlayedTime;
import io.delayqueue.testsupport.TestCluster;
import io.delayqueue.testsupport.TestCluster.Node;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Slots and roles move under load: no message that a surviving primary acknowledged is lost; delivery resumes in 30 s. */
@Tag("slow")
class ClusterChangesTests {

    private TestCluster cluster;
    private ClusterLoad load;

    @BeforeEach
    void start() {
        cluster = TestCluster.start(3, true);
        load = new ClusterLoad(cluster);
        load.start();
    }

    @AfterEach
    void stop() {
        try {
            load.close();
            cluster.assertNothingDenied();
        } finally {
            cluster.close();
        }
    }

    @Test
    void slotsMigrateKeyByKey() {
        for (int number = 0; number < ClusterLoad.PARTITIONS; number++) {
            String key = key(number);
            Node from = cluster.primaryOf(key);
            Node to = cluster.nodes().stream()
                    .filter(node -> node != from && node.isPrimary())
                    .findFirst()
                    .orElseThrow();
            // long enough for every loop to be redirected
            cluster.moveSlotOf(key, to, () -> PlayedTime.pass(Duration.ofMillis(700)));
            load.awaitProgress();
        }
        load.drain();
        load.assertNothingLost(ClusterLoad.PARTITIONS);
        assertThat(cluster.errors("ASK")).as("redirections met on the way").isPositive();
    }

    @Test
    void replicaTakesOverByCommand() {
        for (Node primary : primaries()) {
            Node replica = cluster.replicaOf(primary);
            replica.redis().clusterFailover(false);
            await().atMost(Duration.ofSeconds(30)).until(replica::isPrimary);
            load.awaitProgress();
        }
        load.drain();
        load.assertNothingLost(3);
    }

    @Test
    void primaryIsKilled() {
        Node primary = cluster.primaryOf(key(0));
        List<Integer> onIt = IntStream.range(0, ClusterLoad.PARTITIONS)
                .filter(number -> cluster.primaryOf(key(number)) == primary)
                .boxed()
                .toList();
        Node replica = cluster.replicaOf(primary);
        primary.server().kill();

        load.awaitProgress();

        assertThat(replica.isPrimary()).isTrue();
        primary.server().restart();
        cluster.awaitOk();
        load.awaitProgress();
        load.drain();
        // messages that the killed primary had not replicated may be lost
        assertThat(load.lost()).allMatch(id -> onIt.contains(ClusterLoad.partitionOf(id)));
        assertThat(load.lost()).hasSizeLessThan(50);
        // and acks that it had not replicated are lost, too
        load.assertFewDuplicates(1);
        assertThat(load.deliveredTwice()).allMatch(id -> onIt.contains(ClusterLoad.partitionOf(id)));
        assertThat(load.queue().stats(ClusterLoad.TOPIC).unaccounted()).isZero();
    }

    @Test
    void serverLeaves() {
        Node leaving = cluster.primaryOf(key(0));
        Node itsReplica = cluster.replicaOf(leaving);
        Node to =
                primaries().stream().filter(node -> node != leaving).findFirst().orElseThrow();
        IntStream.range(0, ClusterLoad.PARTITIONS)
                .mapToObj(ClusterChangesTests::key)
                .filter(key -> cluster.primaryOf(key) == leaving)
                .forEach(key -> cluster.moveSlotOf(key, to, () -> {}));
        cluster.moveAllSlots(leaving, to);
        // newer servers do this by themselves
        itsReplica.redis().clusterReplicate(to.id());
        String id = leaving.id();
        cluster.nodes().stream()
                .filter(node -> node != leaving)
                .forEach(node -> node.redis().clusterForget(id));
        leaving.server().kill();

        load.awaitProgress();
        load.drain();
        load.assertNothingLost(ClusterLoad.PARTITIONS);
    }

    /** Its replica takes over after a while; the partitions of other servers do not wait for that. */
    @Test
    void frozenServerDelaysItsOwnPartitionsOnly() {
        Node frozen = cluster.primaryOf(key(0));
        Set<Integer> others = IntStream.range(0, ClusterLoad.PARTITIONS)
                .filter(number -> cluster.primaryOf(key(number)) != frozen)
                .boxed()
                .collect(Collectors.toSet());
        frozen.pause();
        try {
            load.awaitProgressOf(others, Duration.ofSeconds(10));
            load.awaitProgress();
        } finally {
            frozen.resume();
        }
        load.awaitProgress();
        load.drain();
        assertThat(load.queue().stats(ClusterLoad.TOPIC).unaccounted()).isZero();
        load.assertFewDuplicates(1);
        // what the frozen primary had not replicated may be lost, messages and acks, but nothing of another server
        assertThat(load.lost()).noneMatch(id -> others.contains(ClusterLoad.partitionOf(id)));
        assertThat(load.deliveredTwice()).noneMatch(id -> others.contains(ClusterLoad.partitionOf(id)));
        assertThat(load.leasesEnded()).noneMatch(id -> others.contains(ClusterLoad.partitionOf(id)));
    }

    private List<Node> primaries() {
        return cluster.nodes().stream().filter(Node::isPrimary).toList();
    }

    private static String key(int number) {
        return "dq:{" + ClusterLoad.TOPIC + ":" + number + "}:meta";
    }
}
