package io.delayqueue.jdbc.audit;

import static io.delayqueue.jdbc.audit.AuditFixture.number;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.PullConsumer;
import io.delayqueue.PullOptions;
import io.delayqueue.PulledMessage;
import io.delayqueue.Receipt;
import io.delayqueue.RetryOutcome;
import io.delayqueue.jdbc.Journal;
import io.delayqueue.jdbc.JournalEvent;
import io.delayqueue.jdbc.MessageStatus;
import io.delayqueue.jdbc.MessageStory;
import io.delayqueue.jdbc.restore.JournalRestore;
import io.delayqueue.jdbc.restore.RestoreReport;
import io.delayqueue.jdbc.restore.RestoreRequest;
import io.delayqueue.jdbc.testsupport.OutboxApplication;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.Everyday;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.test.EmbeddedRedis;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;

/** The journal follows messages that one instance pulls and another one settles, by receipts that were text in between. */
@Everyday(DatabaseKind.H2)
class PulledMessagesTests {

    private static final String TOPIC = "orders";
    private static final Duration HOUR = Duration.ofHours(1);
    private static final String[] REPORT = {
        "delayqueue.journal.restore.mode=report", "delayqueue.journal.restore.check-interval=200ms"
    };

    private final EmbeddedRedis redis = EmbeddedRedis.start();
    private final Map<String, String> receipts = new HashMap<>();

    @AfterEach
    void stopRedis() {
        redis.close();
    }

    @EachDatabase
    void eachRowAndStoryEndAsTheReceiptDid(TestDatabase database) {
        try (OutboxApplication receiver = new OutboxApplication(database, redis, REPORT);
                OutboxApplication other = new OutboxApplication(database, redis, REPORT)) {
            pull(receiver, "ack", "retry", "dead", "release", "extend", "keep");
            ackAtOnce(receiver, other);
            postpone(receiver);
            awaitStatus(receiver, "quick", MessageStatus.ACKED);
            awaitRecorded(receiver);

            settle(other);

            awaitSettled(receiver);
            assertThat(number(row(receiver, "ack").get("attempts"))).isEqualTo(1);
            assertThat(row(receiver, "ack").get("finished")).isNotNull();
            Map<String, Object> retried = row(receiver, "retry");
            assertThat(retried).containsEntry("reason", "busy");
            assertThat(number(retried.get("attempts"))).isEqualTo(1);
            assertInAnHour(retried);
            assertThat(row(receiver, "dead")).containsEntry("reason", "enough");
            assertThat(number(row(receiver, "release").get("attempts"))).isZero();
            // neither the receiver's late word nor a receipt that is used twice changes the end
            assertThat(row(receiver, "quick")).containsEntry("status", "ACKED");
            patiently()
                    .untilAsserted(() -> assertThat(
                                    String.valueOf(row(receiver, "postpone").get("reason")))
                            .startsWith("postponed"));
            assertThat(row(receiver, "postpone")).containsEntry("status", "SCHEDULED");
            assertThat(number(row(receiver, "postpone").get("attempts"))).isZero();
            assertInAnHour(row(receiver, "postpone"));
            assertStory(receiver, "ack", MessageStatus.OUTBOX, MessageStatus.IN_FLIGHT, MessageStatus.ACKED);
            assertStory(receiver, "extend", MessageStatus.OUTBOX, MessageStatus.IN_FLIGHT, MessageStatus.ACKED);
            assertStory(receiver, "retry", MessageStatus.OUTBOX, MessageStatus.IN_FLIGHT, MessageStatus.SCHEDULED);
            assertStory(receiver, "dead", MessageStatus.OUTBOX, MessageStatus.IN_FLIGHT, MessageStatus.DEAD);
            assertStory(receiver, "release", MessageStatus.OUTBOX, MessageStatus.IN_FLIGHT, MessageStatus.SCHEDULED);
        }
    }

    private void ackAtOnce(OutboxApplication receiver, OutboxApplication other) {
        receiver.template().message("quick", "x").id("quick").schedule();
        PullConsumer here = receiver.client().pullConsumer("quick", PullOptions.defaults());
        PullConsumer there = other.client().pullConsumer("quick", PullOptions.defaults());
        Receipt receipt = here.receive(1, Duration.ofSeconds(60)).get(0).receipt();
        assertThat(there.ack(Receipt.parse(receipt.toString()))).isTrue();
        assertThat(there.ack(receipt)).isFalse();
    }

    /** Not pulled, but not the way of each listener's message either. */
    private static void postpone(OutboxApplication application) {
        application.template().message("later", "x").id("postpone").schedule();
        application
                .client()
                .subscribe("later", ConsumerOptions.builder().build(), (message, delivery) -> delivery.postpone(HOUR))
                .start();
    }

    @EachDatabase(DatabaseKind.H2)
    @Tag("slow")
    void aRestoreSchedulesThoseOnlyThatHaveNotEnded(TestDatabase database) {
        try (OutboxApplication receiver = new OutboxApplication(database, redis, REPORT);
                OutboxApplication other = new OutboxApplication(database, redis, REPORT)) {
            pull(receiver, "ack", "retry", "dead", "release", "extend", "keep");
            awaitRecorded(receiver);
            settle(other);
            awaitSettled(receiver);
            awaitStatus(receiver, "keep", MessageStatus.IN_FLIGHT);
            RedisClient client = RedisClient.create(redis.uri());
            client.connect().sync().flushall();
            client.shutdown();

            RestoreReport report =
                    receiver.context().getBean(JournalRestore.class).restore(RestoreRequest.topic(TOPIC), false);

            assertThat(report.restored()).isEqualTo(3);
            patiently()
                    .untilAsserted(() -> assertThat(
                                    receiver.client().stats(TOPIC).pending().total())
                            .isEqualTo(3));
            for (String ended : List.of("ack", "extend", "dead")) {
                assertThat(receiver.client().find(TOPIC, ended)).isEmpty();
            }
        }
    }

    /** Schedules messages through the outbox, and pulls them. */
    private void pull(OutboxApplication receiver, String... ids) {
        for (String id : ids) {
            receiver.template().message(TOPIC, "x").id(id).schedule();
        }
        PullConsumer consumer = receiver.client()
                .pullConsumer(
                        TOPIC,
                        PullOptions.builder().lease(Duration.ofMinutes(10)).build());
        while (receipts.size() < ids.length) {
            for (PulledMessage pulled : consumer.receive(ids.length, Duration.ofSeconds(60))) {
                receipts.put(pulled.message().id(), pulled.receipt().toString());
            }
        }
    }

    private Receipt receipt(String id) {
        return Receipt.parse(receipts.get(id));
    }

    private void settle(OutboxApplication other) {
        PullConsumer consumer = other.client().pullConsumer(TOPIC, PullOptions.defaults());
        assertThat(consumer.ack(receipt("ack"))).isTrue();
        assertThat(consumer.retry(receipt("retry"), HOUR, "busy")).isEqualTo(RetryOutcome.RETRIED);
        assertThat(consumer.deadLetter(receipt("dead"), "enough")).isTrue();
        assertThat(consumer.release(receipt("release"))).isTrue();
        assertThat(consumer.extend(receipt("extend"), Duration.ofMinutes(30))).isTrue();
        assertThat(consumer.ack(receipt("extend"))).isTrue();
    }

    /** Each was under way for a while, as the receiver's instance records: an event that came later might be of a restored message. */
    private void awaitRecorded(OutboxApplication receiver) {
        for (String id : receipts.keySet()) {
            awaitStatus(receiver, id, MessageStatus.IN_FLIGHT);
        }
        AuditObserver observer = receiver.context().getBean(AuditObserver.class);
        patiently().untilAsserted(() -> assertThat(observer.inFlight()).isZero());
    }

    private static void awaitSettled(OutboxApplication application) {
        awaitStatus(application, "ack", MessageStatus.ACKED);
        awaitStatus(application, "retry", MessageStatus.SCHEDULED);
        awaitStatus(application, "dead", MessageStatus.DEAD);
        awaitStatus(application, "release", MessageStatus.SCHEDULED);
        awaitStatus(application, "extend", MessageStatus.ACKED);
    }

    private static void awaitStatus(OutboxApplication application, String id, MessageStatus status) {
        patiently().untilAsserted(() -> assertThat(row(application, id)).as(id).containsEntry("status", status.name()));
    }

    private static ConditionFactory patiently() {
        return await().atMost(Duration.ofSeconds(60));
    }

    private static Map<String, Object> row(OutboxApplication application, String id) {
        return application
                .jdbc()
                .sql("SELECT status, attempts, due, updated, finished, reason FROM delayqueue_message" + " WHERE id = '"
                        + id + "'")
                .query()
                .singleRow();
    }

    private static void assertInAnHour(Map<String, Object> row) {
        assertThat(number(row.get("due")))
                .isCloseTo(number(row.get("updated")) + HOUR.toMillis() * 1_000, within(60_000_000L));
    }

    private static void assertStory(OutboxApplication application, String id, MessageStatus... states) {
        MessageStory story = application.context().getBean(Journal.class).story(TOPIC, id);
        assertThat(story.messages()).as(id).hasSize(1);
        assertThat(story.messages().get(0).events())
                .as(id)
                .extracting(JournalEvent::to)
                .containsExactly(states);
    }
}
