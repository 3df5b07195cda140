package io.delayqueue.jdbc.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.Everyday;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.test.EmbeddedRedis;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;

/** Messages that are delivered several times, and handled once. */
@Everyday(DatabaseKind.MARIADB)
class InboxTests {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final EmbeddedRedis redis = EmbeddedRedis.start();
    private final AtomicInteger calls = new AtomicInteger();

    @AfterEach
    void close() {
        redis.close();
    }

    private InboxFixture fixture(TestDatabase database) {
        DataSource dataSource = database.withSchema().dataSource();
        InboxFixture fixture = new InboxFixture(dataSource, redis.uri());
        fixture.jdbc.sql(InboxFixture.CREATE_WORK).update();
        return fixture;
    }

    @EachDatabase
    void aMessageThatIsDeliveredAgainAfterItWasHandledIsAckedWithoutACall(TestDatabase database) {
        try (InboxFixture fixture = fixture(database)) {
            // fails behind the commit, as a process does that dies before the ack
            fixture.interceptors.add((message, delivery, next) -> {
                next.handle(message, delivery);
                if (message.attempt() == 1) {
                    throw new IOException("behind the commit");
                }
            });
            fixture.listen((message, delivery) -> {
                calls.incrementAndGet();
                fixture.work(message);
            });

            fixture.schedule("a");
            await().atMost(LIMIT).until(() -> fixture.stats().totals().acked() == 1);

            assertThat(calls).hasValue(1);
            assertThat(fixture.works("a")).containsExactly(1);
            assertThat(fixture.recorded()).isOne();
            assertThat(fixture.decorator.duplicates()).isOne();
            assertThat(fixture.stats().totals().retried()).isOne();
        }
    }

    @EachDatabase
    void aFailureRollsBackTheWorkAndTheRecord(TestDatabase database) {
        try (InboxFixture fixture = fixture(database)) {
            fixture.listen((message, delivery) -> {
                fixture.work(message);
                if (message.attempt() == 1) {
                    // checked exceptions roll back, too
                    throw new IOException("half done");
                }
            });

            fixture.schedule("a");
            await().atMost(LIMIT).until(() -> fixture.stats().totals().acked() == 1);

            assertThat(fixture.works("a")).containsExactly(2);
            assertThat(fixture.recorded()).isOne();
            assertThat(fixture.decorator.duplicates()).isZero();
        }
    }

    @EachDatabase
    void theHandlersOwnTransactionJoins(TestDatabase database) {
        try (InboxFixture fixture = fixture(database)) {
            fixture.listen((message, delivery) -> {
                fixture.transaction.executeWithoutResult(status -> fixture.work(message));
                if (message.attempt() == 1) {
                    throw new IllegalStateException("behind its own transaction");
                }
                if (message.attempt() == 2) {
                    // marked by the inner one: the commit fails, and the message comes again
                    fixture.transaction.executeWithoutResult(status -> status.setRollbackOnly());
                }
            });

            fixture.schedule("a");
            await().atMost(LIMIT).until(() -> fixture.stats().totals().acked() == 1);

            assertThat(fixture.works("a")).containsExactly(3);
        }
    }

    @EachDatabase
    void anIdThatIsUsedAgainIsHandledAgain(TestDatabase database) {
        try (InboxFixture fixture = fixture(database)) {
            fixture.listen((message, delivery) -> fixture.work(message));

            fixture.schedule("a");
            await().atMost(LIMIT).until(() -> fixture.stats().totals().acked() == 1);
            fixture.schedule("a");
            await().atMost(LIMIT).until(() -> fixture.stats().totals().acked() == 2);

            assertThat(fixture.works("a")).containsExactly(1, 1);
            assertThat(fixture.recorded()).isEqualTo(2);
        }
    }

    /** Ids are those of a topic, and so are their generations. */
    @EachDatabase
    void messagesOfTwoTopicsAreNotTakenForEachOther(TestDatabase database) {
        try (InboxFixture fixture = fixture(database)) {
            for (String topic : List.of("orders", "invoices")) {
                fixture.listen("worker", topic, (message, delivery) -> fixture.work(message));
                fixture.client.schedule(OutgoingMessage.to(topic)
                        .id("a")
                        .payload(new byte[0])
                        .generation("g0000001")
                        .build());
            }

            await().atMost(LIMIT)
                    .until(() -> fixture.client.stats("orders").totals().acked() == 1
                            && fixture.client.stats("invoices").totals().acked() == 1);

            assertThat(fixture.works("a")).hasSize(2);
            assertThat(fixture.recorded()).isEqualTo(2);
            assertThat(fixture.decorator.duplicates()).isZero();
        }
    }

    /** Each has work of its own. */
    @EachDatabase
    void aSecondListenerHandlesWhatAnotherOneHandled(TestDatabase database) {
        try (InboxFixture fixture = fixture(database)) {
            fixture.interceptors.add((message, delivery, next) -> {
                next.handle(message, delivery);
                if (message.attempt() == 1) {
                    fixture.claimNoMore();
                    throw new IOException("behind the commit");
                }
            });
            fixture.listen("first", InboxFixture.TOPIC, (message, delivery) -> fixture.work(message));
            fixture.schedule("a");
            await().atMost(LIMIT)
                    .until(() -> fixture.stats().totals().retried() == 1
                            && fixture.stats().inFlight() == 0);
            assertThat(fixture.works("a")).containsExactly(1);

            fixture.listen("second", InboxFixture.TOPIC, (message, delivery) -> fixture.work(message));
            await().atMost(LIMIT).until(() -> fixture.stats().totals().acked() == 1);

            assertThat(fixture.works("a")).containsExactly(1, 2);
            assertThat(fixture.recorded()).isEqualTo(2);
            assertThat(fixture.decorator.duplicates()).isZero();
        }
    }

    /** PostgreSQL refuses every further statement of a transaction in which one failed. */
    @EachDatabase
    void aDuplicateLeavesTheTransactionUsable(TestDatabase database) {
        try (InboxFixture fixture = fixture(database)) {
            fixture.interceptors.add((message, delivery, next) -> {
                fixture.transaction.executeWithoutResult(status -> {
                    handle(() -> next.handle(message, delivery));
                    fixture.jdbc
                            .sql("INSERT INTO work (id, attempt) VALUES (?, ?)")
                            .params("around", message.attempt())
                            .update();
                });
                if (message.attempt() == 1) {
                    throw new IOException("behind the commit");
                }
            });
            fixture.listen((message, delivery) -> fixture.work(message));

            fixture.schedule("a");
            await().atMost(LIMIT).until(() -> fixture.stats().totals().acked() == 1);

            assertThat(fixture.works("a")).containsExactly(1);
            assertThat(fixture.works("around")).containsExactly(1, 2);
        }
    }

    /** More handlers than connections, and a second delivery of each message. */
    @EachDatabase
    void manyMessages(TestDatabase database) {
        DataSource dataSource = database.withSchema().dataSource(pool -> pool.setMaximumPoolSize(4));
        try (InboxFixture fixture = new InboxFixture(dataSource, redis.uri())) {
            fixture.jdbc.sql(InboxFixture.CREATE_WORK).update();
            fixture.interceptors.add((message, delivery, next) -> {
                next.handle(message, delivery);
                if (message.attempt() == 1) {
                    throw new IOException("behind the commit");
                }
            });
            fixture.listen((message, delivery) -> fixture.work(message));

            for (int i = 0; i < 300; i++) {
                fixture.schedule("m" + i);
            }
            await().atMost(LIMIT).until(() -> fixture.stats().totals().acked() == 300);

            assertThat(fixture.works()).isEqualTo(300);
            assertThat(fixture.recorded()).isEqualTo(300);
            assertThat(fixture.decorator.duplicates()).isEqualTo(300);
        }
    }

    @EachDatabase
    void withoutTheInboxTheWorkIsDoneTwice(TestDatabase database) {
        try (InboxFixture fixture = fixture(database)) {
            fixture.interceptors.add((message, delivery, next) -> {
                next.handle(message, delivery);
                if (message.attempt() == 1) {
                    throw new IOException("behind the commit");
                }
            });
            fixture.listen((message, delivery) -> fixture.work(message), false, Duration.ofSeconds(30));

            fixture.schedule("a");
            await().atMost(LIMIT).until(() -> fixture.stats().totals().acked() == 1);

            assertThat(fixture.works("a")).containsExactly(1, 2);
            assertThat(fixture.recorded()).isZero();
        }
    }

    private static void handle(Call call) {
        try {
            call.run();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private interface Call {
        void run() throws Exception;
    }
}
