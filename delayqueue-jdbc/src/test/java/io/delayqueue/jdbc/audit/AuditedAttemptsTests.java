package io.delayqueue.jdbc.audit;

import static io.delayqueue.jdbc.audit.AuditFixture.TOPIC;
import static io.delayqueue.jdbc.audit.AuditFixture.number;
import static io.delayqueue.jdbc.audit.AuditFixture.received;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import io.delayqueue.Delay;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.ReceivedMessage;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Attempts of messages: their failures, their retries, and those that take long. */
class AuditedAttemptsTests {

    private static final Duration HOUR = Duration.ofHours(1);

    @EachDatabase
    void aMessagesRowFollowsItsEvents(TestDatabase database) throws Exception {
        try (AuditFixture audit = new AuditFixture(database)) {
            OutgoingMessage message = audit.sent("a");
            audit.failed(message, 1, HOUR, "first \0 failure");
            audit.write();

            Map<String, Object> retried = audit.row(message);
            assertThat(retried).containsEntry("status", "SCHEDULED");
            assertThat(number(retried.get("attempts"))).isEqualTo(1);
            assertThat(number(retried.get("due")))
                    .isCloseTo(number(retried.get("updated")) + HOUR.toMillis() * 1_000, within(60_000_000L));
            assertThat(retried.get("finished")).isNull();
            assertThat(String.valueOf(retried.get("reason"))).contains("first \ufffd failure");

            audit.handled(message, 2);
            audit.write();

            Map<String, Object> acked = audit.row(message);
            assertThat(acked).containsEntry("status", "ACKED");
            assertThat(number(acked.get("attempts"))).isEqualTo(2);
            assertThat(number(acked.get("finished"))).isEqualTo(number(acked.get("updated")));
            assertThat(number(acked.get("updated"))).isGreaterThanOrEqualTo(number(retried.get("updated")));
            assertThat(acked.get("reason")).isNull();
            assertThat(audit.count("event")).isEqualTo(2);
        }
    }

    @EachDatabase(DatabaseKind.H2)
    void onlyAttemptsOfMoreThanASecondAreInFlight(TestDatabase database) throws Exception {
        try (AuditFixture audit = new AuditFixture(database)) {
            OutgoingMessage message = audit.sent("slow");
            OutgoingMessage released = audit.sent("released");
            OutgoingMessage quick = audit.sent("quick");
            ReceivedMessage delivered = received(message, 1);
            ReceivedMessage interrupted = received(released, 2);
            long began = System.nanoTime();
            audit.observer.delivered(delivered, Duration.ZERO);
            audit.observer.delivered(interrupted, Duration.ZERO);
            ReceivedMessage unhandled = received(quick, 1);
            audit.observer.delivered(unhandled, Duration.ZERO);
            audit.observer.released(unhandled);
            audit.write();
            if (System.nanoTime() - began < TimeUnit.SECONDS.toNanos(1)) {
                // else the machine stalled, which makes them long ones
                assertThat(audit.count("event")).isZero();
            }

            await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
                audit.write();
                assertThat(audit.status(message)).isEqualTo("IN_FLIGHT");
                assertThat(audit.status(released)).isEqualTo("IN_FLIGHT");
            });
            audit.observer.handled(interrupted, Duration.ZERO, new InterruptedException());
            audit.observer.released(interrupted);
            audit.observer.leaseLost(delivered);
            audit.write();

            assertThat(audit.status(message)).isEqualTo("IN_FLIGHT");
            assertThat(audit.status(released)).isEqualTo("SCHEDULED");
            assertThat(audit.status(quick)).isEqualTo("SCHEDULED");
            assertThat(number(audit.row(released).get("attempts"))).isEqualTo(1);
            assertThat(audit.observer.inFlight()).isZero();
            assertThat(audit.journal.story(TOPIC, "slow").messages().get(0).events())
                    .extracting(event -> event.to().name())
                    .containsExactly("OUTBOX", "IN_FLIGHT", "IN_FLIGHT");
        }
    }

    @EachDatabase
    void theLongestDelaysAreKept(TestDatabase database) throws Exception {
        Duration years = Duration.ofDays(365_000);
        try (AuditFixture audit = new AuditFixture(database)) {
            OutgoingMessage rescheduled = audit.sent("never");
            OutgoingMessage retried = audit.sent("hardly ever");
            OutgoingMessage other = audit.sent("other");
            // surely before the event, which is only known to about a millisecond
            audit.jdbc
                    .sql("UPDATE delayqueue_message SET updated = updated - 1000000")
                    .update();
            audit.observer.rescheduled(TOPIC, "never", Delay.of(years), Duration.ZERO);
            audit.failed(retried, 1, years, "not in this life");
            audit.handled(other, 1);

            audit.write();

            for (OutgoingMessage message : List.of(rescheduled, retried)) {
                Map<String, Object> row = audit.row(message);
                assertThat(row).containsEntry("status", "SCHEDULED");
                assertThat(number(row.get("due")))
                        .isCloseTo(number(row.get("updated")) + years.toSeconds() * 1_000_000, within(1_000_000L));
            }
            assertThat(audit.status(other)).isEqualTo("ACKED");
            assertThat(audit.buffer.dropped()).isZero();
        }
    }
}
