package io.delayqueue.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.jdbc.testsupport.OutboxApplication;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.Everyday;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.spring.DelayQueueMessage;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.test.EmbeddedRedis;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Tag;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Ids are told apart by byte all the way, though databases compare texts without case, accents or trailing blanks. */
@Tag("slow")
@Everyday(DatabaseKind.MARIADB)
class IdsByByteTests {

    private static final String TOPIC = "orders";
    private static final String DECOMPOSED = "a\u0301";
    private static final List<String> IDS =
            List.of("a", "A", "a ", "a  ", "\u00e1", DECOMPOSED, "\u00e4", "ss", "\u00df");

    @EachDatabase
    void eachIsAMessageOfItsOwn(TestDatabase database) {
        try (EmbeddedRedis redis = EmbeddedRedis.start();
                OutboxApplication application =
                        new OutboxApplication(database, redis, context -> context.registerBean(Listener.class))) {
            Journal journal = application.context().getBean(Journal.class);

            schedule(application, Duration.ofHours(1));
            application.transaction().executeWithoutResult(status -> {
                application.template().cancel(TOPIC, "A");
                application.template().reschedule(TOPIC, "a ", Duration.ofHours(2));
            });
            await().atMost(Duration.ofMinutes(1))
                    .untilAsserted(() -> assertThat(status(journal, "A")).isEqualTo(MessageStatus.CANCELLED));
            await().atMost(Duration.ofMinutes(1)).until(() -> application.outboxRows() == 0);
            assertThat(IDS)
                    .filteredOn(id -> !id.equals("A"))
                    .allSatisfy(id -> assertThat(status(journal, id)).isEqualTo(MessageStatus.SCHEDULED));
            assertThat(application.client().find(TOPIC, "A")).isEmpty();
            assertThat(IDS)
                    .filteredOn(id -> !id.equals("A"))
                    .allSatisfy(id -> assertThat(application.client().find(TOPIC, id))
                            .hasValueSatisfying(found -> assertThat(Duration.between(found.time(), found.due()))
                                    .isGreaterThan(Duration.ofMinutes(id.equals("a ") ? 90 : 30))
                                    .isLessThan(Duration.ofMinutes(id.equals("a ") ? 121 : 61))));

            application.template().cancelAll(TOPIC, IDS);
            schedule(application, Duration.ZERO);
            await().atMost(Duration.ofMinutes(1))
                    .untilAsserted(() -> assertThat(IDS)
                            .allSatisfy(id -> assertThat(status(journal, id)).isEqualTo(MessageStatus.ACKED)));
            Listener listener = application.context().getBean(Listener.class);
            assertThat(listener.handled).containsExactlyInAnyOrderElementsOf(IDS);
            assertThat(count(application.jdbc(), "inbox")).isEqualTo(IDS.size());
            assertThat(count(application.jdbc(), "message")).isEqualTo(2L * IDS.size());
        }
    }

    private static void schedule(OutboxApplication application, Duration delay) {
        application
                .transaction()
                .executeWithoutResult(status -> IDS.forEach(id -> application
                        .template()
                        .message(TOPIC, "work of " + id)
                        .id(id)
                        .delay(delay)
                        .schedule()));
        await().atMost(Duration.ofMinutes(1)).until(() -> application.outboxRows() == 0);
    }

    private static MessageStatus status(Journal journal, String id) {
        List<MessageStory.Entry> messages = journal.story(TOPIC, id).messages();
        return messages.get(messages.size() - 1).message().status();
    }

    private static long count(JdbcClient jdbc, String table) {
        return jdbc.sql("SELECT COUNT(*) FROM delayqueue_" + table)
                .query(Long.class)
                .single();
    }

    static class Listener {

        private final Queue<String> handled = new ConcurrentLinkedQueue<>();

        @DelayQueueListener(topic = TOPIC, idempotent = true)
        void handle(DelayQueueMessage<String> message) {
            assertThat(message.payload()).isEqualTo("work of " + message.id());
            handled.add(message.id());
        }
    }
}
