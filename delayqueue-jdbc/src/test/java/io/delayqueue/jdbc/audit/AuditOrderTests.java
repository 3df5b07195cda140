package io.delayqueue.jdbc.audit;

import static io.delayqueue.jdbc.audit.AuditFixture.TOPIC;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.jdbc.MessageStatus;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;

/** The end of a message is in the journal a moment later, in whatever order instances write. */
class AuditOrderTests {

    private static final Duration HOUR = Duration.ofHours(1);

    @EachDatabase
    void aBatchThatIsWrittenAgainInsertsNothingTwice(TestDatabase database) throws Exception {
        try (AuditFixture audit = new AuditFixture(database)) {
            List<OutgoingMessage> messages = audit.sent(TOPIC, 300);
            messages.subList(0, 250).forEach(message -> audit.failed(message, 1, HOUR, "no"));
            messages.subList(0, 200).forEach(message -> audit.handled(message, 2));
            audit.observer.cancelled(TOPIC, "m250", Duration.ZERO);
            List<TimedEvent> batch = timed(audit.buffer.take(1_000, 0, TimeUnit.SECONDS));

            audit.batch("here").write(batch);
            audit.batch("here").write(batch);

            assertThat(audit.count("event")).isEqualTo(451);
            assertThat(audit.status(messages.get(0))).isEqualTo("ACKED");
            assertThat(audit.status(messages.get(250))).isEqualTo("CANCELLED");
            assertThat(audit.status(messages.get(299))).isEqualTo("SCHEDULED");
        }
    }

    /** As a batch that was split, of which one commit was not answered. */
    @EachDatabase
    void aBatchThatWasWrittenInPartIsCompleted(TestDatabase database) throws Exception {
        try (AuditFixture audit = new AuditFixture(database)) {
            List<OutgoingMessage> messages = audit.sent(TOPIC, 100);
            messages.forEach(message -> audit.handled(message, 1));
            List<TimedEvent> batch = timed(audit.buffer.take(1_000, 0, TimeUnit.SECONDS));

            audit.batch("here").write(batch.subList(20, 50));
            audit.batch("here").write(batch);

            assertThat(audit.count("event")).isEqualTo(100);
            assertThat(messages)
                    .allSatisfy(message -> assertThat(audit.status(message)).isEqualTo("ACKED"));
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
                await().atMost(Duration.ofSeconds(30))
                        .until(() -> new JdbcTemplate(database.dataSource())
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

    /** As after a failover to a server whose clock is 30 s behind. */
    @EachDatabase
    void endsCountThoughTheClockOfRedisWentBack(TestDatabase database) throws Exception {
        try (AuditFixture audit = new AuditFixture(database)) {
            List<OutgoingMessage> messages = audit.sent(TOPIC, 6);
            AuditBatch batch = audit.batch("here");
            long before = 2_000_000_000_000_000L;
            long behind = before - 30_000_000;
            // an event of an id does not count for a message that changed less than a millisecond before
            long nanos = System.nanoTime() - TimeUnit.SECONDS.toNanos(5);
            List<TimedEvent> retried = new ArrayList<>();
            for (OutgoingMessage message : messages) {
                retried.add(event(message, MessageStatus.IN_FLIGHT, MessageStatus.SCHEDULED, before, nanos, 1));
            }
            batch.write(retried);

            audit.observer.cancelled(TOPIC, "m0", Duration.ZERO);
            audit.observer.expired(TOPIC, "m1", Duration.ZERO);
            audit.observer.purged(TOPIC, List.of("m2"), Duration.ZERO);
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
                        nanos,
                        sequence,
                        null,
                        1,
                        null,
                        null),
                micros,
                null);
    }

    private static List<TimedEvent> timed(List<AuditEvent> events) {
        long now = System.nanoTime();
        return events.stream()
                .map(event -> TimedEvent.of(event, 1_000_000_000_000_000L, now))
                .toList();
    }
}
