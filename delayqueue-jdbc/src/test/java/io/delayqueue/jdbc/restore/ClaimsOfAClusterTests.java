package io.delayqueue.jdbc.restore;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.TopicOptions;
import io.delayqueue.jdbc.support.JournalDatabase;
import io.delayqueue.jdbc.support.JournalTables;
import io.delayqueue.jdbc.testsupport.RedisCluster;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.test.EmbeddedRedis;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.slf4j.LoggerFactory;

/** Claims wait for the server of their own partition, and for no other one. */
class ClaimsOfAClusterTests {

    private static final String TOPIC = "orders";
    private static final int PARTITIONS = 30;
    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(10);

    private static RedisCluster cluster;

    private final RedisClusterClient lettuce = cluster.client();
    private final DelayQueueClient client = DelayQueueClient.create(
            lettuce,
            DelayQueueOptions.builder()
                    .commandTimeout(COMMAND_TIMEOUT)
                    .topic(TOPIC, TopicOptions.builder().partitions(PARTITIONS).build())
                    .build());
    private final EmbeddedRedis silent = cluster.serverOf(key(TOPIC, 0));

    @BeforeAll
    static void startCluster() {
        cluster = RedisCluster.start();
    }

    @AfterAll
    static void stopCluster() {
        cluster.close();
    }

    @AfterEach
    void close() {
        silent.resume();
        client.close();
        lettuce.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    }

    @EachDatabase(DatabaseKind.H2)
    void aSilentServerHoldsTheClaimsOfItsOwnPartitions(TestDatabase database) {
        JournalClaimGate gate = gateThatWaitsFor(database, Duration.ofHours(1));
        client.survey(TOPIC).marks();
        silent.pause();
        List<CompletableFuture<Void>> its = held(gate, TOPIC, cluster.numbers(5, silent, true, "dq:{orders:", "}"));
        List<CompletableFuture<Void>> others = held(gate, TOPIC, cluster.numbers(5, silent, false, "dq:{orders:", "}"));

        RestoreFixture.await().until(() -> others.stream().allMatch(CompletableFuture::isDone));
        assertThat(its).noneMatch(CompletableFuture::isDone);
        silent.resume();
        RestoreFixture.await().until(() -> its.stream().allMatch(CompletableFuture::isDone));
        RestoreFixture.await().until(() -> gate.waiting() == 0);
        gate.close();
    }

    /** One after the other, with four threads, they would take five minutes. */
    @EachDatabase(DatabaseKind.H2)
    void topicsOfASilentServerHoldUpNoOtherTopic(TestDatabase database) {
        JournalClaimGate gate = gateThatWaitsFor(database, Duration.ofHours(1));
        client.survey(TOPIC).marks();
        silent.pause();
        cluster.numbers(120, silent, true, "dq:{t", ":0}").forEach(number -> held(gate, "t" + number, List.of(0)));
        long began = System.nanoTime();
        int other = cluster.numbers(1, silent, false, "dq:{t", ":0}").get(0);
        List<CompletableFuture<Void>> others = held(gate, "t" + other, List.of(0));

        RestoreFixture.await().until(() -> others.get(0).isDone());
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(20));
        gate.close();
        assertThat(gate.waiting()).isZero();
    }

    @EachDatabase(DatabaseKind.H2)
    void partitionsThatAreClaimedWithoutALookShareALineInTheLog(TestDatabase database) {
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        Logger logger = (Logger) LoggerFactory.getLogger("io.delayqueue.jdbc");
        logger.setLevel(Level.INFO);
        logger.setAdditive(false);
        logger.addAppender(log);
        JournalClaimGate gate = gateThatWaitsFor(database, Duration.ofMillis(500));
        client.survey(TOPIC).marks();
        silent.pause();
        List<Integer> partitions = cluster.numbers(5, silent, true, "dq:{orders:", "}");
        List<CompletableFuture<Void>> its = held(gate, TOPIC, partitions);
        RestoreFixture.await().until(() -> its.stream().allMatch(CompletableFuture::isDone));
        // one thread opens them in turn, and logs behind each
        List<CompletableFuture<Void>> last = held(gate, TOPIC, partitions.subList(0, 1));
        RestoreFixture.await().until(() -> last.get(0).isDone());

        logger.detachAppender(log);
        logger.setAdditive(true);
        logger.setLevel(null);
        assertThat(log.list.stream().map(ILoggingEvent::getFormattedMessage))
                .filteredOn(line -> line.contains("is claimed without a check"))
                .hasSize(1);
        gate.close();
    }

    private static List<CompletableFuture<Void>> held(JournalClaimGate gate, String topic, List<Integer> partitions) {
        return partitions.stream()
                .map(partition -> gate.beforeClaims(topic, partition).toCompletableFuture())
                .toList();
    }

    private JournalClaimGate gateThatWaitsFor(TestDatabase database, Duration checkTimeout) {
        RestoreSettings settings = new RestoreSettings(
                RestoreMode.AUTOMATIC,
                100,
                Duration.ofHours(1),
                Duration.ZERO,
                Duration.ofHours(2),
                checkTimeout,
                Duration.ZERO);
        JournalDatabase journal = new JournalDatabase(
                database.withSchema().dataSource(), new JournalTables(JournalTables.DEFAULT_PREFIX));
        SeenMarks seen = new SeenMarks(journal, "here");
        JournalRestore restore = new JournalRestore(client, journal, seen, () -> () -> true, settings, event -> {});
        return new JournalClaimGate(() -> restore, () -> null, settings);
    }

    private static String key(String topic, int partition) {
        return "dq:{" + topic + ":" + partition + "}";
    }
}
