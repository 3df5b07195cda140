package io.delayqueue.jdbc.audit;

import static io.delayqueue.jdbc.audit.AuditFixture.TOPIC;
import static io.delayqueue.jdbc.audit.AuditFixture.number;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.Delay;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.jdbc.MessageStatus;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;

/** Ends of messages, some of which are told by an id only. */
class AuditedEndsTests {

    private static final Duration HOUR = Duration.ofHours(1);

    @EachDatabase
    void deadLettersCanBeRedrivenRescheduledAndPurged(TestDatabase database) throws Exception {
        try (AuditFixture audit = new AuditFixture(database)) {
            List<OutgoingMessage> dead = audit.sent(TOPIC, 4);
            dead.forEach(message ->
                    audit.observer.deadLettered(TOPIC, message.id(), message.generation(), 3, "no more attempts"));
            audit.write();
            Map<String, Object> row = audit.row(dead.get(0));
            assertThat(row).containsEntry("status", "DEAD").containsEntry("reason", "no more attempts");
            assertThat(number(row.get("attempts"))).isEqualTo(3);
            assertThat(row.get("finished")).isNotNull();
            // for longer than the machine may hold up the database's answer
            audit.jdbc
                    .sql("UPDATE delayqueue_message SET updated = updated - 10000000")
                    .update();

            audit.observer.redriven(TOPIC, List.of("m0"), Delay.of(HOUR), Duration.ZERO, Duration.ZERO);
            audit.observer.rescheduled(
                    TOPIC, "m1", Delay.until(Instant.EPOCH.plusSeconds(4_000_000_000L)), Duration.ZERO);
            audit.observer.purged(TOPIC, List.of("m2"), Duration.ZERO);
            audit.write();

            Map<String, Object> redriven = audit.row(dead.get(0));
            assertThat(redriven).containsEntry("status", "SCHEDULED");
            assertThat(number(redriven.get("attempts"))).isZero();
            assertThat(redriven.get("finished")).isNull();
            assertThat(number(redriven.get("due"))).isGreaterThan(number(redriven.get("updated")) + 3_500_000_000L);
            Map<String, Object> rescheduled = audit.row(dead.get(1));
            assertThat(rescheduled).containsEntry("status", "SCHEDULED");
            assertThat(number(rescheduled.get("due"))).isEqualTo(4_000_000_000_000_000L);
            assertThat(number(rescheduled.get("due_is_instant"))).isEqualTo(1);
            assertThat(audit.status(dead.get(2))).isEqualTo("PURGED");
            assertThat(audit.status(dead.get(3))).isEqualTo("DEAD");

            audit.handled(dead.get(0), 1);
            audit.write();
            assertThat(audit.status(dead.get(0))).isEqualTo("ACKED");
        }
    }

    @EachDatabase
    void deletedTopicsPurgeTheirMessagesAndNoOthers(TestDatabase database) throws Exception {
        try (AuditFixture audit = new AuditFixture(database)) {
            List<OutgoingMessage> messages = audit.sent("gone", 1_300);
            OutgoingMessage other = audit.sent("other");
            OutgoingMessage acked = messages.get(7);
            audit.handled(acked, 1);
            audit.observer.topicDeleted("gone", Duration.ZERO);
            OutgoingMessage later = AuditFixture.message("later").build();
            audit.schedule(List.of(OutgoingMessage.to("gone")
                    .id("later")
                    .payload(new byte[1])
                    .generation(later.generation())
                    .build()));

            audit.write();

            assertThat(audit.jdbc
                            .sql(
                                    "SELECT COUNT(*) FROM delayqueue_message WHERE status = 'PURGED' AND reason LIKE '%deleted%'")
                            .query(Long.class)
                            .single())
                    .isEqualTo(1_299);
            assertThat(audit.status(acked)).isEqualTo("ACKED");
            assertThat(audit.status(other)).isEqualTo("SCHEDULED");
            assertThat(audit.count("event")).isEqualTo(1_300);
        }
    }

    /** At a thousand acks a second, those of other topics would fill the buffer while all of a large topic is written. */
    @EachDatabase(DatabaseKind.H2)
    void aDeletedTopicHoldsUpNoEventsOfOthers(TestDatabase database) throws Exception {
        try (AuditFixture audit = new AuditFixture(database)) {
            audit.sent("gone", 5_000);
            List<OutgoingMessage> others = audit.sent("other", 3);
            audit.observer.topicDeleted("gone", Duration.ZERO);
            for (OutgoingMessage other : others) {
                audit.handled(other, 1);
                audit.writer.writeNext(Duration.ZERO);
                assertThat(audit.status(other)).isEqualTo("ACKED");
                assertThat(audit.writer.unwritten()).isEqualTo(1);
            }
            assertThat(unfinished(audit, "gone")).isGreaterThan(3_000);

            // the audit of an instance that starts goes on with the rest
            audit.writer.start();
            Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> unfinished(audit, "gone") == 0);
            Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> audit.writer.unwritten() == 0);
            audit.writer.close();
        }
    }

    /** Another transaction holds rows of the topic. */
    @Tag("slow")
    @EachDatabase(DatabaseKind.POSTGRESQL)
    void aDeletedTopicWhoseRowsAreLockedHoldsUpNoEventsOfOthers(TestDatabase database) throws Exception {
        try (AuditFixture audit = new AuditFixture(database);
                Connection holder = audit.database.dataSource().getConnection()) {
            audit.sent("gone", 10);
            List<OutgoingMessage> others = audit.sent("other", 20);
            holder.setAutoCommit(false);
            try (Statement statement = holder.createStatement()) {
                assertThat(statement.executeUpdate(
                                "UPDATE delayqueue_message SET reason = 'mine' WHERE topic = 'gone'"))
                        .isEqualTo(10);
            }
            audit.observer.topicDeleted("gone", Duration.ZERO);
            audit.writer.start();
            for (OutgoingMessage other : others) {
                audit.handled(other, 1);
            }

            Awaitility.await()
                    .atMost(Duration.ofMinutes(1))
                    .until(() -> others.stream()
                            .allMatch(other -> audit.status(other).equals("ACKED")));
            Awaitility.await().atMost(Duration.ofMinutes(1)).until(database::isSomebodyWaiting);
            OutgoingMessage last = audit.sent("last");
            audit.handled(last, 1);
            Awaitility.await()
                    .atMost(Duration.ofMinutes(1))
                    .until(() -> audit.status(last).equals("ACKED"));
            assertThat(unfinished(audit, "gone")).isEqualTo(10);
            holder.rollback();
            Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> unfinished(audit, "gone") == 0);
            audit.writer.close();
        }
    }

    private static long unfinished(AuditFixture audit, String topic) {
        return audit.jdbc
                .sql("SELECT COUNT(*) FROM delayqueue_message WHERE topic = ? AND finished IS NULL")
                .param(audit.name(topic))
                .query(Long.class)
                .single();
    }

    /**
     * Cancel and schedule in one transaction: the observer tells the id of the first message when the second one
     * may be in Redis already.
     */
    @EachDatabase
    void theEndOfAMessageIsNeverTakenForThatOfALaterOneOfItsId(TestDatabase database) throws Exception {
        try (AuditFixture audit = new AuditFixture(database)) {
            List<OutgoingMessage> first = audit.sent(TOPIC, 100);
            List<OutgoingMessage> second = first.stream()
                    .map(message -> AuditFixture.message(message.id()).build())
                    .toList();
            audit.schedule(second);
            first.forEach(message -> audit.observer.cancelled(TOPIC, message.id(), Duration.ZERO));
            // the relay has sent both changes and records them before the audit does
            first.forEach(message -> audit.setStatus(message, MessageStatus.CANCELLED));
            second.forEach(message -> audit.setStatus(message, MessageStatus.SCHEDULED));
            // surely after the events, which are only known to about a millisecond
            audit.jdbc
                    .sql("UPDATE delayqueue_message SET updated = updated + 1000000")
                    .update();

            audit.write();

            assertThat(second)
                    .allSatisfy(message -> assertThat(audit.status(message)).isEqualTo("SCHEDULED"));
            assertThat(generationsOfEvents(audit))
                    .containsExactlyInAnyOrderElementsOf(
                            first.stream().map(OutgoingMessage::generation).toList());
        }
    }

    /** An instance froze between Redis' work and its answer; meanwhile the ids were scheduled again, sent and recorded. */
    @EachDatabase
    void anAnswerThatComesLateEndsNoLaterMessageOfItsId(TestDatabase database) throws Exception {
        try (AuditFixture audit = new AuditFixture(database)) {
            List<OutgoingMessage> first = audit.sent(TOPIC, 8);
            long beganNanos = System.nanoTime();
            List<OutgoingMessage> second = first.stream()
                    .map(message -> AuditFixture.message(message.id()).build())
                    .toList();
            audit.schedule(second);
            second.forEach(message -> audit.setStatus(message, MessageStatus.SCHEDULED));

            Duration ago = Duration.ofNanos(System.nanoTime() - beganNanos);
            audit.observer.cancelled(TOPIC, "m0", ago);
            audit.observer.expired(TOPIC, "m1", ago);
            audit.observer.purged(TOPIC, List.of("m2", "m3"), ago);
            audit.observer.deadLettered(TOPIC, "m4", 3, "lease expired", ago);
            audit.observer.rescheduled(TOPIC, "m5", Delay.of(HOUR.multipliedBy(1_000)), ago);
            audit.write();

            assertThat(first.stream().map(audit::status))
                    .containsExactly(
                            "CANCELLED", "EXPIRED", "PURGED", "PURGED", "DEAD", "SCHEDULED", "SCHEDULED", "SCHEDULED");
            assertThat(second)
                    .allSatisfy(message -> assertThat(audit.status(message)).isEqualTo("SCHEDULED"));
            assertThat(number(audit.row(second.get(5)).get("due")))
                    .isLessThan(number(audit.row(first.get(5)).get("due")));

            audit.observer.topicDeleted(TOPIC, Duration.ofNanos(System.nanoTime() - beganNanos));
            audit.write();

            assertThat(first.subList(6, 8))
                    .allSatisfy(message -> assertThat(audit.status(message)).isEqualTo("PURGED"));
            assertThat(second)
                    .allSatisfy(message -> assertThat(audit.status(message)).isEqualTo("SCHEDULED"));
        }
    }

    @EachDatabase
    void cancellationsByOtherWaysThanTheOutboxEndTheMessageThatRedisHad(TestDatabase database) throws Exception {
        try (AuditFixture audit = new AuditFixture(database)) {
            List<OutgoingMessage> former = audit.sent(TOPIC, 300);
            former.forEach(message -> audit.handled(message, 1));
            audit.write();
            List<OutgoingMessage> present = audit.sent(TOPIC, 300);
            audit.jdbc
                    .sql("UPDATE delayqueue_message SET status = 'ACKED' WHERE finished IS NOT NULL")
                    .update();
            List<OutgoingMessage> unsent = former.stream()
                    .map(message -> AuditFixture.message(message.id()).build())
                    .toList();
            audit.schedule(unsent);
            present.forEach(message -> audit.observer.cancelled(TOPIC, message.id(), Duration.ZERO));

            audit.write();

            assertThat(former)
                    .allSatisfy(message -> assertThat(audit.status(message)).isEqualTo("ACKED"));
            assertThat(present)
                    .allSatisfy(message -> assertThat(audit.status(message)).isEqualTo("CANCELLED"));
            assertThat(unsent)
                    .allSatisfy(message -> assertThat(audit.status(message)).isEqualTo("OUTBOX"));
        }
    }

    @EachDatabase
    void acksCountWhateverTheRelayConcludedFromAnId(TestDatabase database) throws Exception {
        try (AuditFixture audit = new AuditFixture(database)) {
            OutgoingMessage unrecorded = audit.schedule("not recorded as sent yet");
            OutgoingMessage replaced = audit.sent("taken for replaced");
            audit.setStatus(replaced, MessageStatus.REPLACED);
            OutgoingMessage failed = audit.sent("failed before it was cancelled");
            audit.setStatus(failed, MessageStatus.CANCELLED);
            audit.handled(unrecorded, 1);
            audit.handled(replaced, 1);
            audit.failed(failed, 1, HOUR, "late");

            audit.write();

            assertThat(audit.status(unrecorded)).isEqualTo("ACKED");
            assertThat(audit.status(replaced)).isEqualTo("ACKED");
            assertThat(audit.status(failed)).isEqualTo("CANCELLED");
        }
    }

    private static List<String> generationsOfEvents(AuditFixture audit) {
        return audit.jdbc
                .sql("SELECT generation FROM delayqueue_event")
                .query(String.class)
                .list();
    }
}
