package io.delayqueue.jdbc.audit;

import static io.delayqueue.jdbc.audit.AuditFixture.TOPIC;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.jdbc.JournalMessage;
import io.delayqueue.jdbc.JournalPage;
import io.delayqueue.jdbc.JournalPosition;
import io.delayqueue.jdbc.JournalQuery;
import io.delayqueue.jdbc.MessageStatus;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.Everyday;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

@Everyday(DatabaseKind.MARIADB)
class SearchTests {

    private static final Instant DUE = Instant.parse("2040-01-01T00:00:00Z");

    @EachDatabase
    void pagesThroughATopicInTheOrderOfDueTimesWithoutLossOrRepetition(TestDatabase database) throws Exception {
        try (AuditFixture audit = new AuditFixture(database)) {
            List<OutgoingMessage> messages = new ArrayList<>();
            for (int i = 0; i < 250; i++) {
                // five of each due time, two of each id
                messages.add(OutgoingMessage.to(TOPIC)
                        .id("m" + i / 2)
                        .payload(new byte[1])
                        .dueAt(DUE.plusSeconds(i / 5))
                        .build());
            }
            audit.schedule(messages);
            messages.subList(100, 200).forEach(message -> audit.setStatus(message, MessageStatus.SCHEDULED));
            messages.subList(200, 240).forEach(message -> audit.setStatus(message, MessageStatus.ACKED));
            audit.schedule(List.of(OutgoingMessage.to("other")
                    .id("x")
                    .payload(new byte[1])
                    .dueAt(DUE)
                    .build()));

            List<JournalMessage> all =
                    all(audit, JournalQuery.ofTopic(TOPIC).limit(17).build());
            assertThat(all).hasSize(250).extracting(JournalMessage::due).isSorted();
            assertThat(generations(all))
                    .containsExactlyInAnyOrderElementsOf(
                            messages.stream().map(OutgoingMessage::generation).toList());
            assertThat(generations(all(
                            audit,
                            JournalQuery.ofTopic(TOPIC)
                                    .statuses(MessageStatus.SCHEDULED, MessageStatus.ACKED)
                                    .from(DUE.plusSeconds(30))
                                    .to(DUE.plusSeconds(45))
                                    .limit(7)
                                    .build())))
                    .containsExactlyInAnyOrderElementsOf(messages.subList(150, 225).stream()
                            .map(OutgoingMessage::generation)
                            .toList());
            assertThat(all(audit, JournalQuery.ofTopic("never").build())).isEmpty();
        }
    }

    @EachDatabase
    void noMessageIsMissedWhoseStatusChangesMeanwhile(TestDatabase database) throws Exception {
        try (AuditFixture audit = new AuditFixture(database)) {
            List<OutgoingMessage> messages = IntStream.range(0, 300)
                    .mapToObj(i -> OutgoingMessage.to(TOPIC)
                            .id("m" + i)
                            .payload(new byte[1])
                            .dueAt(DUE)
                            .build())
                    .toList();
            audit.schedule(messages);
            AtomicBoolean enough = new AtomicBoolean();
            CompletableFuture<Void> changes = CompletableFuture.runAsync(() -> {
                do {
                    messages.forEach(message -> {
                        audit.setStatus(message, MessageStatus.SCHEDULED);
                        audit.setStatus(message, MessageStatus.IN_FLIGHT);
                        audit.setStatus(message, MessageStatus.SCHEDULED);
                        audit.setStatus(message, MessageStatus.ACKED);
                    });
                } while (!enough.get());
            });

            try {
                for (int searches = 0; !changes.isDone(); searches++) {
                    enough.set(searches > 5);
                    assertThat(audit.journal
                                    .search(JournalQuery.ofTopic(TOPIC)
                                            .limit(500)
                                            .build())
                                    .messages())
                            .hasSize(300);
                }
            } finally {
                enough.set(true);
            }
            changes.join();
        }
    }

    @EachDatabase
    void findsMessagesByBusinessKey(TestDatabase database) throws Exception {
        try (AuditFixture audit = new AuditFixture(database)) {
            String longKey = "k".repeat(254) + "\ud83d\ude00";
            List<OutgoingMessage> messages = IntStream.range(0, 90)
                    .mapToObj(i -> OutgoingMessage.to(i % 3 == 0 ? "returns" : TOPIC)
                            .id("m" + i)
                            .header("order", i < 60 ? "A-17" : longKey + i % 2)
                            .payload(new byte[1])
                            .delay(Duration.ofHours(1))
                            .build())
                    .toList();
            audit.schedule(messages);

            assertThat(all(audit, JournalQuery.ofBusinessKey("A-17").limit(7).build()))
                    .hasSize(60);
            assertThat(all(
                            audit,
                            JournalQuery.ofBusinessKey("A-17")
                                    .topic("returns")
                                    .limit(7)
                                    .build()))
                    .hasSize(20);
            assertThat(all(
                            audit,
                            JournalQuery.ofBusinessKey("A-17")
                                    .statuses(MessageStatus.ACKED)
                                    .build()))
                    .isEmpty();
            assertThat(all(
                            audit,
                            JournalQuery.ofBusinessKey("A-17").to(Instant.EPOCH).build()))
                    .isEmpty();
            assertThat(all(audit, JournalQuery.ofBusinessKey("a-17").build())).isEmpty();
            assertThat(all(
                            audit,
                            JournalQuery.ofBusinessKey(longKey + 1).limit(4).build()))
                    .hasSize(15)
                    .allSatisfy(message -> assertThat(message.headers()).containsEntry("order", longKey + 1));
            assertThat(audit.journal
                            .search(JournalQuery.ofBusinessKey("A-17")
                                    .limit(500)
                                    .build())
                            .next())
                    .isNull();
        }
    }

    @EachDatabase
    void refusesBusinessKeysIfNoHeaderIsDeclared(TestDatabase database) throws Exception {
        try (AuditFixture audit = new AuditFixture(database)) {
            JdbcJournal without = new JdbcJournal(audit.database, audit.transaction, null);

            assertThatIllegalArgumentException()
                    .isThrownBy(() ->
                            without.search(JournalQuery.ofBusinessKey("A-17").build()))
                    .withMessageContaining("delayqueue.journal.business-key");
        }
    }

    @Test
    void queriesWithoutAnIndexAndTooLargePagesAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new JournalQuery(null, null, java.util.Set.of(), null, null, null, 10))
                .withMessageContaining("needs a topic or a business key");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> JournalQuery.ofTopic("orders").limit(501).build())
                .withMessageContaining("1 to 500");
    }

    @Test
    void positionsAreTexts() {
        JournalPosition position = new JournalPosition(17, "orders", "an id/with \u00e4 and .", "g0000001");

        assertThat(position.encode()).matches("[A-Za-z0-9._-]+");
        assertThat(JournalPosition.decode(position.encode())).isEqualTo(position);
        assertThatIllegalArgumentException().isThrownBy(() -> JournalPosition.decode("1.2"));
    }

    private static List<JournalMessage> all(AuditFixture audit, JournalQuery query) {
        List<JournalMessage> all = new ArrayList<>();
        JournalPage page = audit.journal.search(query);
        all.addAll(page.messages());
        while (page.next() != null) {
            assertThat(page.messages()).hasSizeLessThanOrEqualTo(query.limit());
            page = audit.journal.search(
                    query.after(JournalPosition.decode(page.next().encode())));
            all.addAll(page.messages());
        }
        return all;
    }

    private static List<String> generations(List<JournalMessage> messages) {
        return messages.stream().map(JournalMessage::generation).toList();
    }
}
