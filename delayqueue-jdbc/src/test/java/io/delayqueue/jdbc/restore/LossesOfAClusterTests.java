package io.delayqueue.jdbc.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.Outbox;
import io.delayqueue.OutboxOperation;
import io.delayqueue.OutboxOptions;
import io.delayqueue.OutboxReply;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.TopicOptions;
import io.delayqueue.jdbc.support.JournalDatabase;
import io.delayqueue.jdbc.support.JournalTables;
import io.delayqueue.jdbc.support.JournalTransaction;
import io.delayqueue.jdbc.testsupport.RedisCluster;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.test.EmbeddedRedis;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;

/** One server of a Cluster is silent, and another one lost the keys of a partition. */
@Tag("slow")
class LossesOfAClusterTests {

    private static final String TOPIC = "orders";
    private static final int PARTITIONS = 6;

    private final RedisCluster cluster = RedisCluster.start();
    private final RedisClusterClient lettuce = cluster.client();
    private final DelayQueueClient client = DelayQueueClient.create(
            lettuce,
            DelayQueueOptions.builder()
                    .commandTimeout(Duration.ofSeconds(5))
                    .topic(TOPIC, TopicOptions.builder().partitions(PARTITIONS).build())
                    .build());

    /** It has the first partition, which tells the number of partitions. */
    private final EmbeddedRedis silent = cluster.serverOf(key(0, "meta"));

    private final int lost =
            cluster.numbers(1, silent, false, "dq:{orders:", "}").get(0);
    private final Queue<Object> events = new ConcurrentLinkedQueue<>();

    @AfterEach
    void close() {
        silent.resume();
        client.close();
        lettuce.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        cluster.close();
    }

    private static String key(int partition, String name) {
        return "dq:{" + TOPIC + ":" + partition + "}:" + name;
    }

    @EachDatabase(DatabaseKind.H2)
    void aSilentServerHidesNoLossOfAnotherOne(TestDatabase database) throws Exception {
        JournalDatabase journal = new JournalDatabase(
                database.withSchema().dataSource(), new JournalTables(JournalTables.DEFAULT_PREFIX));
        SeenMarks seen = new SeenMarks(journal, "here");
        JournalRestore restore =
                new JournalRestore(client, journal, seen, PendingEnds.NONE, RestoreFixture.SETTINGS, events::add);
        // to connect to all servers may take longer than a command
        RestoreFixture.await()
                .ignoreExceptions()
                .untilAsserted(() -> client.survey(TOPIC).marks());
        OutboxReply reply = send();
        new JournalTransaction(journal.dataSource(), journal.dialect()).run(() -> {
            assertThat(seen.doubtful(reply.marks())).isEmpty();
            seen.writeSent(reply.marks());
        });
        assertThat(restore.check(TOPIC)).isFalse();
        lettuce.connect().sync().del(key(lost, "meta"));
        silent.pause();

        assertThat(restore.check(TOPIC)).isTrue();

        assertThat(events).containsExactly(new RedisLossDetectedEvent(TOPIC, lost, Loss.EMPTY));
        assertThat(held(restore)).as("claims of the lost partition").isTrue();
        restore.removeRevived(TOPIC, () -> false);
        assertThat(held(restore)).as("claims of the lost partition").isFalse();
        silent.resume();
        RestoreFixture.await().ignoreExceptions().until(() -> {
            restore.refill(TOPIC, () -> false);
            return restore.losses().isEmpty();
        });
        assertThat(events).hasSize(2);
    }

    private OutboxReply send() throws Exception {
        Outbox outbox = client.outbox(OutboxOptions.DEFAULTS);
        List<OutboxOperation> operations = IntStream.range(0, 100)
                .<OutboxOperation>mapToObj(i -> new OutboxOperation.Schedule(OutgoingMessage.to(TOPIC)
                        .id("m" + i)
                        .payload(new byte[1])
                        .delay(Duration.ofHours(1))
                        .build()))
                .toList();
        // the first changes of a partition only begin an epoch
        outbox.send(operations, outbox.timeMicros().get(20, TimeUnit.SECONDS)).get(20, TimeUnit.SECONDS);
        return outbox.send(operations, outbox.timeMicros().get(20, TimeUnit.SECONDS))
                .get(20, TimeUnit.SECONDS);
    }

    private boolean held(JournalRestore restore) throws Exception {
        return restore.holdsClaims(TOPIC, Set.of(lost))
                .get(lost)
                .toCompletableFuture()
                .get(20, TimeUnit.SECONDS);
    }
}
