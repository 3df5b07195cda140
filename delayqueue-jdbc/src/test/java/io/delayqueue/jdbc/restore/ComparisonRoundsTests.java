package io.delayqueue.jdbc.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.test.EmbeddedRedis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;

/** A comparison that ended before it was done does not make its topic wait for the next round. */
class ComparisonRoundsTests {

    private static final Duration INTERVAL = Duration.ofHours(1);
    private static final int EACH = 5;
    private static final List<String> TOPICS = IntStream.range(0, 20)
            .mapToObj(i -> String.format(Locale.ROOT, "topic-%02d", i))
            .toList();
    private static final List<String> OTHERS = TOPICS.subList(0, 6);

    private final EmbeddedRedis server = EmbeddedRedis.start();

    @AfterEach
    void close() {
        server.close();
    }

    @EachDatabase(DatabaseKind.H2)
    void aRoundEndsWhenAllItsTopicsWereCompared(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            NextComparison next = here.restore.nextComparison();
            next.begin(Duration.ZERO);
            ComparisonRounds rounds = new ComparisonRounds(() -> TOPICS, next, INTERVAL, Duration.ZERO);
            for (String topic : TOPICS) {
                assertThat(rounds.nextTopic()).isEqualTo(topic);
                if (topic.equals("topic-07") || topic.equals("topic-13")) {
                    rounds.endedEarly(topic);
                }
            }

            assertThat(rounds.nextTopic()).isEqualTo("topic-07");
            rounds.endedEarly("topic-07");
            assertThat(rounds.nextTopic()).isEqualTo("topic-13");
            assertThat(rounds.nextTopic()).isEqualTo("topic-07");
            // a process that starts now compares at once
            assertThat(next.left(INTERVAL)).isZero();

            assertThat(rounds.nextTopic()).isNull();
            assertThat(next.left(INTERVAL)).isPositive();
        }
    }

    /** Its loss may wait for somebody for days. */
    @EachDatabase(DatabaseKind.H2)
    void aTopicThatIsNeverDoneDelaysNoRound(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            NextComparison next = here.restore.nextComparison();
            next.begin(Duration.ZERO);
            ComparisonRounds rounds =
                    new ComparisonRounds(() -> TOPICS, next, Duration.ofMillis(1), Duration.ofNanos(1));
            List<String> sound =
                    TOPICS.stream().filter(topic -> !topic.equals("topic-13")).toList();
            List<String> compared = new ArrayList<>();
            long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
            while (compared.size() < 3 * sound.size() && System.nanoTime() - deadline < 0) {
                String topic = rounds.nextTopic();
                if ("topic-13".equals(topic)) {
                    rounds.endedEarly(topic);
                } else if (topic != null) {
                    compared.add(topic);
                }
            }

            assertThat(compared)
                    .isEqualTo(Stream.generate(() -> sound)
                            .limit(3)
                            .flatMap(List::stream)
                            .toList());
        }
    }

    /** A process that stands still is like a killed one to others: it does not give its leases back. */
    @EachDatabase({DatabaseKind.H2, DatabaseKind.POSTGRESQL})
    void anotherInstanceComparesATopicWhoseComparisonWasKilled(TestDatabase database) throws Exception {
        DataSource dataSource = database.withSchema().dataSource();
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        try (RestoreFixture killed = instance(dataSource, "killed");
                RestoreFixture here = instance(dataSource, "here")) {
            here.schedule("a", EACH, Duration.ofHours(2));
            OTHERS.forEach(here::copyTo);
            here.relay.start();
            here.awaitSent();
            here.redis().del("dq:{orders:0}:messages", "dq:{orders:0}:scheduled");
            OTHERS.forEach(
                    topic -> here.redis().del("dq:{" + topic + ":0}:messages", "dq:{" + topic + ":0}:scheduled"));
            Thread comparison = new Thread(() -> killed.restore.compare(RestoreFixture.TOPIC, () -> {
                begun.countDown();
                return hasEnded(mayEnd);
            }));
            comparison.setUncaughtExceptionHandler((thread, ended) -> {});
            comparison.start();
            try {
                assertThat(begun.await(1, TimeUnit.MINUTES)).isTrue();
                letRefillsLast(Duration.ofSeconds(50), here);
                here.restore.nextComparison().begin(Duration.ZERO);

                here.watch.start();

                RestoreFixture.await()
                        .untilAsserted(() -> assertThat(OTHERS)
                                .allSatisfy(topic ->
                                        assertThat(scheduled(topic, here)).isEqualTo(EACH)));
                assertThat(here.scheduled()).isZero();
                assertThat(here.restore.nextComparison().left(INTERVAL)).isZero();
                letRefillsLast(Duration.ofSeconds(-50), here);
                RestoreFixture.await()
                        .untilAsserted(() -> assertThat(here.scheduled()).isEqualTo(EACH));
                RestoreFixture.await()
                        .until(() ->
                                !here.restore.nextComparison().left(INTERVAL).isZero());
            } finally {
                mayEnd.countDown();
                comparison.join();
            }
        }
    }

    private RestoreFixture instance(DataSource dataSource, String name) {
        RestoreSettings settings = new RestoreSettings(
                RestoreMode.AUTOMATIC,
                100_000,
                Duration.ofMillis(500),
                INTERVAL,
                Duration.ofSeconds(60),
                Duration.ofSeconds(30),
                Duration.ofMillis(50));
        return new RestoreFixture(dataSource, server.uri(), settings, true, name, 1);
    }

    private static boolean hasEnded(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return true;
    }

    /** Longer than they were taken for, and with a negative time as if this had passed. */
    private static void letRefillsLast(Duration longer, RestoreFixture here) {
        here.jdbc
                .sql("UPDATE delayqueue_lease SET expires = expires + ? WHERE name LIKE 'refill:%'")
                .param(longer.toMillis() * 1_000)
                .update();
    }

    private static long scheduled(String topic, RestoreFixture here) {
        return here.client.stats(topic).pending().scheduled();
    }
}
