package io.delayqueue.jdbc.restore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.Delay;
import io.delayqueue.OutboxOperation;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.ScheduleOutcome;
import io.delayqueue.jdbc.MessageStatus;
import io.delayqueue.jdbc.restore.Difference.Kind;
import io.delayqueue.jdbc.support.JournalTransaction;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.Everyday;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.test.EmbeddedRedis;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Comparisons and restores that somebody asks for. */
@Everyday(DatabaseKind.MARIADB)
class RestoreTests {

    private static final Duration HOUR = Duration.ofHours(1);

    private final EmbeddedRedis server = EmbeddedRedis.start();

    @AfterEach
    void close() {
        server.close();
    }

    @EachDatabase({DatabaseKind.H2, DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void aDryRunTellsEachKindOfDifferenceAndChangesNothing(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            differences(here);

            RestoreReport dry = here.restore.restore(RestoreRequest.all(), true);

            assertThat(dry.differences())
                    .isEqualTo(Map.of(
                            Kind.ONLY_IN_JOURNAL, 1L,
                            Kind.ONLY_IN_REDIS, 1L,
                            Kind.OTHER_DUE, 1L,
                            Kind.OTHER_STATUS, 1L));
            assertThat(dry.examples())
                    .extracting(Difference::id)
                    .containsExactlyInAnyOrder("missing0", "stranger", "moved0", "ended0");
            assertThat(dry.restored() + dry.rescheduled() + dry.dropped()).isZero();
            here.awaitSent();
            assertThat(here.client.find(RestoreFixture.TOPIC, "missing0")).isEmpty();
            assertThat(here.client.find(RestoreFixture.TOPIC, "ended0")).isPresent();

            RestoreReport real = here.restore.restore(RestoreRequest.all(), false);
            assertThat(real.differences()).isEqualTo(dry.differences());
            assertThat(List.of(real.restored(), real.rescheduled(), real.dropped()))
                    .containsOnly(1L);
            here.awaitSent();
            assertThat(here.client
                            .find(RestoreFixture.TOPIC, "missing0")
                            .orElseThrow()
                            .headers())
                    .containsKey(OutboxOperation.RESTORED_HEADER);
            assertThat(here.client
                            .find(RestoreFixture.TOPIC, "same0")
                            .orElseThrow()
                            .headers())
                    .doesNotContainKey(OutboxOperation.RESTORED_HEADER);
            assertThat(here.client.find(RestoreFixture.TOPIC, "ended0")).isEmpty();
            assertThat(here.client.find(RestoreFixture.TOPIC, "stranger")).isPresent();
            assertThat(here.restore.restore(RestoreRequest.all(), false).differences())
                    .isEqualTo(Map.of(Kind.ONLY_IN_REDIS, 1L));
            assertThat(here.restore.restored()).isEqualTo(1);
        }
    }

    /** One message for each kind of difference, and one that is the same on both sides. */
    private static void differences(RestoreFixture here) {
        here.relay.start();
        here.schedule("missing", 1, HOUR);
        here.schedule("moved", 1, HOUR);
        here.schedule("ended", 1, HOUR);
        here.schedule("same", 1, HOUR);
        here.awaitSent();
        here.auditing = false;
        here.client.cancel(RestoreFixture.TOPIC, "missing0");
        here.client.reschedule(RestoreFixture.TOPIC, "moved0", Delay.of(HOUR.multipliedBy(2)));
        here.finish("ended0", RestoreFixture.generation(0), "CANCELLED");
        assertThat(here.client
                        .schedule(OutgoingMessage.to(RestoreFixture.TOPIC)
                                .id("stranger")
                                .delay(HOUR)
                                .payload(new byte[1])
                                .build())
                        .outcome())
                .isEqualTo(ScheduleOutcome.SCHEDULED);
    }

    @EachDatabase({DatabaseKind.H2, DatabaseKind.POSTGRESQL})
    void selectionsRestoreWhatTheySay(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.relay.start();
            here.schedule("overdue", 3, Duration.ofSeconds(-5));
            here.schedule("later", 4, HOUR);
            here.awaitSent();
            here.redis().flushall();

            assertThat(here.restore
                            .restore(RestoreRequest.topic("another"), false)
                            .scanned())
                    .isZero();
            assertThat(here.restore
                            .restore(RestoreRequest.id(RestoreFixture.TOPIC, "later2"), false)
                            .restored())
                    .isEqualTo(1);
            here.awaitSent();
            assertThat(here.restore.restore(RestoreRequest.overdue(), false).restored())
                    .isEqualTo(3);
            here.awaitSent();
            assertThat(here.restore
                            .restore(RestoreRequest.topic(RestoreFixture.TOPIC), false)
                            .restored())
                    .isEqualTo(3);
            here.awaitSent();
            assertThat(here.client.stats(RestoreFixture.TOPIC).pending().total())
                    .isEqualTo(7);
            assertThat(here.restore.progress()).isEqualTo(RestoreProgress.NONE);
        }
    }

    @EachDatabase({DatabaseKind.H2, DatabaseKind.MARIADB})
    void aDeadMessageIsRestoredByItsIdOnly(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.relay.start();
            here.schedule("dead", 1, HOUR);
            here.awaitSent();
            here.finish("dead0", RestoreFixture.generation(0), "DEAD");
            here.redis().flushall();

            assertThat(here.restore.restore(RestoreRequest.all(), false).restored())
                    .isZero();
            RestoreRequest request = RestoreRequest.id(RestoreFixture.TOPIC, "dead0");
            assertThat(here.restore.restore(request, true).count(Kind.ONLY_IN_JOURNAL))
                    .isEqualTo(1);
            assertThat(here.restore.restore(request, false).restored()).isEqualTo(1);
            here.awaitSent();
            assertThat(here.client.find(RestoreFixture.TOPIC, "dead0")).isPresent();
            assertThat(here.status("dead0")).isEqualTo("SCHEDULED");
            assertThat(here.count("finished IS NULL")).isEqualTo(1);
        }
    }

    /** The changes of an id come in the order of the application's commits, whatever a restore found before. */
    @EachDatabase({DatabaseKind.H2, DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void aCancelThatWaitsToBeSentIsNotOvertaken(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.schedule("a", 2, HOUR);
            here.relay.runOnce();
            here.redis().flushall();
            here.restore.check(RestoreFixture.TOPIC);
            here.cancel("a0");
            RecordedMessages recorded = new RecordedMessages(
                    here.database, new JournalTransaction(here.database.dataSource(), here.database.dialect()));
            List<RecordedMessage> both = recorded.page(
                    RestoreFixture.TOPIC, MessageStatus.SCHEDULED, RecordedMessages.Position.FIRST, Long.MAX_VALUE, 10);
            RestoreWriter outbox = new RestoreWriter(
                    here.database,
                    new JournalTransaction(here.database.dataSource(), here.database.dialect()),
                    recorded);

            assertThat(both).hasSize(2);
            assertThat(outbox.schedule(RestoreFixture.TOPIC, both)).containsExactly("a1");
            // one that ended since it was found
            here.finish("a1", RestoreFixture.generation(1), "ACKED");
            here.relay.start();
            here.awaitSent();
            assertThat(here.client.stats(RestoreFixture.TOPIC).pending().total())
                    .isZero();
            assertThat(here.status("a0")).isEqualTo("CANCELLED");
            assertThat(outbox.schedule(RestoreFixture.TOPIC, both)).isEmpty();
        }
    }

    /** An id that is in use again keeps its message. */
    @EachDatabase(DatabaseKind.H2)
    void anotherUseOfTheIdIsLeftAlone(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.relay.start();
            here.schedule("a", 1, HOUR);
            here.awaitSent();
            here.redis().flushall();
            OutgoingMessage other = OutgoingMessage.to(RestoreFixture.TOPIC)
                    .id("a0")
                    .delay(HOUR)
                    .payload(new byte[1])
                    .build();
            assertThat(here.client.schedule(other).outcome()).isEqualTo(ScheduleOutcome.SCHEDULED);

            assertThat(here.restore.restore(RestoreRequest.all(), false).restored())
                    .isZero();
            assertThat(here.client.find(RestoreFixture.TOPIC, "a0"))
                    .hasValueSatisfying(found -> assertThat(found.generation()).isEqualTo(other.generation()));
        }
    }

    @Test
    void impossibleRequestsAndSettingsAreRefusedByName() {
        assertThatThrownBy(() -> RestoreRequest.id("a b", "x")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new RestoreSettings(RestoreMode.OFF, 0, HOUR, HOUR, HOUR, HOUR, HOUR))
                .hasMessageContaining("rate");
        assertThatThrownBy(() -> new RestoreSettings(RestoreMode.OFF, 1, Duration.ZERO, HOUR, HOUR, HOUR, HOUR))
                .hasMessageContaining("check-interval");
    }
}
