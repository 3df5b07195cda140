package io.delayqueue.jdbc.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.Delay;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.Survey;
import io.delayqueue.jdbc.database.DatabaseKind;
import io.delayqueue.jdbc.database.EachDatabase;
import io.delayqueue.jdbc.database.TestDatabase;
import io.delayqueue.jdbc.restore.JournalRestore.Outcome;
import io.delayqueue.test.EmbeddedRedis;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;

/** Redis evicts keys, or somebody deletes them: no counter of its mark tells, but a comparison does. */
@Tag("slow")
class EvictionTests {

    private static final String KEYS = "dq:{orders:0}";

    private final EmbeddedRedis server = EmbeddedRedis.start();

    @AfterEach
    void close() {
        server.close();
    }

    @EachDatabase({DatabaseKind.H2, DatabaseKind.POSTGRESQL})
    void evictedMessagesAreScheduledAgain(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.relay.start();
            here.schedule("a", 600, Duration.ofHours(1));
            here.awaitSent();
            here.redis().del(KEYS + ":messages", KEYS + ":scheduled");

            assertThat(here.restore.compare(RestoreFixture.TOPIC, () -> false)).isEqualTo(JournalRestore.Outcome.DONE);

            assertAllThere(here, 600);
            assertThat(here.reports).singleElement().satisfies(report -> {
                assertThat(report.count(Difference.Kind.ONLY_IN_JOURNAL)).isEqualTo(600);
                assertThat(report.restored()).isEqualTo(600);
                assertThat(report.examples()).hasSize(20);
            });
            assertThat(here.restore.compare(RestoreFixture.TOPIC, () -> false))
                    .isEqualTo(JournalRestore.Outcome.NOTHING);
        }
    }

    /** Redis evicts whole keys, the largest ones first. Its counters take messages without a body for scheduled. */
    @EachDatabase({DatabaseKind.H2, DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void messagesWithoutBodiesAreScheduledAgain(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.relay.start();
            here.schedule("a", 600, Duration.ofHours(1));
            here.awaitSent();
            here.redis().del(KEYS + ":messages");
            assertThat(here.client.stats(RestoreFixture.TOPIC).unaccounted()).isZero();

            assertThat(here.restore.compare(RestoreFixture.TOPIC, () -> false)).isEqualTo(JournalRestore.Outcome.DONE);

            assertThat(here.count("status = 'UNRECORDED'")).isZero();
            assertAllThere(here, 600);
            assertThat(here.reports)
                    .singleElement()
                    .satisfies(report -> assertThat(report.restored()).isEqualTo(600));
            // that these were lost says nothing of one that is missing now
            here.auditing = false;
            here.client.cancel(RestoreFixture.TOPIC, "a0");
            here.restore.compare(RestoreFixture.TOPIC, () -> false);
            assertThat(here.status("a0")).isEqualTo("UNRECORDED");
        }
    }

    /** Its handler has it all the same. */
    @EachDatabase(DatabaseKind.H2)
    void aMessageWithoutABodyIsLeftToItsHandler(TestDatabase database) throws InterruptedException {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.relay.start();
            CountDownLatch begun = new CountDownLatch(1);
            CountDownLatch mayEnd = new CountDownLatch(1);
            here.schedule("a", 1, Duration.ZERO);
            here.awaitSent();
            here.client
                    .subscribe(RestoreFixture.TOPIC, ConsumerOptions.defaults(), (message, delivery) -> {
                        begun.countDown();
                        mayEnd.await();
                    })
                    .start();
            assertThat(begun.await(1, TimeUnit.MINUTES)).isTrue();
            here.redis().del(KEYS + ":messages");

            here.restore.compare(RestoreFixture.TOPIC, () -> false);

            assertThat(here.status("a0")).isEqualTo("SCHEDULED");
            assertThat(here.reports).isEmpty();
            mayEnd.countDown();
            RestoreFixture.await().until(() -> here.recordedAcks.contains("a0"));
            assertThat(here.status("a0")).isEqualTo("ACKED");
        }
    }

    /** The number of lost keys of the last comparison was that of another life of Redis. */
    @EachDatabase({DatabaseKind.H2, DatabaseKind.POSTGRESQL})
    void anEvictionAfterARefillIsFound(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.relay.start();
            here.schedule("a", 60, Duration.ofHours(1));
            here.awaitSent();
            here.redis().del(KEYS + ":messages", KEYS + ":scheduled");
            here.restore.compare(RestoreFixture.TOPIC, () -> false);
            assertAllThere(here, 60);
            here.restore.compare(RestoreFixture.TOPIC, () -> false);
            here.redis().flushall();
            refill(here);
            assertAllThere(here, 60);
            here.redis().del(KEYS + ":messages", KEYS + ":scheduled");

            assertThat(here.restore.compare(RestoreFixture.TOPIC, () -> false)).isEqualTo(JournalRestore.Outcome.DONE);

            assertThat(here.count("status = 'UNRECORDED'")).isZero();
            assertAllThere(here, 60);
        }
    }

    /** The totals begin anew, and count fewer messages than there are. */
    @EachDatabase({DatabaseKind.H2, DatabaseKind.POSTGRESQL})
    void anEvictionAfterThatOfTheCountersIsFound(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.relay.start();
            here.schedule("a", 60, Duration.ofHours(1));
            here.awaitSent();
            here.redis().del(KEYS + ":meta");
            refill(here);
            assertThat(here.losses).containsExactly(new RedisLossDetectedEvent(RestoreFixture.TOPIC, 0, Loss.EMPTY));
            assertThat(here.client.stats(RestoreFixture.TOPIC).unaccounted()).isEqualTo(-60);
            here.redis().del(KEYS + ":messages", KEYS + ":scheduled");

            assertThat(here.restore.compare(RestoreFixture.TOPIC, () -> false)).isEqualTo(JournalRestore.Outcome.DONE);

            assertThat(here.count("status = 'UNRECORDED'")).isZero();
            assertAllThere(here, 60);
        }
    }

    /** A comparison that only reports leaves what it found to the next one. */
    @EachDatabase({DatabaseKind.H2, DatabaseKind.POSTGRESQL})
    void anEvictionThatWasReportedIsRepairedLater(TestDatabase database) {
        DataSource dataSource = database.withSchema().dataSource();
        try (RestoreFixture reporting = instance(dataSource, RestoreMode.REPORT);
                RestoreFixture here = instance(dataSource, RestoreMode.AUTOMATIC)) {
            here.relay.start();
            here.schedule("a", 20, Duration.ofHours(1));
            here.awaitSent();
            here.redis().del(KEYS + ":messages", KEYS + ":scheduled");
            reporting.restore.compare(RestoreFixture.TOPIC, () -> false);
            assertThat(reporting.reports)
                    .singleElement()
                    .satisfies(report -> assertThat(report.count(Difference.Kind.ONLY_IN_JOURNAL))
                            .isEqualTo(20));

            here.restore.compare(RestoreFixture.TOPIC, () -> false);

            assertThat(here.count("status = 'UNRECORDED'")).isZero();
            assertAllThere(here, 20);
        }
    }

    /** A comparison that begins before the first message of a partition goes on. */
    @EachDatabase({DatabaseKind.H2, DatabaseKind.POSTGRESQL})
    void aPartitionMayBeUsedForTheFirstTimeMeanwhile(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(
                database.withSchema().dataSource(), server.uri(), RestoreFixture.SETTINGS, true, "here", 2)) {
            here.relay.start();
            here.schedule(idsIn(here, 0, 60), Duration.ofHours(1));
            here.awaitSent();
            here.redis().del(KEYS + ":messages", KEYS + ":scheduled");
            AtomicBoolean used = new AtomicBoolean();

            Outcome outcome = here.restore.compare(RestoreFixture.TOPIC, () -> {
                if (!used.getAndSet(true)) {
                    here.schedule(idsIn(here, 1, 1), Duration.ofHours(1));
                    here.awaitSent();
                }
                return false;
            });

            assertThat(outcome).isEqualTo(Outcome.DONE);
            assertThat(used).isTrue();
            here.awaitSent();
            assertThat(here.scheduled()).isEqualTo(61);
            assertThat(here.count("status = 'SCHEDULED'")).isEqualTo(61);
        }
    }

    private static List<String> idsIn(RestoreFixture here, int partition, int count) {
        List<String> ids = IntStream.range(0, 500).mapToObj(i -> "p" + i).toList();
        Set<String> some = here.client.survey(RestoreFixture.TOPIC).idsIn(Set.of(partition), ids);
        return ids.stream().filter(some::contains).limit(count).toList();
    }

    private RestoreFixture instance(DataSource dataSource, RestoreMode mode) {
        RestoreSettings settings = new RestoreSettings(
                mode,
                100_000,
                Duration.ofHours(1),
                Duration.ZERO,
                Duration.ofSeconds(60),
                Duration.ofSeconds(30),
                Duration.ofMillis(300));
        return new RestoreFixture(dataSource, server.uri(), settings, true, mode.name(), 1);
    }

    private static void refill(RestoreFixture here) {
        assertThat(here.restore.check(RestoreFixture.TOPIC)).isTrue();
        here.restore.removeRevived(RestoreFixture.TOPIC, () -> false);
        RestoreFixture.await().until(() -> {
            here.restore.refill(RestoreFixture.TOPIC, () -> false);
            return here.openRefills() == 0;
        });
    }

    /** Nobody has to ask for it. */
    @EachDatabase(DatabaseKind.H2)
    void evictedMessagesAreFoundByThePeriodicComparison(TestDatabase database) {
        RestoreSettings often = new RestoreSettings(
                RestoreMode.AUTOMATIC,
                100_000,
                Duration.ofHours(1),
                Duration.ofMillis(300),
                Duration.ofSeconds(60),
                Duration.ofSeconds(30),
                Duration.ofMillis(100));
        try (RestoreFixture here = new RestoreFixture(database, server.uri(), often)) {
            here.start();
            here.schedule("a", 60, Duration.ofHours(1));
            here.awaitSent();
            here.redis().del(KEYS + ":messages", KEYS + ":scheduled");

            assertAllThere(here, 60);
        }
    }

    /** Keys of another user of the same Redis crowd them out, whichever keys Redis takes. */
    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void messagesThatRedisEvictsForOtherKeysComeBack(TestDatabase database) {
        RestoreSettings often = new RestoreSettings(
                RestoreMode.AUTOMATIC,
                100_000,
                Duration.ofMillis(300),
                Duration.ofMillis(300),
                Duration.ofSeconds(60),
                Duration.ofSeconds(30),
                Duration.ofMillis(100));
        try (RestoreFixture here = new RestoreFixture(database, server.uri(), often)) {
            here.start();
            here.schedule("a", 600, Duration.ofHours(1));
            here.awaitSent();

            here.redis().configSet("maxmemory-policy", "allkeys-random");
            here.redis().configSet("maxmemory", usedMemory(here));
            AtomicInteger number = new AtomicInteger();
            RestoreFixture.await().pollInterval(Duration.ofMillis(5)).until(() -> {
                here.redis().set("other:" + number.incrementAndGet(), "x".repeat(10_000));
                return here.redis().exists(KEYS + ":messages", KEYS + ":scheduled") < 2;
            });
            assertThat(here.redis().info("stats")).doesNotContain("evicted_keys:0\r");
            here.redis().configSet("maxmemory", "0");

            assertAllThere(here, 600);
            assertThat(here.count("status <> 'SCHEDULED'")).isZero();
        }
    }

    private static String usedMemory(RestoreFixture here) {
        return here.redis()
                .info("memory")
                .lines()
                .filter(line -> line.startsWith("used_memory:"))
                .map(line -> line.substring("used_memory:".length()))
                .findFirst()
                .orElseThrow();
    }

    @EachDatabase({DatabaseKind.H2, DatabaseKind.POSTGRESQL})
    void aMessageThatOnlyRedisHasStays(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.relay.start();
            here.schedule("a", 3, Duration.ofHours(1));
            here.awaitSent();
            here.client.schedule(OutgoingMessage.to(RestoreFixture.TOPIC)
                    .id("stranger")
                    .delay(Duration.ofHours(1))
                    .payload(new byte[1])
                    .build());
            here.finish("a0", RestoreFixture.generation(0), "CANCELLED");

            assertThat(here.restore.compare(RestoreFixture.TOPIC, () -> false)).isEqualTo(JournalRestore.Outcome.DONE);

            assertThat(here.client.find(RestoreFixture.TOPIC, "a0")).isEmpty();
            assertThat(here.client.find(RestoreFixture.TOPIC, "stranger")).isPresent();
            assertThat(here.scheduled()).isEqualTo(3);
            assertThat(here.reports).singleElement().satisfies(report -> {
                assertThat(report.count(Difference.Kind.ONLY_IN_REDIS)).isEqualTo(1);
                assertThat(report.dropped()).isEqualTo(1);
            });
        }
    }

    /** The journal does not know every reschedule: Redis' due time holds while Redis is intact. */
    @EachDatabase({DatabaseKind.H2, DatabaseKind.POSTGRESQL})
    void aComparisonTakesOverDueTimesOfRedis(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.relay.start();
            here.schedule("a", 1, Duration.ofMinutes(1));
            here.awaitSent();
            here.client.reschedule(RestoreFixture.TOPIC, "a0", Delay.of(Duration.ofDays(3)));

            here.restore.compare(RestoreFixture.TOPIC, () -> false);

            here.awaitSent();
            assertThat(here.client.find(RestoreFixture.TOPIC, "a0"))
                    .hasValueSatisfying(found ->
                            assertThat(found.due()).isAfter(Instant.now().plus(Duration.ofDays(2))));
            assertThat(here.restore.compare(RestoreFixture.TOPIC, () -> false))
                    .isEqualTo(JournalRestore.Outcome.NOTHING);
        }
    }

    /** A restore would take it for the message's due time, and deliver the message before that. */
    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void aDueTimeThatIsTakenOverIsNotEarly(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.relay.start();
            here.schedule("a", 1, Duration.ofMinutes(1));
            here.awaitSent();
            here.client.reschedule(RestoreFixture.TOPIC, "a0", Delay.of(Duration.ofDays(3)));
            RestoreContext context =
                    RestoreContext.of(here.client, here.database, here.seen, PendingEnds.NONE, RestoreFixture.SETTINGS);
            List<RecordedMessage> page = context.recorded()
                    .ofIds(RestoreFixture.TOPIC, List.of("a0"))
                    .get("a0");
            Survey survey = here.client.survey(RestoreFixture.TOPIC);

            MessageComparison.Found found =
                    new MessageComparison(context.recorded()).compare(slow(survey), RestoreFixture.TOPIC, page);

            long due = survey.find(List.of("a0")).messages().get(0).dueMicros();
            // both clocks are the machine's
            assertThat(found.otherDue())
                    .singleElement()
                    .satisfies(other -> assertThat(other.dueMicros()).isGreaterThanOrEqualTo(due - 2_000));
        }
    }

    /** Redis' answers take a while. */
    private static Survey slow(Survey survey) {
        return (Survey) Proxy.newProxyInstance(
                Survey.class.getClassLoader(), new Class<?>[] {Survey.class}, (proxy, method, arguments) -> {
                    LockSupport.parkNanos(Duration.ofMillis(200).toNanos());
                    return method.invoke(survey, arguments);
                });
    }

    /** What is left of them would keep them out. */
    @EachDatabase(DatabaseKind.H2)
    void messagesWithoutDueTimesAreScheduledAgain(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.relay.start();
            here.schedule("a", 60, Duration.ofHours(1));
            here.awaitSent();
            here.redis().del(KEYS + ":scheduled");

            assertThat(here.restore.restore(RestoreRequest.all(), false).restored())
                    .isEqualTo(60);
            assertAllThere(here, 60);
        }
    }

    /** Redis' counters add up, so they were handled: the record of it was lost, say with a process. */
    @EachDatabase({DatabaseKind.H2, DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void messagesWhoseAcksWereNotRecordedAreNotDeliveredAgain(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.auditing = false;
            here.relay.start();
            here.consume();
            here.schedule("a", 40, Duration.ZERO);
            RestoreFixture.await()
                    .untilAsserted(() -> assertThat(here.client
                                    .stats(RestoreFixture.TOPIC)
                                    .totals()
                                    .acked())
                            .isEqualTo(40));

            here.restore.compare(RestoreFixture.TOPIC, () -> false);

            assertThat(here.count("status = 'UNRECORDED' AND finished IS NOT NULL"))
                    .isEqualTo(40);
            assertThat(here.reports)
                    .singleElement()
                    .satisfies(report -> assertThat(report.unrecorded()).isEqualTo(40));
            here.awaitSent();
            assertThat(here.client.stats(RestoreFixture.TOPIC).totals().accepted())
                    .isEqualTo(40);
        }
    }

    /** It had a change of its own at the comparison that found it; Redis' counters are those of that one at the next. */
    @EachDatabase({DatabaseKind.H2, DatabaseKind.POSTGRESQL})
    void anEvictedMessageWhoseChangeWasStillToBeSentIsScheduledAgain(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.relay.start();
            here.schedule("a", 20, Duration.ofHours(1));
            here.awaitSent();
            here.restore.compare(RestoreFixture.TOPIC, () -> false);
            here.reschedule("a0", Duration.ofHours(3), Duration.ofHours(1));
            here.redis().del(KEYS + ":messages", KEYS + ":scheduled");
            here.restore.compare(RestoreFixture.TOPIC, () -> false);
            RestoreFixture.await().until(() -> here.scheduled() == 19);
            here.endClaims();
            here.awaitSent();

            here.restore.compare(RestoreFixture.TOPIC, () -> false);

            assertThat(here.status("a0")).isEqualTo("SCHEDULED");
            assertAllThere(here, 20);
        }
    }

    /** Keys that were evicted earlier say nothing of messages that are missing now. */
    @EachDatabase(DatabaseKind.H2)
    void anEvictionCountsForOneComparison(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.relay.start();
            here.schedule("a", 20, Duration.ofHours(1));
            here.awaitSent();
            here.redis().del(KEYS + ":messages", KEYS + ":scheduled");
            here.restore.compare(RestoreFixture.TOPIC, () -> false);
            assertAllThere(here, 20);
            here.auditing = false;
            here.client.cancel(RestoreFixture.TOPIC, "a0");

            here.restore.compare(RestoreFixture.TOPIC, () -> false);

            assertThat(here.status("a0")).isEqualTo("UNRECORDED");
            here.redis().hdel(KEYS + ":messages", "a1");
            here.redis().zrem(KEYS + ":scheduled", "a1");
            here.restore.compare(RestoreFixture.TOPIC, () -> false);
            assertAllThere(here, 19);
        }
    }

    /** The record of the first one's end was lost, or Redis lost the message: nobody looks for it in the place of the second one. */
    @EachDatabase
    void aMessageWhoseIdWasUsedAgainIsFinished(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.auditing = false;
            here.relay.start();
            here.schedule("a", 3, Duration.ofHours(1));
            here.awaitSent();
            here.jdbc
                    .sql("UPDATE delayqueue_message SET generation = 'older000'")
                    .update();
            List.of("a0", "a1", "a2").forEach(id -> here.client.cancel(RestoreFixture.TOPIC, id));
            // generations of the fixture come again
            here.redis().del(KEYS + ":applied");
            here.schedule("a", 2, Duration.ofHours(1));
            here.awaitSent();

            assertThat(here.restore.restore(RestoreRequest.all(), true).differences())
                    .isEqualTo(Map.of(Difference.Kind.ONLY_IN_JOURNAL, 3L));
            assertThat(here.restore.compare(RestoreFixture.TOPIC, () -> false)).isEqualTo(JournalRestore.Outcome.DONE);

            assertThat(here.count("generation = 'older000' AND status = 'UNRECORDED' AND finished IS NOT NULL"))
                    .isEqualTo(3);
            assertThat(here.count("status = 'SCHEDULED'")).isEqualTo(2);
            assertThat(here.restore.compare(RestoreFixture.TOPIC, () -> false))
                    .isEqualTo(JournalRestore.Outcome.NOTHING);
            here.awaitSent();
            assertThat(here.scheduled()).isEqualTo(2);
        }
    }

    private static void assertAllThere(RestoreFixture here, int count) {
        RestoreFixture.await().untilAsserted(() -> {
            assertThat(here.client.stats(RestoreFixture.TOPIC).pending().scheduled())
                    .isEqualTo(count);
            assertThat(here.client.pending(RestoreFixture.TOPIC).list(1).get(0).bytes())
                    .isPositive();
        });
        here.awaitSent();
    }
}
