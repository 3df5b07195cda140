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
import io.delayqueue.jdbc.MessageStatus;
import io.delayqueue.jdbc.database.DatabaseKind;
import io.delayqueue.jdbc.database.EachDatabase;
import io.delayqueue.jdbc.database.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;

/** What becomes of messages is in the journal a moment later, whatever the order in which instances write. */
class AuditTests {

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

            audit.observer.redriven(TOPIC, List.of("m0"), Delay.of(HOUR), Duration.ZERO);
            audit.observer.rescheduled(TOPIC, "m1", Delay.until(Instant.EPOCH.plusSeconds(4_000_000_000L)));
            audit.observer.purged(TOPIC, List.of("m2"));
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
            audit.observer.topicDeleted("gone");
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

    @EachDatabase
    void aBatchThatIsWrittenAgainInsertsNothingTwice(TestDatabase database) throws Exception {
        try (AuditFixture audit = new AuditFixture(database)) {
            List<OutgoingMessage> messages = audit.sent(TOPIC, 300);
            messages.forEach(message -> audit.failed(message, 1, HOUR, "no"));
            messages.subList(0, 200).forEach(message -> audit.handled(message, 2));
            audit.observer.cancelled(TOPIC, "m250");
            List<TimedEvent> batch = timed(audit.buffer.take(1_000, 0, TimeUnit.SECONDS));

            audit.batch("here").write(batch);
            audit.batch("here").write(batch);

            assertThat(audit.count("event")).isEqualTo(501);
            assertThat(audit.status(messages.get(0))).isEqualTo("ACKED");
            assertThat(audit.status(messages.get(250))).isEqualTo("CANCELLED");
            assertThat(audit.status(messages.get(299))).isEqualTo("SCHEDULED");
        }
    }

    /** Random lives of many messages, each event written by one of three instances that are late by different times. */
    @EachDatabase
    void rowsEndInTheStateOfTheLatestEventWhateverTheOrderOfInstances(TestDatabase database) throws Exception {
        Random random = new Random(13);
        try (AuditFixture audit = new AuditFixture(database)) {
            List<OutgoingMessage> messages = audit.sent(TOPIC, 200);
            List<List<TimedEvent>> ofInstances = List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
            List<MessageStatus> expected = new ArrayList<>();
            long nanos = System.nanoTime();
            long time = 1_000_000;
            for (OutgoingMessage message : messages) {
                MessageStatus status = MessageStatus.SCHEDULED;
                int steps = 1 + random.nextInt(6);
                for (int step = 0; step < steps && status != MessageStatus.ACKED; step++) {
                    MessageStatus from = status;
                    status = next(status, random);
                    time += random.nextInt(2); // several in the same µs
                    ofInstances.get(random.nextInt(3)).add(event(message, from, status, time, nanos, time * 10 + step));
                }
                expected.add(status);
            }
            List<CompletableFuture<Void>> writers = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                List<TimedEvent> events = ofInstances.get(i);
                Collections.shuffle(events, random);
                AuditBatch batch = audit.batch("instance " + i);
                writers.add(CompletableFuture.runAsync(() -> {
                    for (int from = 0; from < events.size(); from += 37) {
                        batch.write(events.subList(from, Math.min(from + 37, events.size())));
                    }
                }));
            }
            writers.forEach(CompletableFuture::join);

            List<String> found = messages.stream().map(audit::status).toList();
            assertThat(found)
                    .isEqualTo(expected.stream().map(MessageStatus::name).toList());
            assertThat(audit.count("event"))
                    .isEqualTo(ofInstances.stream().mapToLong(List::size).sum());
            assertThat(audit.jdbc
                            .sql(
                                    "SELECT COUNT(*) FROM delayqueue_message WHERE (status IN ('ACKED', 'DEAD')) <> (finished IS NOT NULL)")
                            .query(Long.class)
                            .single())
                    .isZero();
        }
    }

    private static MessageStatus next(MessageStatus status, Random random) {
        List<MessageStatus> following = switch (status) {
            case SCHEDULED -> List.of(MessageStatus.IN_FLIGHT);
            case IN_FLIGHT -> List.of(MessageStatus.ACKED, MessageStatus.SCHEDULED, MessageStatus.DEAD);
            default -> List.of(MessageStatus.SCHEDULED);
        };
        return following.get(random.nextInt(following.size()));
    }

    private static TimedEvent event(
            OutgoingMessage message,
            @Nullable MessageStatus from,
            MessageStatus to,
            long micros,
            long nanos,
            long sequence) {
        return new TimedEvent(
                new AuditEvent(
                        message.topic(),
                        message.id(),
                        message.generation(),
                        from,
                        to,
                        nanos,
                        sequence,
                        null,
                        1,
                        null,
                        null),
                micros,
                null);
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
            first.forEach(message -> audit.observer.cancelled(TOPIC, message.id()));
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
            present.forEach(message -> audit.observer.cancelled(TOPIC, message.id()));

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

    /** The handler was quicker than the relay, which has not committed yet that the message is in Redis. */
    @EachDatabase(DatabaseKind.POSTGRESQL)
    void acksWaitForRowsThatTheRelayIsChanging(TestDatabase database) throws Exception {
        try (AuditFixture audit = new AuditFixture(database)) {
            List<OutgoingMessage> messages = IntStream.range(0, 10)
                    .mapToObj(i -> AuditFixture.message("m" + i).build())
                    .toList();
            audit.schedule(messages);
            messages.forEach(message -> audit.handled(message, 1));
            List<CompletableFuture<Void>> writing = new ArrayList<>();
            audit.transaction.run(() -> {
                messages.subList(0, 5).forEach(message -> audit.setStatus(message, MessageStatus.SCHEDULED));
                writing.add(CompletableFuture.runAsync(() -> {
                    try {
                        audit.write();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                }));
                await().until(() -> new JdbcTemplate(database.dataSource())
                                .queryForObject(
                                        "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database()"
                                                + " AND wait_event_type = 'Lock'",
                                        Long.class)
                        > 0);
            });
            writing.get(0).get(30, TimeUnit.SECONDS);

            assertThat(messages)
                    .allSatisfy(message -> assertThat(audit.status(message)).isEqualTo("ACKED"));
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
            audit.observer.delivered(delivered, Duration.ZERO);
            audit.observer.delivered(interrupted, Duration.ZERO);
            ReceivedMessage unhandled = received(quick, 1);
            audit.observer.delivered(unhandled, Duration.ZERO);
            audit.observer.released(unhandled);
            audit.write();
            assertThat(audit.count("event")).isZero();

            await().untilAsserted(() -> {
                audit.write();
                assertThat(audit.status(message)).isEqualTo("IN_FLIGHT");
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
    void anEventThatTheDatabaseCantKeepSpoilsNoOther(TestDatabase database) throws Exception {
        try (AuditFixture audit = new AuditFixture(database)) {
            List<OutgoingMessage> messages = audit.sent(TOPIC, 50);
            messages.subList(0, 20).forEach(message -> audit.handled(message, 1));
            String tooLong = "x".repeat(900);
            audit.observer.cancelled(TOPIC, tooLong);
            messages.subList(20, 50).forEach(message -> audit.handled(message, 1));

            audit.write();

            assertThat(messages)
                    .allSatisfy(message -> assertThat(audit.status(message)).isEqualTo("ACKED"));
            assertThat(audit.buffer.dropped())
                    .isEqualTo(database.kind() == DatabaseKind.MARIADB && audit.count("event") == 51 ? 0 : 1);
            assertThat(audit.jdbc
                            .sql("SELECT name FROM delayqueue_lease")
                            .query(String.class)
                            .list())
                    .containsExactly("audit-gap");
        }
    }

    @EachDatabase
    void theLongestDelaysAreKept(TestDatabase database) throws Exception {
        Duration years = Duration.ofDays(365_000);
        try (AuditFixture audit = new AuditFixture(database)) {
            OutgoingMessage rescheduled = audit.sent("never");
            OutgoingMessage retried = audit.sent("hardly ever");
            OutgoingMessage other = audit.sent("other");
            audit.observer.rescheduled(TOPIC, "never", Delay.of(years));
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

    /** Code that fails for one event, such as a listener's, must not keep the writer from all others for good. */
    @EachDatabase(DatabaseKind.H2)
    void anEventThatCodeCantTakeIsDroppedAlone(TestDatabase database) throws Exception {
        try (AuditFixture audit = new AuditFixture(database)) {
            List<OutgoingMessage> messages = audit.sent(TOPIC, 50);
            messages.forEach(message -> audit.handled(message, 1));

            audit.writer(events -> {
                        if (events.stream().anyMatch(event -> event.id().equals("m17"))) {
                            throw new ArithmeticException("pretended");
                        }
                    })
                    .writeAll();

            assertThat(audit.buffer.dropped()).isOne();
            assertThat(audit.status(messages.get(17))).isEqualTo("SCHEDULED");
            assertThat(messages)
                    .filteredOn(message -> !message.id().equals("m17"))
                    .allSatisfy(message -> assertThat(audit.status(message)).isEqualTo("ACKED"));
        }
    }

    /** As after a failover to a server whose clock is 30 s behind. */
    @EachDatabase
    void endsCountThoughTheClockOfRedisWentBack(TestDatabase database) throws Exception {
        try (AuditFixture audit = new AuditFixture(database)) {
            List<OutgoingMessage> messages = audit.sent(TOPIC, 6);
            AuditBatch batch = audit.batch("here");
            long before = 2_000_000_000_000_000L;
            long behind = before - 30_000_000;
            long nanos = System.nanoTime();
            List<TimedEvent> retried = new ArrayList<>();
            for (OutgoingMessage message : messages) {
                retried.add(event(message, MessageStatus.IN_FLIGHT, MessageStatus.SCHEDULED, before, nanos, 1));
            }
            batch.write(retried);

            audit.observer.cancelled(TOPIC, "m0");
            audit.observer.expired(TOPIC, "m1");
            audit.observer.purged(TOPIC, List.of("m2"));
            long now = System.nanoTime();
            List<TimedEvent> ends = new ArrayList<>();
            for (AuditEvent event : audit.buffer.take(10, 0, TimeUnit.SECONDS)) {
                ends.add(new TimedEvent(event, behind, null));
            }
            ends.add(event(messages.get(3), null, MessageStatus.PURGED, behind, now, 2));
            ends.add(event(messages.get(4), MessageStatus.IN_FLIGHT, MessageStatus.ACKED, behind, now, 2));
            ends.add(event(messages.get(5), MessageStatus.SCHEDULED, MessageStatus.IN_FLIGHT, behind, now, 2));
            batch.write(ends);

            assertThat(messages.stream().map(audit::status))
                    .containsExactly("CANCELLED", "EXPIRED", "PURGED", "PURGED", "ACKED", "SCHEDULED");

            // and nothing comes behind an end
            batch.write(List.of(
                    event(messages.get(3), MessageStatus.IN_FLIGHT, MessageStatus.SCHEDULED, before + 1, now, 3),
                    event(messages.get(3), MessageStatus.IN_FLIGHT, MessageStatus.DEAD, before + 2, now, 4)));
            assertThat(audit.status(messages.get(3))).isEqualTo("PURGED");
        }
    }

    private static List<String> generationsOfEvents(AuditFixture audit) {
        return audit.jdbc
                .sql("SELECT generation FROM delayqueue_event")
                .query(String.class)
                .list();
    }

    private static List<TimedEvent> timed(List<AuditEvent> events) {
        long now = System.nanoTime();
        return events.stream()
                .map(event -> TimedEvent.of(event, 1_000_000_000_000_000L, now))
                .toList();
    }
}
