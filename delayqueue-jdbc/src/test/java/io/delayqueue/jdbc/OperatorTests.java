package io.delayqueue.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.Delay;
import io.delayqueue.MessageInfo;
import io.delayqueue.TopicStats;
import io.delayqueue.jdbc.testsupport.OutboxApplication;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.spring.operator.Caller;
import io.delayqueue.spring.operator.DelayQueueOperator;
import io.delayqueue.spring.operator.OperationResult;
import io.delayqueue.spring.operator.OperationResult.Outcome;
import io.delayqueue.spring.operator.Right;
import io.delayqueue.spring.operator.Story;
import io.delayqueue.test.EmbeddedRedis;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;

/** Operations reach messages that are still in the outbox, and the journal's rows tell of them. */
@Tag("slow")
class OperatorTests {

    private static final String TOPIC = "orders";
    private static final Caller CALLER = new Caller("ada", EnumSet.allOf(Right.class));
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final String SHORT_COMMANDS = "delayqueue.command-timeout=5s";

    private final EmbeddedRedis redis = EmbeddedRedis.start();

    @AfterEach
    void stopRedis() {
        redis.close();
    }

    @EachDatabase({DatabaseKind.H2, DatabaseKind.POSTGRESQL})
    void messagesThatAreNotSentYetAreCancelledAndRescheduled(TestDatabase database) {
        try (OutboxApplication application = new OutboxApplication(database, redis, SHORT_COMMANDS)) {
            DelayQueueOperator operator = operator(application);
            schedule(application, "first");
            await().atMost(LIMIT)
                    .untilAsserted(() -> assertThat(application.outboxRows()).isZero());
            redis.pause();
            Instant due = Instant.now().plus(Duration.ofDays(2)).truncatedTo(ChronoUnit.MILLIS);
            try {
                List.of("cancelled", "rescheduled", "kept").forEach(id -> schedule(application, id));

                assertThat(operator.cancel(CALLER, TOPIC, "cancelled"))
                        .isEqualTo(new OperationResult(Outcome.RECORDED, 0));
                assertThat(operator.reschedule(CALLER, TOPIC, "rescheduled", Delay.until(due)))
                        .isEqualTo(new OperationResult(Outcome.RECORDED, 0));
            } finally {
                redis.resume();
            }

            await().atMost(LIMIT)
                    .untilAsserted(() -> assertThat(application.outboxRows()).isZero());
            assertThat(application.client().find(TOPIC, "cancelled")).isEmpty();
            assertThat(application.client().find(TOPIC, "rescheduled"))
                    .map(MessageInfo::due)
                    .contains(due);
            assertThat(application.client().find(TOPIC, "kept")).isPresent();
            TopicStats stats = application.client().stats(TOPIC);
            assertThat(stats.totals().accepted()).isEqualTo(4);
            assertThat(stats.totals().cancelled()).isEqualTo(1);
            awaitStatus(application, "cancelled", MessageStatus.CANCELLED);
            awaitStatus(application, "rescheduled", MessageStatus.SCHEDULED);
        }
    }

    @EachDatabase({DatabaseKind.H2, DatabaseKind.POSTGRESQL})
    void rowsTellWhatBecameOfMessagesThatWereSent(TestDatabase database) {
        try (OutboxApplication application = new OutboxApplication(database, redis)) {
            DelayQueueOperator operator = operator(application);
            List.of("cancelled", "purged", "run").forEach(id -> schedule(application, id));
            await().atMost(LIMIT)
                    .untilAsserted(() -> assertThat(application.outboxRows()).isZero());

            assertThat(operator.cancel(CALLER, TOPIC, "cancelled").outcome()).isEqualTo(Outcome.DONE);
            assertThat(operator.purgePending(CALLER, TOPIC, List.of("purged")).count())
                    .isEqualTo(1);
            assertThat(operator.runNow(CALLER, TOPIC, "run").outcome()).isEqualTo(Outcome.DONE);
            assertThat(operator.cancel(CALLER, TOPIC, "cancelled").outcome()).isEqualTo(Outcome.NOT_FOUND);

            awaitStatus(application, "cancelled", MessageStatus.CANCELLED);
            awaitStatus(application, "purged", MessageStatus.PURGED);
            awaitStatus(application, "run", MessageStatus.SCHEDULED);
            assertThat(application.client().stats(TOPIC).pending().ready()).isEqualTo(1);
        }
    }

    @EachDatabase({DatabaseKind.H2, DatabaseKind.POSTGRESQL})
    void theJournalTellsAMessagesStory(TestDatabase database) {
        try (OutboxApplication application = new OutboxApplication(database, redis)) {
            DelayQueueOperator operator = operator(application);
            schedule(application, "a");
            await().atMost(LIMIT)
                    .untilAsserted(() -> assertThat(application.outboxRows()).isZero());
            assertThat(operator.cancel(CALLER, TOPIC, "a").outcome()).isEqualTo(Outcome.DONE);
            awaitStatus(application, "a", MessageStatus.CANCELLED);

            assertThat(operator.hasStories()).isTrue();
            assertThat(operator.story(CALLER, TOPIC, "never")).isEmpty();
            assertThat(operator.story(CALLER, TOPIC, "a")).hasValueSatisfying(story -> {
                assertThat(story.complete()).isTrue();
                assertThat(story.messages())
                        .singleElement()
                        .satisfies(message -> assertThat(message.events())
                                .extracting(Story.Event::to)
                                .startsWith("OUTBOX")
                                .endsWith("CANCELLED"));
            });
        }
    }

    private static DelayQueueOperator operator(OutboxApplication application) {
        return application.context().getBean(DelayQueueOperator.class);
    }

    private static void schedule(OutboxApplication application, String id) {
        assertThat(application
                        .template()
                        .message(TOPIC, "x")
                        .id(id)
                        .delay(Duration.ofHours(1))
                        .schedule()
                        .id())
                .isEqualTo(id);
    }

    private static void awaitStatus(OutboxApplication application, String id, MessageStatus status) {
        Journal journal = application.context().getBean(Journal.class);
        await().atMost(LIMIT)
                .untilAsserted(() -> assertThat(journal.story(TOPIC, id).messages())
                        .singleElement()
                        .satisfies(entry -> assertThat(entry.message())
                                .isNotNull()
                                .extracting(JournalMessage::status)
                                .isEqualTo(status)));
    }
}
