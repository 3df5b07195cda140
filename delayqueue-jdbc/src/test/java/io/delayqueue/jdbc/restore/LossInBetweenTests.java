package io.delayqueue.jdbc.restore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.Delay;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueObserver;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.OutboxOptions;
import io.delayqueue.PartitionMark;
import io.delayqueue.jdbc.relay.OutboxListener;
import io.delayqueue.jdbc.relay.OutboxSettings;
import io.delayqueue.jdbc.relay.Relay;
import io.delayqueue.jdbc.relay.SentChange;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.test.EmbeddedRedis;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;

/** Redis loses its data while somebody is in the middle of something. */
@Tag("slow")
class LossInBetweenTests {

    private static final String TOPIC = RestoreFixture.TOPIC;
    private static final Duration HOUR = Duration.ofHours(1);

    private final EmbeddedRedis server = EmbeddedRedis.start();

    @AfterEach
    void close() {
        server.close();
    }

    /** Counters of an empty Redis add up, too. */
    @EachDatabase(DatabaseKind.POSTGRESQL)
    void aComparisonFinishesNoMessageThatWasLost(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.relay.start();
            here.schedule("a", 50, HOUR);
            here.awaitSent();
            here.redis().flushall();

            assertThat(here.restore.compare(TOPIC, () -> false)).isEqualTo(JournalRestore.Outcome.AGAIN);

            assertThat(here.count("finished IS NULL")).isEqualTo(50);
            here.watch.start();
            RestoreFixture.await().until(() -> here.scheduled() == 50);
        }
    }

    @EachDatabase(DatabaseKind.H2)
    void aLossDuringAComparisonEndsIt(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.relay.start();
            here.schedule("a", 50, HOUR);
            here.awaitSent();
            here.auditing = false;
            here.client.cancel(TOPIC, "a0");
            AtomicBoolean lost = new AtomicBoolean();

            // the comparison asks this between its two looks
            assertThatThrownBy(() -> here.restore.compare(TOPIC, () -> {
                        if (here.restore.progress().scanned() == 50 && lost.compareAndSet(false, true)) {
                            here.redis().flushall();
                        }
                        return false;
                    }))
                    .isInstanceOf(RestoreEndedException.class)
                    .hasMessageContaining("may have lost data");

            assertThat(lost).isTrue();
            assertThat(here.count("finished IS NULL")).isEqualTo(50);
        }
    }

    /** The answer is of a Redis that is gone when it is recorded. */
    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void whatIsLostBeforeItIsRecordedIsSentAgain(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.schedule("first", 1, HOUR);
            here.relay.runOnce();
            here.schedule("a", 20, HOUR);
            Between lostBefore = new Between(here, true);
            Relay relay = new Relay(
                    here.database, here.client.outbox(OutboxOptions.DEFAULTS), lostBefore, OutboxSettings.DEFAULTS);
            relay.runOnce();

            assertThat(lostBefore.struck).isTrue();
            assertThat(here.count("status = 'OUTBOX'")).isEqualTo(20);
            assertAllComeBack(here, 21);
        }
    }

    /** As above, but another instance notices the loss in the middle of the transaction. */
    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void whatIsLostWhileItIsRecordedIsSentAgain(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.schedule("first", 1, HOUR);
            here.relay.runOnce();
            here.schedule("a", 20, HOUR);
            Between lostMeanwhile = new Between(here, false);
            Relay relay = new Relay(
                    here.database, here.client.outbox(OutboxOptions.DEFAULTS), lostMeanwhile, OutboxSettings.DEFAULTS);
            relay.runOnce();

            assertThat(lostMeanwhile.struck).isTrue();
            assertThat(here.count("status = 'OUTBOX'")).isEqualTo(20);
            assertAllComeBack(here, 21);
        }
    }

    /** Sent in part, it must not be sent whole over what was applied behind the loss: the last message would be due at once. */
    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB, DatabaseKind.H2})
    void aRescheduleThatRedisLosesDoesNotMoveTheMessageBehindIt(TestDatabase database) {
        assertLastMessageComesBack(database, "Rfixture0:d1;");
    }

    @EachDatabase(DatabaseKind.H2)
    void aCancelThatRedisLosesDoesNotCancelTheMessageBehindIt(TestDatabase database) {
        assertLastMessageComesBack(database, "Cfixture0;");
    }

    /** A message, a change of it, and the message that replaces it are sent; Redis is emptied once it has applied the change. */
    private void assertLastMessageComesBack(TestDatabase database, String change) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.schedule("first", 1, HOUR);
            here.relay.runOnce();
            here.schedule("a", 1, HOUR);
            here.replace("a0", change, "last0000");
            Emptied emptied = new Emptied(here);
            // a client of its own, whose threads may wait for the other one
            try (RedisClient lettuce = RedisClient.create(server.uri());
                    DelayQueueClient client = DelayQueueClient.create(
                            lettuce,
                            DelayQueueOptions.builder()
                                    .commandTimeout(Duration.ofSeconds(20))
                                    .observer(emptied)
                                    .build())) {
                new Relay(here.database, client.outbox(OutboxOptions.DEFAULTS), here.watch, OutboxSettings.DEFAULTS)
                        .runOnce();
            }
            assertThat(emptied.struck).isTrue();

            // this one knows no generations: the cancel would end both messages
            here.auditing = false;
            here.endClaims();
            here.start();
            here.awaitSent();
            RestoreFixture.await().until(() -> here.openRefills() == 0);
            assertThat(here.client.find(TOPIC, "a0")).hasValueSatisfying(found -> {
                assertThat(found.generation()).isEqualTo("last0000");
                assertThat(found.due()).isAfter(Instant.now().plus(HOUR.dividedBy(2)));
            });
        }
    }

    /** Empties Redis, once, when it has rescheduled or cancelled a message: before the next change of its id is sent. */
    private static final class Emptied implements DelayQueueObserver {

        private final RestoreFixture here;
        private final AtomicBoolean struck = new AtomicBoolean();

        Emptied(RestoreFixture here) {
            this.here = here;
        }

        @Override
        public void rescheduled(String topic, String id, Delay delay) {
            strike();
        }

        @Override
        public void cancelled(String topic, String id) {
            strike();
        }

        private void strike() {
            if (struck.compareAndSet(false, true)) {
                here.redis().flushall();
            }
        }
    }

    private static void assertAllComeBack(RestoreFixture here, int count) {
        here.endClaims();
        here.start();
        RestoreFixture.await().until(() -> here.scheduled() == count);
        here.awaitSent();
        RestoreFixture.await().until(() -> here.openRefills() == 0);
        assertThat(here.count("status = 'SCHEDULED'")).isEqualTo(count);
    }

    /** Empties Redis, and has the loss noticed, once: before changes are recorded, or in the middle. */
    private static final class Between implements OutboxListener {

        private final RestoreFixture here;
        private final boolean before;
        private final AtomicBoolean struck = new AtomicBoolean();

        Between(RestoreFixture here, boolean before) {
            this.here = here;
            this.before = before;
        }

        @Override
        public Set<PartitionMark> doubtful(Set<PartitionMark> marks) {
            if (before) {
                strike();
            }
            return here.watch.doubtful(marks);
        }

        @Override
        public void sent(List<SentChange> changes, List<PartitionMark> marks) {
            if (!before) {
                strike();
            }
            here.watch.sent(changes, marks);
        }

        private void strike() {
            if (struck.compareAndSet(false, true)) {
                here.redis().flushall();
                CompletableFuture.runAsync(() -> here.restore.check(TOPIC)).join();
            }
        }
    }

    /** The reschedule comes before the refill, and finds no message. */
    @EachDatabase(DatabaseKind.POSTGRESQL)
    void aRescheduleThatIsSentToAnEmptyRedisHolds(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.schedule("a", 2, HOUR);
            here.relay.runOnce();
            here.redis().flushall();
            here.reschedule("a0", Duration.ofDays(3), Duration.ZERO);
            here.relay.runOnce();
            here.start();
            RestoreFixture.await().until(() -> here.scheduled() == 1);
            here.endClaims();

            assertRescheduled(here);
        }
    }

    /** The refill comes first, and leaves the message to the reschedule. */
    @EachDatabase(DatabaseKind.POSTGRESQL)
    void aRescheduleThatIsSentAfterTheRefillHolds(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.schedule("a", 2, HOUR);
            here.relay.runOnce();
            here.redis().flushall();
            here.reschedule("a0", Duration.ofDays(3), HOUR);
            here.start();
            RestoreFixture.await().until(() -> here.scheduled() == 1);
            assertThat(here.openRefills()).isEqualTo(1);
            here.endClaims();

            assertRescheduled(here);
        }
    }

    private static void assertRescheduled(RestoreFixture here) {
        RestoreFixture.await().until(() -> here.openRefills() == 0);
        here.awaitSent();
        assertThat(here.scheduled()).isEqualTo(2);
        assertThat(here.client.find(TOPIC, "a0"))
                .hasValueSatisfying(
                        found -> assertThat(found.due()).isAfter(Instant.now().plus(Duration.ofDays(2))));
    }

    @EachDatabase(DatabaseKind.POSTGRESQL)
    void messagesOfADeletedTopicDoNotComeBack(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.relay.start();
            here.schedule("a", 50, HOUR);
            here.awaitSent();

            here.client.forceDeleteTopic(TOPIC);

            assertThat(here.restore.check(TOPIC)).isFalse();
            assertThat(here.restore.refill(TOPIC, () -> false)).isEqualTo(JournalRestore.Outcome.NOTHING);
            assertThat(here.losses).isEmpty();
            // the topic is used again, and then lost
            here.schedule("b", 10, HOUR);
            here.awaitSent();
            here.redis().flushall();
            here.watch.start();
            RestoreFixture.await().until(() -> here.scheduled() == 10);
            RestoreFixture.await().until(() -> here.openRefills() == 0);
            here.awaitSent();
            assertThat(here.scheduled()).isEqualTo(10);
        }
    }

    /** Acks are on their way to the journal when Redis loses its data. */
    @EachDatabase(DatabaseKind.POSTGRESQL)
    void acksThatAreStillToBeRecordedAreWaitedFor(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            CountDownLatch recorded = new CountDownLatch(1);
            here.start();
            here.holdRecords(recorded);
            here.consume();
            here.schedule("a", 20, Duration.ZERO);
            RestoreFixture.await().until(() -> here.client.stats(TOPIC).totals().acked() == 20);
            here.redis().flushall();
            RestoreFixture.await().until(() -> here.openRefills() == 1);
            RestoreFixture.await()
                    .during(Duration.ofSeconds(1))
                    .untilAsserted(() -> assertThat(here.delivered.values())
                            .allSatisfy(count -> assertThat(count).hasValue(1)));
            recorded.countDown();

            here.awaitAllDone();
            RestoreFixture.await().until(() -> here.openRefills() == 0);
            assertThat(here.delivered).hasSize(20);
            assertThat(here.delivered.values())
                    .allSatisfy(count -> assertThat(count).hasValue(1));
        }
    }
}
