package io.delayqueue.replication;

import static io.delayqueue.ScheduleOutcome.KEPT;
import static io.delayqueue.ScheduleOutcome.SCHEDULED;
import static io.delayqueue.replication.Replicated.TOPIC;
import static io.delayqueue.replication.Replicated.await;
import static io.delayqueue.replication.Replicated.later;
import static io.delayqueue.replication.Replicated.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DuplicatePolicy;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.RedisFullException;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.ReplicationTimeoutException;
import io.delayqueue.ScheduleResult;
import io.delayqueue.TopicStats;
import io.delayqueue.WakeUp;
import io.delayqueue.testsupport.DocumentedUser;
import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** With {@code waitForReplicas}, {@code schedule} returns when replicas have the message. */
@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class WaitForReplicasTests {

    private static final Duration SHORT = Duration.ofMillis(300);
    private static final Duration LONG = Duration.ofSeconds(20);

    private Replicated servers;

    @BeforeAll
    void start() {
        servers = new Replicated();
    }

    @AfterAll
    void stop() throws Exception {
        servers.close();
    }

    @AfterEach
    void closeQueues() {
        servers.replica().resume();
        servers.closeQueues();
    }

    @BeforeEach
    void empty() {
        servers.admin(servers.primary()).flushall();
        servers.admin(servers.primary()).configResetstat();
    }

    @Test
    void messageIsAtTheReplicaWhenScheduleReturns() {
        DelayQueueClient queue = waiting(1, LONG);
        for (int i = 0; i < 50; i++) {
            queue.schedule(later("m" + i));

            assertThat(servers.admin(servers.replica()).hexists("dq:{orders:0}:messages", "m" + i))
                    .isTrue();
        }
    }

    @Test
    void tooFewReplicasIsAnErrorWithTopicAndIdAndTheMessageIsStored() {
        // long enough for the one replica to answer
        DelayQueueClient queue = waiting(2, Duration.ofSeconds(2));

        ReplicationTimeoutException few =
                catchThrowableOfType(ReplicationTimeoutException.class, () -> queue.schedule(later("m")));

        assertThat(few.topic()).isEqualTo(TOPIC);
        assertThat(few.id()).isEqualTo("m");
        assertThat(few.replicas()).isEqualTo(1);
        assertThat(few.required()).isEqualTo(2);
        assertThat(few).hasMessageContainingAll("'m'", "1 replicas", "the 2", "may exist", "repeat the call");
        assertThat(queue.find(TOPIC, "m")).isPresent();
    }

    @Test
    void repeatedCallWaitsLikeTheFirstOverAnyConnection() {
        OutgoingMessage message = later("m");
        servers.replica().pause();
        assertThatThrownBy(() -> waiting(1, SHORT).schedule(message)).isInstanceOf(ReplicationTimeoutException.class);
        // this connection has never written anything
        DelayQueueClient another = waiting(1, SHORT);
        assertThatThrownBy(() -> another.schedule(message)).isInstanceOf(ReplicationTimeoutException.class);
        assertThatThrownBy(() -> another.schedule(message)).isInstanceOf(ReplicationTimeoutException.class);
        servers.replica().resume();

        await().untilAsserted(() -> assertThat(outcome(another, message)).isEqualTo(SCHEDULED));
        TopicStats stats = another.stats(TOPIC);
        assertThat(stats.totals().accepted()).isEqualTo(1);
        assertThat(stats.unaccounted()).isZero();
    }

    @Test
    void duplicateThatIsKeptIsWaitedForToo() {
        servers.replica().pause();
        servers.queue(options -> options).schedule(later("m"));
        OutgoingMessage duplicate = message("m").ifExists(DuplicatePolicy.KEEP).build();
        DelayQueueClient queue = waiting(1, SHORT);
        assertThatThrownBy(() -> queue.schedule(duplicate)).isInstanceOf(ReplicationTimeoutException.class);
        servers.replica().resume();

        await().untilAsserted(() -> assertThat(outcome(queue, duplicate)).isEqualTo(KEPT));
    }

    @Test
    void waitRepeatedOverANewConnectionProvesNothing() {
        DelayQueueClient queue = waiting(1, Duration.ofSeconds(3));
        queue.schedule(later("before"));
        servers.replica().pause();
        CompletableFuture<ScheduleResult> answer = queue.scheduleAsync(later("m"));
        await().until(() -> blockedClients() == 1);
        // Lettuce reconnects and sends WAIT again: to the server that is a client that has written nothing
        servers.admin(servers.primary())
                .clientKill(KillArgs.Builder.typeNormal().skipme());

        assertThat(answer)
                .failsWithin(Duration.ofSeconds(25))
                .withThrowableThat()
                .havingRootCause()
                .isInstanceOf(RedisUnavailableException.class)
                .withMessageContaining("repeat it only with the same OutgoingMessage or an id of your own");
    }

    @Test
    void batchIsWaitedForOnce() {
        waiting(1, LONG)
                .scheduleAll(
                        IntStream.range(0, 500).mapToObj(i -> later("m" + i)).toList());

        assertThat(servers.callsOf(servers.primary(), "wait")).isEqualTo(1);
    }

    @Test
    void topicsThatWaitAtTheSameTimeWaitTogether() {
        DelayQueueClient queue = waiting(1, Duration.ofSeconds(1));
        servers.replica().pause();
        List<CompletableFuture<ScheduleResult>> answers = IntStream.range(0, 20)
                .mapToObj(i -> queue.scheduleAsync(OutgoingMessage.to("topic" + i)
                        .payload(new byte[1])
                        .delay(Duration.ofHours(1))
                        .build()))
                .toList();

        assertThat(answers)
                .allSatisfy(answer -> assertThat(causeOf(answer)).isInstanceOf(ReplicationTimeoutException.class));
        assertThat(servers.callsOf(servers.primary(), "wait")).isLessThanOrEqualTo(3);
    }

    @Test
    void callsThatDoNotWaitAreNotDelayed() throws Exception {
        DelayQueueClient queue = waiting(1, LONG);
        CountDownLatch handled = new CountDownLatch(1);
        queue.subscribe(TOPIC, ConsumerOptions.defaults(), (message, delivery) -> handled.countDown())
                .start();
        servers.replica().pause();
        CompletableFuture<ScheduleResult> answer =
                queue.scheduleAsync(message("due").build());

        assertThat(handled.await(10, TimeUnit.SECONDS)).isTrue();
        await().until(() -> queue.stats(TOPIC).totals().acked() == 1);
        assertThat(queue.find(TOPIC, "due")).isEmpty();
        assertThat(answer).isNotDone();
        servers.replica().resume();
        assertThat(answer).succeedsWithin(Duration.ofSeconds(25));
    }

    @Test
    void messageWithTooFewReplicasWakesItsOwnProcessInPollMode() throws Exception {
        DelayQueueClient queue = servers.queue(
                options -> options.waitForReplicas(2, SHORT).wakeUp(WakeUp.POLL).guardInterval(Duration.ofHours(1)));
        CountDownLatch handled = new CountDownLatch(1);
        queue.subscribe(TOPIC, ConsumerOptions.defaults(), (message, delivery) -> handled.countDown())
                .start();
        await().until(() -> servers.callsOf(servers.primary(), "evalsha") > 0);

        assertThatThrownBy(() -> queue.schedule(message("due").build()))
                .isInstanceOf(ReplicationTimeoutException.class);
        assertThat(handled.await(25, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void refusalsOfRedisAreReportedAsWithoutWaiting() {
        DelayQueueClient queue = waiting(1, LONG);
        queue.schedule(later("m"));
        servers.admin(servers.primary()).configSet("maxmemory", "1");
        try {
            assertThatThrownBy(() -> queue.schedule(later("n"))).isInstanceOf(RedisFullException.class);
            // it is stored: no reason to refuse
            OutgoingMessage kept = message("m").ifExists(DuplicatePolicy.KEEP).build();
            assertThat(outcome(queue, kept)).isEqualTo(KEPT);
        } finally {
            servers.admin(servers.primary()).configSet("maxmemory", "0");
        }
    }

    @Test
    void theClientsOwnShorterTimeoutDoesNotCutTheWaitShort() {
        RedisClient client = servers.client(DocumentedUser.uri(servers.primary().uri()) + "?timeout=1500ms");
        client.setOptions(
                ClientOptions.builder().timeoutOptions(TimeoutOptions.enabled()).build());
        DelayQueueClient queue = servers.queue(client, options -> options.waitForReplicas(1, Duration.ofSeconds(3)));
        servers.replica().pause();

        assertThatThrownBy(() -> queue.schedule(later("m"))).isInstanceOf(ReplicationTimeoutException.class);
    }

    @Test
    void schedulingAtAReplicaIsRefusedEvenForAStoredMessage() {
        DelayQueueClient queue = servers.queue(
                servers.client(DocumentedUser.uri(servers.replica().uri())),
                options -> options.waitForReplicas(1, SHORT));
        OutgoingMessage message = later("m");
        waiting(1, LONG).schedule(message);

        assertThatThrownBy(() -> queue.schedule(message))
                .isInstanceOf(RedisUnavailableException.class)
                .hasMessageContaining("READONLY");
    }

    @Test
    void queueWithoutTheOptionNeitherWaitsNorOpensAConnectionForIt() {
        long before = connections();
        DelayQueueClient queue = servers.queue(options -> options);
        servers.replica().pause();
        queue.schedule(later("m"));

        assertThat(servers.callsOf(servers.primary(), "wait")).isZero();
        assertThat(connections() - before).isEqualTo(1);
    }

    @Test
    void missingPermissionToWaitIsNamed() {
        servers.admin(servers.primary())
                .aclSetuser(
                        "app",
                        AclSetuserArgs.Builder.on()
                                .addPassword("pw")
                                .allKeys()
                                .allChannels()
                                .allCommands()
                                .removeCommand(CommandType.WAIT));
        String uri = servers.primary().uri().replace("redis://", "redis://app:pw@");
        assertThat(servers.queue(servers.client(uri), options -> options.waitForReplicas(1, SHORT))
                        .inspectServers()
                        .get(0)
                        .missingPermissions())
                .containsExactly("wait");
        assertThat(servers.queue(servers.client(uri), options -> options)
                        .inspectServers()
                        .get(0)
                        .missingPermissions())
                .isEmpty();
    }

    private DelayQueueClient waiting(int count, Duration timeout) {
        return servers.queue(options -> options.waitForReplicas(count, timeout).commandTimeout(Duration.ofSeconds(10)));
    }

    private static Object outcome(DelayQueueClient queue, OutgoingMessage message) {
        try {
            return queue.schedule(message).outcome();
        } catch (ReplicationTimeoutException e) {
            return e;
        }
    }

    private static Throwable causeOf(CompletableFuture<?> answer) {
        Throwable error = catchThrowable(answer::join);
        assertThat(error).isInstanceOf(CompletionException.class);
        return error.getCause();
    }

    private long blockedClients() {
        return Long.parseLong(servers.info(servers.primary(), "blocked_clients"));
    }

    private long connections() {
        return Arrays.stream(servers.admin(servers.primary()).clientList().split("\n"))
                .count();
    }
}
