package io.delayqueue.jdbc.audit;

import static io.delayqueue.jdbc.audit.AuditFixture.TOPIC;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.jdbc.JournalEvent;
import io.delayqueue.jdbc.MessageStatus;
import io.delayqueue.jdbc.MessageStory;
import io.delayqueue.jdbc.MessageStory.Entry;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.Everyday;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import java.io.BufferedReader;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;

@Everyday(DatabaseKind.H2)
class StoryTests {

    @EachDatabase
    void tellsOfEachMessageOfAnIdWithItsEvents(TestDatabase database) throws Exception {
        try (AuditFixture audit = new AuditFixture(database)) {
            Instant before = Instant.now().minusSeconds(5);
            OutgoingMessage first = audit.sent("a");
            audit.failed(first, 1, Duration.ofMinutes(1), "no stock");
            audit.handled(first, 2);
            audit.write();
            OutgoingMessage second =
                    AuditFixture.message("a").header("order", "A-17").build();
            audit.schedule(List.of(second));
            audit.setStatus(second, MessageStatus.REJECTED);

            MessageStory story = audit.journal.story(TOPIC, "a");

            assertThat(story.complete()).isTrue();
            assertThat(story.messages())
                    .extracting(Entry::generation)
                    .containsExactly(first.generation(), second.generation());
            List<JournalEvent> events = story.messages().get(0).events();
            assertThat(events)
                    .extracting(JournalEvent::to)
                    .containsExactly(MessageStatus.OUTBOX, MessageStatus.SCHEDULED, MessageStatus.ACKED);
            assertThat(events).extracting(JournalEvent::derived).containsExactly(true, false, false);
            assertThat(events.get(1).error()).contains("no stock");
            assertThat(events.get(1).attempt()).isEqualTo(1);
            assertThat(events.get(1).from()).isEqualTo(MessageStatus.IN_FLIGHT);
            assertThat(events.get(2).instance()).isEqualTo(hostAndProcess());
            assertThat(events.get(2).began()).isBetween(before, events.get(2).time());
            // the first one's time is by the database's clock
            assertThat(events.subList(1, 3)).extracting(JournalEvent::time).isSorted();
            Entry rejected = story.messages().get(1);
            assertThat(rejected.message().headers()).containsEntry("order", "A-17");
            assertThat(rejected.message().businessKey()).isEqualTo("A-17");
            assertThat(rejected.events())
                    .extracting(JournalEvent::to)
                    .containsExactly(MessageStatus.OUTBOX, MessageStatus.REJECTED);
        }
    }

    /** Neither this machine's clock nor the database's counts, which may part from that of other instances. */
    @EachDatabase
    void timesOfEventsAreThoseOfRedisClock(TestDatabase database) throws Exception {
        try (AuditFixture audit = new AuditFixture(database)) {
            audit.handled(audit.sent("a"), 1);
            audit.writer(events -> {}, Duration.ofHours(1)).writeAll();

            JournalEvent acked =
                    audit.journal.story(TOPIC, "a").messages().get(0).events().get(1);
            assertThat(acked.to()).isEqualTo(MessageStatus.ACKED);
            assertThat(acked.time())
                    .isBetween(
                            Instant.now().plus(Duration.ofMinutes(50)),
                            Instant.now().plus(Duration.ofMinutes(70)));
            assertThat(acked.began()).isBetween(Instant.now().plus(Duration.ofMinutes(50)), acked.time());
        }
    }

    /** As the operating system names them to a child of this process. */
    private static String hostAndProcess() throws IOException {
        Process shell = new ProcessBuilder("sh", "-c", "echo \"$(uname -n):$PPID\"").start();
        try (BufferedReader answer = shell.inputReader()) {
            return answer.readLine();
        }
    }

    @EachDatabase
    void tellsOfMessagesThatTheJournalDidNotSend(TestDatabase database) throws Exception {
        try (AuditFixture audit = new AuditFixture(database)) {
            OutgoingMessage unknown = AuditFixture.message("plain").build();
            audit.handled(unknown, 1);
            audit.observer.cancelled(TOPIC, "cancelled", Duration.ZERO);
            audit.write();

            assertThat(audit.journal.story(TOPIC, "plain").messages())
                    .singleElement()
                    .satisfies(told -> {
                        assertThat(told.message()).isNull();
                        assertThat(told.generation()).isEqualTo(unknown.generation());
                        assertThat(told.events()).extracting(JournalEvent::to).containsExactly(MessageStatus.ACKED);
                    });
            assertThat(audit.journal.story(TOPIC, "cancelled").messages())
                    .singleElement()
                    .satisfies(told -> assertThat(told.generation()).isEqualTo("-"));
            assertThat(audit.journal.story(TOPIC, "never").messages()).isEmpty();
            assertThat(audit.count("message")).isZero();
        }
    }

    @EachDatabase
    void isBoundedForAnIdThatIsUsedAgainAndAgain(TestDatabase database) throws Exception {
        try (AuditFixture audit = new AuditFixture(database)) {
            List<OutgoingMessage> all = IntStream.range(0, 120)
                    .mapToObj(i -> AuditFixture.message("again").build())
                    .toList();
            all.forEach(message -> audit.schedule(List.of(message)));
            OutgoingMessage last = all.get(119);
            IntStream.range(0, 1_010).forEach(i -> audit.failed(last, i + 1, Duration.ZERO, "no"));
            audit.write();

            MessageStory story = audit.journal.story(TOPIC, "again");

            assertThat(story.complete()).isFalse();
            assertThat(story.messages()).hasSize(100);
            assertThat(story.messages())
                    .filteredOn(told -> told.generation().equals(last.generation()))
                    .singleElement()
                    .satisfies(told -> assertThat(told.events()).hasSize(1_001));
        }
    }
}
