package io.delayqueue.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.CancelOutcome;
import io.delayqueue.ClientOverloadedException;
import io.delayqueue.Delay;
import io.delayqueue.DuplicatePolicy;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.RescheduleOutcome;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.Everyday;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Rows of ids and messages that have rows already. */
@Everyday(DatabaseKind.MARIADB)
class RepeatedUseTests {

    private static final Instant DUE = Instant.parse("2999-12-31T23:59:59.123456Z");

    @EachDatabase
    void changesOfAnIdKeepTheOrderOfTheirTransactions(TestDatabase database) {
        WritingFixture journal = new WritingFixture(database);
        OutgoingMessage first = message("a").build();
        OutgoingMessage second = message("a").build();

        journal.transaction.executeWithoutResult(status -> journal.sender.schedule(first));
        CancelOutcome cancelled = journal.transaction.execute(status -> journal.sender.cancel("orders", "a"));
        journal.transaction.executeWithoutResult(status -> journal.sender.schedule(second));
        long before = journal.now();
        RescheduleOutcome rescheduled = journal.transaction.execute(
                status -> journal.sender.reschedule("orders", "a", Delay.of(Duration.ofSeconds(30))));
        long after = journal.now();
        journal.transaction.executeWithoutResult(status -> journal.sender.reschedule("orders", "a", Delay.until(DUE)));

        assertThat(cancelled).isEqualTo(CancelOutcome.AFTER_COMMIT);
        assertThat(rescheduled).isEqualTo(RescheduleOutcome.AFTER_COMMIT);
        List<Change> changes = journal.changes("a");
        assertThat(changes)
                .extracting(Change::token)
                .isEqualTo(journal.offered.stream().map(CommittedChange::token).toList());
        assertThat(changes.get(0)).isEqualTo(new Change.Schedule(first.generation()));
        assertThat(changes.get(1)).isInstanceOf(Change.Cancel.class);
        assertThat(changes.get(2)).isEqualTo(new Change.Schedule(second.generation()));
        assertThat(changes.get(3)).isInstanceOfSatisfying(Change.Reschedule.class, change -> {
            assertThat(change.instant()).isFalse();
            assertThat(change.dueMicros()).isBetween(before + 30_000_000, after + 30_000_000);
        });
        assertThat(changes.get(4)).isInstanceOfSatisfying(Change.Reschedule.class, change -> {
            assertThat(change.instant()).isTrue();
            assertThat(change.dueMicros()).isEqualTo(micros(DUE));
        });
        assertThat(journal.outbox("a"))
                .containsEntry("generation", second.generation())
                .containsEntry("trace", "trace-of-orders");
        assertThat(WritingFixture.number(journal.outbox("a").get("changes"))).isEqualTo(5);
        assertThat(journal.messageIds()).containsExactly("a", "a");
    }

    @EachDatabase
    void aRepeatedCallOfTheSameMessageKeepsItsRow(TestDatabase database) {
        WritingFixture journal = new WritingFixture(database);
        OutgoingMessage message = message("a").build();
        journal.transaction.executeWithoutResult(status -> journal.sender.schedule(message));
        journal.jdbc.sql("UPDATE delayqueue_message SET status = 'ACKED'").update();

        journal.transaction.executeWithoutResult(status -> journal.sender.schedule(message));

        assertThat(journal.message("a")).containsEntry("status", "ACKED");
        assertThat(journal.changes("a"))
                .containsExactly(new Change.Schedule(message.generation()), new Change.Schedule(message.generation()));
    }

    @EachDatabase
    void aRepeatedCallOfAMessageThatRedisRefusedSendsItAgain(TestDatabase database) {
        WritingFixture journal = new WritingFixture(database);
        OutgoingMessage message = message("a").delay(Duration.ofHours(1)).build();
        journal.transaction.executeWithoutResult(status -> journal.sender.schedule(message));
        journal.jdbc
                .sql("UPDATE delayqueue_message SET status = 'REJECTED', finished = 5, due = 5, created = 5")
                .update();
        long before = journal.now();

        journal.transaction.executeWithoutResult(status -> journal.sender.scheduleAll(List.of(message, message)));

        Map<String, Object> row = journal.message("a");
        assertThat(row).containsEntry("status", "OUTBOX").containsEntry("finished", null);
        assertThat(WritingFixture.number(row.get("due")))
                .isBetween(before + 3_600_000_000L, journal.now() + 3_600_000_000L);
        assertThat(WritingFixture.number(row.get("created")))
                .as("later than messages of the id that Redis took meanwhile")
                // the second message of a call counts as a microsecond later, and H2's clock counts milliseconds
                .isBetween(before, journal.now() + 1);
    }

    /** The later one is the one that a restore brings back, and that events belong to which name the id only. */
    @EachDatabase
    void usesOfAnIdInOneCallAreInTheirOrder(TestDatabase database) {
        WritingFixture journal = new WritingFixture(database);
        List<OutgoingMessage> messages = Stream.of("a", "b", "a", "b", "a")
                .map(id -> message(id).ifExists(DuplicatePolicy.REPLACE).build())
                .toList();

        journal.transaction.executeWithoutResult(status -> journal.sender.scheduleAll(messages));

        assertThat(journal.jdbc
                        .sql("SELECT generation, created FROM delayqueue_message WHERE id = ? ORDER BY created")
                        .param(journal.name("a"))
                        .query((row, number) -> row.getString("generation"))
                        .list())
                .isEqualTo(Stream.of(0, 2, 4)
                        .map(i -> messages.get(i).generation())
                        .toList());
        assertThat(journal.jdbc
                        .sql("SELECT DISTINCT id, created FROM delayqueue_message")
                        .query()
                        .listOfRows())
                .hasSize(5);
    }

    @EachDatabase
    void theRowOfABlockedIdKeepsItsStateWhenChangesAreAppended(TestDatabase database) {
        WritingFixture journal = new WritingFixture(database);
        journal.transaction.executeWithoutResult(
                status -> journal.sender.schedule(message("a").build()));
        journal.jdbc
                .sql(
                        "UPDATE delayqueue_outbox SET sender = 7, send_at = 8, failures = 9, created = 10, error = 'broken'")
                .update();

        journal.transaction.executeWithoutResult(status -> journal.sender.cancel("orders", "a"));

        assertThat(numbers(journal.outbox("a"), "sender", "send_at", "failures", "created", "changes"))
                .containsExactly(7L, 8L, 9L, 10L, 2L);
        assertThat(journal.outbox("a")).containsEntry("error", "broken");
    }

    @EachDatabase
    void tooManyChangesOfAnIdAreRefusedByName(TestDatabase database) {
        WritingFixture journal = new WritingFixture(database);
        int kept = 0;
        TooManyChangesException refused = null;
        while (refused == null && kept < 1_000) {
            try {
                journal.transaction.executeWithoutResult(status -> {
                    journal.sender.schedule(message("other").build());
                    journal.sender.cancelAll("orders", List.of("a"));
                });
                kept++;
            } catch (TooManyChangesException e) {
                refused = e;
            }
        }

        assertThat(refused)
                .as("a gateway tells its clients to repeat the call")
                .isInstanceOf(ClientOverloadedException.class);
        assertThat(refused.topic()).isEqualTo("orders");
        assertThat(kept).isGreaterThan(130);
        assertThat(journal.changes("a")).hasSize(kept);
        assertThat(journal.changes("other")).hasSize(kept);
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

    private static long micros(Instant instant) {
        return Math.addExact(Math.multiplyExact(instant.getEpochSecond(), 1_000_000L), instant.getNano() / 1_000);
    }
}
