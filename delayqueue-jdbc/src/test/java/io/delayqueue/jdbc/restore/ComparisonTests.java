package io.delayqueue.jdbc.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.Delay;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.Survey;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.test.EmbeddedRedis;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;

/** Redis lost nothing, and differs from the journal all the same. */
@Tag("slow")
class ComparisonTests {

    private static final String KEYS = "dq:{orders:0}";

    private final EmbeddedRedis server = EmbeddedRedis.start();

    @AfterEach
    void close() {
        server.close();
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
}
