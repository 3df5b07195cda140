package io.delayqueue.cluster;

import static io.delayqueue.ScheduleOutcome.SCHEDULED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.ReplicationTimeoutException;
import io.delayqueue.ScheduleResult;
import io.delayqueue.testsupport.TestCluster.Node;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** With {@code waitForReplicas}, {@code schedule} returns when replicas of the server that stores the message have it. */
@Tag("slow")
class ClusterWaitForReplicasTests extends WaitsForReplicas {

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
        OutgoingMessage before = later("before");
        // a replica of a busy machine may take longer once
        List.of(queue, patient).forEach(it -> soon().until(() -> outcome(it, before) == SCHEDULED));
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

    private static OutgoingMessage ofSingle(String id) {
        return message("single", id);
    }

    /** A message for each of the other servers. */
    private static List<OutgoingMessage> elsewhere(Node server) {
        return IntStream.range(0, 100)
                .mapToObj(i -> later("other" + i))
                .filter(message -> serverOf(message) != server)
                .limit(10)
                .toList();
    }

    private static long callsOf(Node node, String command) {
        return node.redis()
                .info("commandstats")
                .lines()
                .filter(line -> line.startsWith("cmdstat_" + command + ":calls="))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^=]*=(\\d+),.*", "$1")))
                .sum();
    }
}
