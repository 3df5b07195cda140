package io.delayqueue.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.tuple;

import io.delayqueue.Delay;
import io.delayqueue.DuplicatePolicy;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.ScheduleOutcome;
import io.delayqueue.ScheduleResult;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.Everyday;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The rows that calls write, read back on each database. */
@Everyday(DatabaseKind.MARIADB)
class OutboxWriteTests {

    private static final Instant DUE = Instant.parse("2999-12-31T23:59:59.123456Z");

    @EachDatabase
    void aScheduledMessageHasItsRows(TestDatabase database) {
        WritingFixture journal = new WritingFixture(database);
        OutgoingMessage message = OutgoingMessage.to("orders")
                .id("order-é-1")
                .payload(new byte[] {0, -1, 2})
                .delay(Duration.ofHours(1))
                .priority(7)
                .maxAttempts(5)
                .timeToLive(Duration.ofDays(2))
                .header("order", "A-17")
                .header("tenant", "\u4e3b \"x\"")
                .ifExists(DuplicatePolicy.REPLACE)
                .build();
        long before = journal.now();

        ScheduleResult result = journal.transaction.execute(status -> journal.sender.schedule(message));

        assertThat(result).isEqualTo(new ScheduleResult("order-é-1", ScheduleOutcome.SCHEDULED));
        long after = journal.now();
        Map<String, Object> row = journal.message("order-é-1");
        assertThat(row)
                .containsEntry("generation", message.generation())
                .containsEntry("status", "OUTBOX")
                .containsEntry("duplicates", "REPLACE");
        assertThat(numbers(row, "priority", "max_attempts", "time_to_live", "due_is_instant", "attempts"))
                .containsExactly(7L, 5L, Duration.ofDays(2).toNanos() / 1_000, 0L, 0L);
        long created = WritingFixture.number(row.get("created"));
        assertThat(created).isBetween(before, after);
        assertThat(WritingFixture.number(row.get("due")) - created)
                .isBetween(3_600_000_000L - 1_000, 3_600_000_000L + after - before);
        assertThat(payload(journal.jdbc)).isEqualTo(new byte[] {0, -1, 2});
        assertThat(HeadersColumn.decode(text(journal.jdbc, "headers"))).isEqualTo(message.headers());
        Map<String, Object> outbox = journal.outbox("order-é-1");
        assertThat(journal.changes("order-é-1")).containsExactly(new Change.Schedule(message.generation()));
        assertThat(outbox).containsEntry("generation", message.generation());
        assertThat(numbers(outbox, "changes", "sender", "failures")).containsExactly(1L, WritingFixture.SENDER, 0L);
        assertThat(WritingFixture.number(outbox.get("send_at"))).isBetween(before + 10_000_000, after + 10_000_000);
        assertThat(journal.offered)
                .extracting(CommittedChange::key, CommittedChange::token)
                .containsExactly(tuple(new MessageId("orders", "order-é-1"), message.generation()));
    }

    @EachDatabase
    void anInstantIsKeptAsItIs(TestDatabase database) {
        WritingFixture journal = new WritingFixture(database);
        OutgoingMessage message = OutgoingMessage.to("orders")
                .id("a")
                .payload(new byte[0])
                .dueAt(DUE)
                .build();

        journal.transaction.executeWithoutResult(status -> journal.sender.schedule(message));

        Map<String, Object> row = journal.message("a");
        assertThat(numbers(row, "due", "due_is_instant")).containsExactly(micros(DUE), 1L);
        assertThat(row.get("max_attempts")).isNull();
        assertThat(row.get("time_to_live")).isNull();
        assertThat(row.get("headers")).isNull();
        assertThat(row.get("business_key")).isNull();
        assertThat(payload(journal.jdbc)).isEmpty();
    }

    @EachDatabase
    void aCallWithoutAScheduleHasARowToo(TestDatabase database) {
        WritingFixture journal = new WritingFixture(database);

        journal.transaction.executeWithoutResult(status -> {
            journal.sender.cancelAll("orders", List.of("b", "a", "b"));
            journal.sender.reschedule("orders", "c", Delay.NONE);
        });

        assertThat(journal.outboxIds()).containsExactly("a", "b", "c");
        assertThat(journal.outbox("a").get("generation")).isNull();
        assertThat(journal.changes("b")).hasSize(1);
        assertThat(journal.messageIds()).isEmpty();
    }

    @EachDatabase
    void aBulkLargerThanAStatementIsWrittenWhole(TestDatabase database) {
        WritingFixture journal = new WritingFixture(database);
        List<OutgoingMessage> messages = new ArrayList<>();
        for (int i = 0; i < 1_250; i++) {
            // every fifth id has two messages
            messages.add(message("id-" + (i % 1_000)).payload(new byte[i]).build());
        }

        List<ScheduleResult> results = journal.transaction.execute(status -> journal.sender.scheduleAll(messages));

        assertThat(results)
                .extracting(ScheduleResult::id)
                .isEqualTo(messages.stream().map(OutgoingMessage::id).toList());
        assertThat(journal.outboxIds()).hasSize(1_000);
        assertThat(journal.changes("id-17"))
                .containsExactly(
                        new Change.Schedule(messages.get(17).generation()),
                        new Change.Schedule(messages.get(1_017).generation()));
        assertThat(journal.outbox("id-17"))
                .containsEntry("generation", messages.get(1_017).generation());
        assertThat(journal.jdbc
                        .sql("SELECT SUM(LENGTH(payload)) FROM delayqueue_message")
                        .query(Long.class)
                        .single())
                .isEqualTo(IntStream.range(0, 1_250).sum());
        assertThat(journal.offered).hasSize(1_250);
    }

    @EachDatabase
    void largePayloadsOfABulkAreSplitIntoStatements(TestDatabase database) {
        WritingFixture journal = new WritingFixture(database);
        List<OutgoingMessage> messages = IntStream.range(0, 6)
                .mapToObj(i -> message("id-" + i).payload(new byte[1 << 20]).build())
                .toList();

        journal.transaction.executeWithoutResult(status -> journal.sender.scheduleAll(messages));

        assertThat(journal.messageIds()).hasSize(6);
    }

    @EachDatabase
    void aLongBusinessKeyIsCutAndNamesNoHalfCharacter(TestDatabase database) {
        WritingFixture journal = new WritingFixture(database);
        String key = "k".repeat(254) + "🛒";

        journal.transaction.executeWithoutResult(status ->
                journal.sender.schedule(message("a").header("order", key).build()));

        assertThat(text(journal.jdbc, "business_key")).isEqualTo("k".repeat(254));
        assertThat(HeadersColumn.decode(text(journal.jdbc, "headers"))).containsEntry("order", key);
    }

    @EachDatabase
    void invalidCallsAreRefusedBeforeAnythingIsWritten(TestDatabase database) {
        WritingFixture journal = new WritingFixture(database);
        OutgoingMessage large =
                message("large").payload(new byte[(1 << 20) + 1]).build();

        journal.transaction.executeWithoutResult(status -> {
            assertThatIllegalArgumentException()
                    .isThrownBy(() ->
                            journal.sender.scheduleAll(List.of(message("a").build(), large)))
                    .withMessageContaining("maxPayload");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> journal.sender.schedule(message("a\0b").build()))
                    .withMessageContaining("NUL");
            assertThatIllegalArgumentException().isThrownBy(() -> journal.sender.cancel("no topic", "a"));
            assertThatIllegalArgumentException().isThrownBy(() -> journal.sender.cancel("orders", ""));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> journal.sender.reschedule("orders", "x".repeat(513), Delay.NONE));
        });

        assertThat(journal.outboxIds()).isEmpty();
        assertThat(journal.messageIds()).isEmpty();
        assertThat(journal.offered).isEmpty();
    }

    @EachDatabase
    void aMessageThatTheCheckRefusesIsRefusedInTheTransactionWithAllOfItsCall(TestDatabase database) {
        WritingFixture journal = new WritingFixture(database);
        OutgoingMessage good = message("good").build();
        OutgoingMessage bad =
                message("bad").header(WritingFixture.BAD_HEADER, "1").build();

        journal.transaction.executeWithoutResult(status -> {
            List<Runnable> calls = List.of(
                    () -> journal.sender.schedule(bad),
                    () -> journal.sender.scheduleAsync(bad),
                    () -> journal.sender.scheduleAll(List.of(good, bad)),
                    () -> journal.sender.scheduleAllAsync(List.of(good, bad)));
            assertThat(calls)
                    .allSatisfy(call -> assertThatIllegalArgumentException()
                            .isThrownBy(call::run)
                            .withMessage("bad header"));
            journal.sender.schedule(message("kept").build());
        });

        assertThat(journal.outboxIds()).as("the transaction goes on").containsExactly("kept");
        assertThat(journal.messageIds()).containsExactly("kept");
        assertThat(journal.offered).hasSize(1);
    }

    @EachDatabase
    void theDatabasesFailureIsThrownAndNothingIsOffered(TestDatabase database) {
        WritingFixture journal = new WritingFixture(database);
        journal.jdbc.sql("DROP TABLE delayqueue_message").update();

        assertThatExceptionOfType(DataAccessException.class)
                .isThrownBy(() -> journal.sender.scheduleAsync(message("a").build()));

        assertThat(journal.outboxIds()).isEmpty();
        assertThat(journal.offered).isEmpty();
    }

    private static OutgoingMessage.Builder message(String id) {
        return OutgoingMessage.to("orders").id(id).payload(new byte[] {1});
    }

    private static List<Long> numbers(Map<String, Object> row, String... columns) {
        return Arrays.stream(columns)
                .map(column -> WritingFixture.number(row.get(column)))
                .toList();
    }

    private static byte[] payload(JdbcClient jdbc) {
        return jdbc.sql("SELECT payload FROM delayqueue_message")
                .query((row, number) -> row.getBytes(1))
                .single();
    }

    private static String text(JdbcClient jdbc, String column) {
        return jdbc.sql("SELECT " + column + " FROM delayqueue_message")
                .query((row, number) -> row.getString(1))
                .single();
    }

    private static long micros(Instant instant) {
        return Math.addExact(Math.multiplyExact(instant.getEpochSecond(), 1_000_000L), instant.getNano() / 1_000);
    }
}
