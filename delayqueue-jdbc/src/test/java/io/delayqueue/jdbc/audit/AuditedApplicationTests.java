package io.delayqueue.jdbc.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.CancelOutcome;
import io.delayqueue.Delivery;
import io.delayqueue.jdbc.Journal;
import io.delayqueue.jdbc.JournalEvent;
import io.delayqueue.jdbc.MessageStatus;
import io.delayqueue.jdbc.MessageStory;
import io.delayqueue.jdbc.testsupport.OutboxApplication;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.spring.DelayQueueMessage;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.test.EmbeddedRedis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;

/** Many messages on their way through outbox, Redis and listeners: relay and audit write to the same rows, and agree in the end. */
class AuditedApplicationTests {

    private static final String TOPIC = "orders";
    private static final int EACH = 150;

    private final EmbeddedRedis redis = EmbeddedRedis.start();

    @AfterEach
    void stopRedis() {
        redis.close();
    }

    @EachDatabase
    void eachRowEndsAsItsMessageDid(TestDatabase database) {
        try (OutboxApplication application = new OutboxApplication(
                database,
                redis,
                context -> context.registerBean(Listener.class),
                "delayqueue.listener.concurrency=20",
                "delayqueue.listener.max-attempts=2",
                "delayqueue.listener.backoff.initial=1ms")) {
            Map<String, MessageStatus> expected = new TreeMap<>();
            for (int i = 0; i < EACH; i++) {
                schedule(application, "ack", i, expected, MessageStatus.ACKED, Duration.ZERO);
                schedule(application, "retry", i, expected, MessageStatus.ACKED, Duration.ZERO);
                schedule(application, "dead", i, expected, MessageStatus.DEAD, Duration.ZERO);
                schedule(application, "wait", i, expected, MessageStatus.SCHEDULED, Duration.ofHours(1));
                String cancelled =
                        schedule(application, "cancel", i, expected, MessageStatus.SCHEDULED, Duration.ofHours(1));
                // a later message of the id in the transaction that cancels the earlier one
                application.transaction().executeWithoutResult(status -> {
                    assertThat(application.template().cancel(TOPIC, cancelled)).isNotEqualTo(CancelOutcome.IN_FLIGHT);
                    application
                            .template()
                            .message(TOPIC, "again")
                            .id(cancelled)
                            .delay(Duration.ofHours(1))
                            .schedule();
                });
            }

            await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
                assertThat(application.outboxRows()).isZero();
                assertThat(last(application)).isEqualTo(expected);
            });
            assertThat(application
                            .jdbc()
                            .sql("SELECT status FROM delayqueue_message WHERE id LIKE 'cancel%'")
                            .query(String.class)
                            .list())
                    .hasSize(2 * EACH)
                    .containsOnly("CANCELLED", "SCHEDULED");
            assertThat(application.context().getBean(AuditBuffer.class).dropped())
                    .isZero();
            Journal journal = application.context().getBean(Journal.class);
            // three hundred stories, which a slow machine reads in seconds
            await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
                for (int i = 0; i < EACH; i++) {
                    assertStories(journal, i, database.kind());
                }
            });
        }
    }

    private static void assertStories(Journal journal, int i, DatabaseKind kind) {
        // an attempt that stalls for more than a second is IN_FLIGHT meanwhile
        assertThat(events(journal.story(TOPIC, "retry" + i)))
                .filteredOn(status -> status != MessageStatus.IN_FLIGHT)
                .containsExactly(MessageStatus.OUTBOX, MessageStatus.SCHEDULED, MessageStatus.ACKED);
        MessageStory story = journal.story(TOPIC, "cancel" + i);
        assertThat(story.messages()).hasSize(2);
        // which of the two has it, only a clock with microseconds tells: H2's has milliseconds
        assertThat(story.messages().stream().flatMap(told -> told.events().stream()))
                .filteredOn(event -> !event.derived())
                .extracting(JournalEvent::to)
                .containsExactly(MessageStatus.CANCELLED);
        if (kind != DatabaseKind.H2) {
            assertThat(events(story)).containsExactly(MessageStatus.OUTBOX, MessageStatus.CANCELLED);
        }
    }

    private static List<MessageStatus> events(MessageStory story) {
        return story.messages().get(0).events().stream().map(JournalEvent::to).toList();
    }

    private static String schedule(
            OutboxApplication application,
            String kind,
            int i,
            Map<String, MessageStatus> expected,
            MessageStatus end,
            Duration delay) {
        String id = kind + i;
        expected.put(id, end);
        assertThat(application
                        .template()
                        .message(TOPIC, kind)
                        .id(id)
                        .delay(delay)
                        .scheduleAsync())
                .isNotNull();
        return id;
    }

    /** The state of the latest message of each id. */
    private static Map<String, MessageStatus> last(OutboxApplication application) {
        Map<String, MessageStatus> last = new TreeMap<>();
        List<String[]> rows = new ArrayList<>(application
                .jdbc()
                .sql("SELECT id, status FROM delayqueue_message ORDER BY created, status")
                .query((row, number) -> new String[] {new String(row.getBytes("id")), row.getString("status")})
                .list());
        rows.forEach(row -> last.put(row[0], MessageStatus.of(row[1])));
        return last;
    }

    static class Listener {

        @DelayQueueListener(topic = TOPIC)
        void handle(DelayQueueMessage<String> message, Delivery delivery) {
            if (message.payload().equals("dead")) {
                delivery.deadLetter("dead on arrival");
            } else if (message.payload().equals("retry") && message.attempt() == 1) {
                throw new IllegalStateException("not yet");
            }
        }
    }
}
