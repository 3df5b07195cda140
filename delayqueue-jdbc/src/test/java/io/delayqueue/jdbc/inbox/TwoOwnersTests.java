package io.delayqueue.jdbc.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.MessageHandler;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.ReceivedMessage;
import io.delayqueue.jdbc.support.JournalDatabase;
import io.delayqueue.jdbc.support.JournalTables;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.test.EmbeddedRedis;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** Two deliveries of one message at once: the lease ended while the first handler was at work. */
@Tag("slow")
class TwoOwnersTests {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final EmbeddedRedis redis = EmbeddedRedis.start();
    private final CountDownLatch firstWorks = new CountDownLatch(1);
    private final CountDownLatch firstMayEnd = new CountDownLatch(1);
    private final CountDownLatch secondCame = new CountDownLatch(1);
    private final AtomicInteger calls = new AtomicInteger();

    @AfterEach
    void close() {
        firstMayEnd.countDown();
        redis.close();
    }

    @EachDatabase
    void theSecondWaitsForTheFirstAndIsNotCalledWhenThatCommits(TestDatabase database) throws Exception {
        DataSource dataSource = database.withSchema().dataSource();
        try (InboxFixture first = new InboxFixture(dataSource, redis.uri());
                InboxFixture second = new InboxFixture(dataSource, redis.uri())) {
            bothAtOnce(database, first, second, (message, delivery) -> first.work(message));

            await().atMost(LIMIT).until(() -> second.stats().totals().acked() == 1);
            assertThat(calls).hasValue(1);
            assertThat(first.works("a")).containsExactly(1);
            assertThat(second.decorator.duplicates()).isOne();
            assertThat(second.stats().inFlight()).isZero();
        }
    }

    @EachDatabase
    void theSecondHandlesTheMessageWhenTheFirstRollsBack(TestDatabase database) throws Exception {
        DataSource dataSource = database.withSchema().dataSource();
        try (InboxFixture first = new InboxFixture(dataSource, redis.uri());
                InboxFixture second = new InboxFixture(dataSource, redis.uri())) {
            bothAtOnce(database, first, second, (message, delivery) -> {
                first.work(message);
                throw new IllegalStateException("too late");
            });

            await().atMost(LIMIT).until(() -> second.stats().totals().acked() == 1);
            assertThat(calls).hasValue(2);
            assertThat(first.works("a")).containsExactly(2);
            assertThat(first.recorded()).isOne();
        }
    }

    /** As many as there are handler slots: the database may learn only after hours that the host of their owner is gone. */
    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void messagesOfAnOwnerThatIsGoneKeepNoSlotFromOthersAndLoseNoAttempt(TestDatabase database) throws Exception {
        DataSource dataSource = database.withSchema().dataSource();
        try (InboxFixture survivor = new InboxFixture(dataSource, redis.uri());
                Connection gone = dataSource.getConnection()) {
            survivor.jdbc.sql(InboxFixture.CREATE_WORK).update();
            gone.setAutoCommit(false);
            List<String> held = IntStream.range(0, 16).mapToObj(i -> "held" + i).toList();
            for (String id : held) {
                OutgoingMessage message = OutgoingMessage.to(InboxFixture.TOPIC)
                        .id(id)
                        .payload(new byte[0])
                        .build();
                InboxTable table = new InboxTable(
                        new JournalDatabase(
                                new SingleConnectionDataSource(gone, true),
                                new JournalTables(JournalTables.DEFAULT_PREFIX)),
                        "worker");
                assertThat(table.insert(received(message))).isTrue();
                survivor.client.schedule(message);
            }
            Set<String> tried = ConcurrentHashMap.newKeySet();
            survivor.interceptors.add((message, delivery, next) -> {
                tried.add(message.id());
                next.handle(message, delivery);
            });
            survivor.listen((message, delivery) -> survivor.work(message));
            await().atMost(LIMIT).until(() -> tried.containsAll(held));

            for (int i = 0; i < 20; i++) {
                survivor.schedule("free" + i);
            }
            await().atMost(LIMIT).until(() -> survivor.stats().totals().acked() == 20);
            assertThat(survivor.works()).isEqualTo(20);
            assertThat(survivor.recorded())
                    .as("as the owner that is gone has not committed")
                    .isEqualTo(20);

            gone.rollback();
            await().atMost(LIMIT).until(() -> survivor.stats().totals().acked() == 36);
            assertThat(held).allSatisfy(id -> assertThat(survivor.works(id)).containsExactly(1));
        }
    }

    private static ReceivedMessage received(OutgoingMessage message) {
        return ReceivedMessage.of(message.topic(), message.id())
                .payload(message.payload())
                .priority(message.priority())
                .generation(message.generation())
                .build();
    }

    private void bothAtOnce(TestDatabase database, InboxFixture first, InboxFixture second, MessageHandler end)
            throws Exception {
        first.jdbc.sql(InboxFixture.CREATE_WORK).update();
        first.listen((message, delivery) -> {
            calls.incrementAndGet();
            firstWorks.countDown();
            firstMayEnd.await();
            end.handle(message, delivery);
        });
        first.schedule("a");
        assertThat(firstWorks.await(60, TimeUnit.SECONDS)).isTrue();
        first.claimNoMore();

        second.interceptors.add((message, delivery, next) -> {
            secondCame.countDown();
            next.handle(message, delivery);
        });
        second.listen((message, delivery) -> {
            calls.incrementAndGet();
            second.work(message);
        });
        first.endLease("a");
        assertThat(secondCame.await(60, TimeUnit.SECONDS)).isTrue();
        if (database.kind() != DatabaseKind.H2) {
            await().atMost(LIMIT).until(database::isSomebodyWaiting);
        }
        assertThat(calls).hasValue(1);
        assertThat(second.stats().totals().acked()).isZero();
        firstMayEnd.countDown();
    }
}
