package io.delayqueue.jdbc.restore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.delayqueue.Survey;
import io.delayqueue.SurveyedMessage;
import io.delayqueue.jdbc.support.JournalTransaction;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.test.EmbeddedRedis;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;

/** Behind a loss, messages are due as the journal says before they are claimed: they are corrected, and never deleted for that. */
class CorrectedDueTests {

    private static final String TOPIC = RestoreFixture.TOPIC;

    private final EmbeddedRedis server = EmbeddedRedis.start();

    @AfterEach
    void close() {
        server.close();
    }

    /** As if the clock of a server that took over was twenty seconds ahead. */
    @EachDatabase({DatabaseKind.H2, DatabaseKind.POSTGRESQL})
    void messagesOfAServerWhoseClockIsAheadStay(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.relay.start();
            List<String> ids = here.schedule("a", 20, Duration.ofHours(1));
            here.awaitSent();
            Map<String, Long> before = dues(here, ids);
            here.jdbc.sql("UPDATE delayqueue_message SET due = due + 20000000").update();
            here.redis().hset("dq:{orders:0}:meta", "sent", "1");
            assertThat(here.restore.check(TOPIC)).isTrue();

            here.restore.removeRevived(TOPIC, () -> false);

            assertThat(here.client.stats(TOPIC).totals().purged()).isZero();
            assertThat(here.scheduled()).isEqualTo(20);
            assertThat(dues(here, ids))
                    .allSatisfy(
                            (id, due) -> assertThat(due - before.get(id)).isCloseTo(20_000_000, within(15_000_000L)));
        }
    }

    /** A message may not be early by a part of a second either. */
    @EachDatabase({DatabaseKind.H2, DatabaseKind.POSTGRESQL})
    void messagesThatWereRescheduledByLittleAreCorrected(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.relay.start();
            List<String> ids = here.schedule("a", 20, Duration.ofHours(1));
            here.awaitSent();
            Map<String, Long> before = dues(here, ids);
            here.jdbc.sql("UPDATE delayqueue_message SET due = due + 400000").update();
            here.redis().hset("dq:{orders:0}:meta", "sent", "1");
            assertThat(here.restore.check(TOPIC)).isTrue();

            here.restore.removeRevived(TOPIC, () -> false);

            // the first delay was read some time before it was sent
            assertThat(dues(here, ids))
                    .allSatisfy((id, due) -> assertThat(due - before.get(id)).isPositive());
            assertThat(here.client.stats(TOPIC).totals().purged()).isZero();
        }
    }

    /** The times are read one after the other, and anything may take long in between. */
    @EachDatabase({DatabaseKind.H2, DatabaseKind.POSTGRESQL})
    void aPauseDoesNotMakeMessagesLookEarly(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.relay.start();
            List<String> ids = here.schedule("a", 20, Duration.ofHours(1));
            here.awaitSent();
            Map<String, Long> before = dues(here, ids);
            Survey survey = here.client.survey(TOPIC);
            AtomicLong pauses = new AtomicLong();
            Survey pausing = (Survey) Proxy.newProxyInstance(
                    Survey.class.getClassLoader(), new Class<?>[] {Survey.class}, (proxy, method, arguments) -> {
                        if (method.getName().equals("page")) {
                            pauses.incrementAndGet();
                            here.redis().clientPause(2_500);
                        }
                        return method.invoke(survey, arguments);
                    });
            RestoreTally tally = new RestoreTally(new AtomicLong());
            RecordedMessages recorded = new RecordedMessages(
                    here.database, new JournalTransaction(here.database.dataSource(), here.database.dialect()));

            new RevivedMessages(recorded, true).dropFrom(pausing, TOPIC, 0, false, tally, () -> {});

            assertThat(pauses).hasPositiveValue();
            assertThat(tally.scanned).hasValue(20);
            assertThat(tally.dropped).hasValue(0);
            assertThat(tally.rescheduled).hasValue(0);
            assertThat(dues(here, ids)).isEqualTo(before);
        }
    }

    private static Map<String, Long> dues(RestoreFixture here, List<String> ids) {
        return here.client.survey(TOPIC).find(ids).messages().stream()
                .collect(Collectors.toMap(SurveyedMessage::id, SurveyedMessage::dueMicros));
    }
}
