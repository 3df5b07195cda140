package io.delayqueue.jdbc.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.MessageHandler;
import io.delayqueue.jdbc.database.DatabaseKind;
import io.delayqueue.jdbc.database.EachDatabase;
import io.delayqueue.jdbc.database.TestDatabase;
import io.delayqueue.test.EmbeddedRedis;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;

/** Two deliveries of one message at once: the lease ended while the first handler was at work. */
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
