package io.delayqueue.replication;

import static io.delayqueue.replication.Replicated.TOPIC;
import static io.delayqueue.replication.Replicated.assertAccounted;
import static io.delayqueue.replication.Replicated.await;
import static io.delayqueue.replication.Replicated.later;
import static io.delayqueue.replication.Replicated.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueException;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.ReplicationTimeoutException;
import io.delayqueue.ScheduleResult;
import io.delayqueue.TopicStats;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedSentinel;
import io.delayqueue.testsupport.DocumentedUser;
import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.sentinel.api.sync.RedisSentinelCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A Sentinel promotes the replica, under load; clients get no notice. */
@Tag("slow")
class FailoverTests {

    private static final Logger log = LoggerFactory.getLogger(FailoverTests.class);

    private static final Duration RESUMED = Duration.ofSeconds(30);
    /** A Sentinel looks at servers every ten seconds, and makes sure before it demotes one that came back. */
    private static final Duration REPAIRED = Duration.ofSeconds(60);

    private Replicated servers;
    private RedisClient client;
    private RedisSentinelCommands<String, String> sentinel;
    private String uri;

    @BeforeEach
    void start() {
        servers = new Replicated();
        EmbeddedSentinel watching = servers.opened(EmbeddedSentinel.watching(servers.primary()));
        uri = DocumentedUser.uri(watching.uri());
        client = servers.client(uri);
        sentinel = client.connectSentinel().sync();
        awaitReplicaKnown();
    }

    @AfterEach
    void stop() throws Exception {
        servers.close();
    }

    @Test
    void deliveryResumesAndNothingThatAReplicaHadIsLost() throws Exception {
        Set<String> accepted = ConcurrentHashMap.newKeySet();
        Map<String, AtomicInteger> handled = new ConcurrentHashMap<>();
        try (Application application = new Application("here", client, line -> note(line, accepted, handled));
                ChildApplication child = new ChildApplication(uri, line -> note(line, accepted, handled))) {
            awaitFromBoth(accepted, 0);

            long killed = System.currentTimeMillis();
            servers.primary().kill();
            awaitHandledOf(handled, killed, "kill -9 of the primary");

            // it restarts as an empty primary, and the Sentinel makes it a replica
            servers.primary().restart();
            servers.awaitInfo(servers.primary(), "master_link_status", "up", REPAIRED);
            awaitFromBoth(accepted, System.currentTimeMillis());

            failOver();
            servers.awaitInfo(servers.primary(), "role", "master", REPAIRED);
            long promoted = System.currentTimeMillis();
            awaitHandledOf(handled, promoted, "the promotion by SENTINEL FAILOVER");
            servers.awaitInfo(servers.replica(), "master_link_status", "up", REPAIRED);
            awaitFromBoth(accepted, System.currentTimeMillis());

            application.stopProducing();
            child.stopProducing();
            DelayQueueClient queue = application.queue();
            await().ignoreExceptionsInstanceOf(RedisUnavailableException.class).untilAsserted(() -> {
                TopicStats stats = queue.stats(TOPIC);
                assertThat(stats.pending().total() + stats.inFlight())
                        .as("%s", stats)
                        .isZero();
            });
            assertThat(child.isAlive()).isTrue();
            Set<String> lost = new HashSet<>(accepted);
            lost.removeAll(handled.keySet());
            assertThat(lost).as("lost of %d", accepted.size()).isEmpty();
            TopicStats stats = queue.stats(TOPIC);
            assertAccounted(queue);
            assertThat(stats.dead()
                            + stats.totals().expired()
                            + stats.totals().purged()
                            + stats.totals().cancelled())
                    .isZero();
            assertThat(stats.totals().acked()).isEqualTo(stats.totals().accepted());
            log.info(
                    "{} accepted, {} handled, {} of them more than once",
                    accepted.size(),
                    handled.size(),
                    handled.values().stream().filter(times -> times.get() > 1).count());
        }
    }

    @Test
    void messagesThatNoReplicaHadAreLostUnlessWaitedFor() throws Exception {
        DelayQueueClient hasty = servers.queue(client, options -> options.commandTimeout(Duration.ofSeconds(5)));
        DelayQueueClient careful = servers.queue(
                client,
                options -> options.commandTimeout(Duration.ofSeconds(5)).waitForReplicas(1, Duration.ofMillis(200)));
        OutgoingMessage replicated = later("replicated");
        await().ignoreExceptionsInstanceOf(DelayQueueException.class).until(() -> careful.schedule(replicated) != null);
        await().ignoreExceptionsInstanceOf(DelayQueueException.class).until(() -> hasty.topics() != null);
        stopReplication();
        List<ScheduleResult> acknowledged = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            acknowledged.add(hasty.schedule(later("lost" + i)));
        }
        OutgoingMessage refused = later("refused");
        assertThatThrownBy(() -> careful.schedule(refused))
                .isInstanceOfSatisfying(
                        ReplicationTimeoutException.class,
                        few -> assertThat(few.replicas()).isZero());
        assertThat(hasty.stats(TOPIC).totals().accepted()).isEqualTo(12);

        servers.primary().kill();
        servers.awaitInfo(servers.replica(), "role", "master", REPAIRED);
        await().ignoreExceptionsInstanceOf(DelayQueueException.class)
                .until(() -> hasty.stats(TOPIC).totals().accepted() == 1);

        assertThat(acknowledged)
                .hasSize(10)
                .allSatisfy(result -> assertThat(hasty.find(TOPIC, result.id()))
                        .as("acknowledged, and lost with the old primary")
                        .isEmpty());
        assertThat(hasty.find(TOPIC, "replicated")).isPresent();
        assertAccounted(hasty);
        // the caller repeats the refused call: without a replica the new primary can't satisfy it, but stores the
        // message
        await().ignoreExceptionsInstanceOf(RedisUnavailableException.class)
                .untilAsserted(() -> assertThatThrownBy(() -> careful.schedule(refused))
                        .isInstanceOf(ReplicationTimeoutException.class));
        assertThat(hasty.find(TOPIC, "refused")).isPresent();
        // and the topic is not stuck
        hasty.subscribe(TOPIC, ConsumerOptions.defaults(), (message, delivery) -> {})
                .start();
        await().until(() -> schedule(hasty, message("new").build()));
        await().until(() -> hasty.stats(TOPIC).totals().acked() == 1);
        assertThat(hasty.stats(TOPIC).totals().accepted()).isEqualTo(3);
        assertAccounted(hasty);
    }

    private static boolean schedule(DelayQueueClient queue, OutgoingMessage message) {
        try {
            queue.schedule(message);
            return true;
        } catch (RedisUnavailableException e) {
            return false;
        }
    }

    private void stopReplication() {
        EmbeddedRedis primary = servers.primary();
        CommandArgs<String, String> noReplicas = new CommandArgs<>(StringCodec.UTF8)
                .add("SETUSER")
                .add("default")
                .add("-psync")
                .add("-sync");
        servers.admin(primary).dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), noReplicas);
        servers.admin(primary).clientKill(KillArgs.Builder.typeSlave());
        servers.awaitInfo(primary, "connected_slaves", "0", REPAIRED);
    }

    private void failOver() {
        awaitReplicaKnown();
        await().atMost(REPAIRED).until(() -> {
            try {
                sentinel.failover(EmbeddedSentinel.MASTER_NAME);
                return true;
            } catch (RedisCommandExecutionException notYet) {
                return false;
            }
        });
    }

    private void awaitReplicaKnown() {
        await().atMost(REPAIRED)
                .until(() -> sentinel.slaves(EmbeddedSentinel.MASTER_NAME).stream()
                        .anyMatch(replica -> "slave".equals(replica.get("flags"))
                                && "ok".equals(replica.get("master-link-status"))));
    }

    private static void note(String line, Set<String> accepted, Map<String, AtomicInteger> handled) {
        String id = line.substring(line.indexOf(' ') + 1);
        if (line.startsWith("accepted ")) {
            accepted.add(id);
        } else if (line.startsWith("handled ")) {
            handled.computeIfAbsent(id, any -> new AtomicInteger()).incrementAndGet();
        }
    }

    /** Waits until each application has ten acknowledged messages that were first sent after this time. */
    private static void awaitFromBoth(Set<String> accepted, long millis) {
        for (String application : List.of("-here-", "-child-")) {
            await().until(() -> accepted.stream()
                            .filter(id -> id.contains(application) && time(id) > millis)
                            .count()
                    > 10);
        }
    }

    private static void awaitHandledOf(Map<String, AtomicInteger> handled, long begun, String fault) {
        await().atMost(RESUMED)
                .until(() -> handled.keySet().stream().anyMatch(id -> id.contains("-here-") && time(id) > begun)
                        && handled.keySet().stream().anyMatch(id -> id.contains("-child-") && time(id) > begun));
        log.info("delivery resumed {} ms after {}", System.currentTimeMillis() - begun, fault);
    }

    private static long time(String id) {
        return Long.parseLong(id.substring(0, id.indexOf('-')));
    }
}
