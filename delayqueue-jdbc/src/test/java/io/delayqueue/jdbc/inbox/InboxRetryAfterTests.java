package io.delayqueue.jdbc.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.Everyday;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.test.EmbeddedRedis;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;

/** A handler that asks for its message again gets it again, though its work was committed. */
@Everyday(DatabaseKind.H2)
class InboxRetryAfterTests {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final EmbeddedRedis redis = EmbeddedRedis.start();

    @AfterEach
    void close() {
        redis.close();
    }

    private InboxFixture fixture(TestDatabase database) {
        InboxFixture fixture = new InboxFixture(database.withSchema().dataSource(), redis.uri());
        fixture.jdbc.sql(InboxFixture.CREATE_WORK).update();
        return fixture;
    }

    @EachDatabase
    void retryAfterDeliversTheMessageAgain(TestDatabase database) {
        try (InboxFixture fixture = fixture(database)) {
            fixture.listen((message, delivery) -> {
                fixture.work(message);
                if (message.attempt() == 1) {
                    delivery.retryAfter(Duration.ofMillis(10));
                }
            });

            fixture.schedule("a");
            await().atMost(LIMIT).until(() -> fixture.stats().totals().acked() == 1);

            assertThat(fixture.works("a")).containsExactly(1, 2);
            assertThat(fixture.recorded()).isOne();
            assertThat(fixture.decorator.duplicates()).isZero();
        }
    }

    @EachDatabase
    void aDeadLetterIsHandledWhenItIsRedriven(TestDatabase database) {
        try (InboxFixture fixture = fixture(database)) {
            fixture.listen((message, delivery) -> {
                fixture.work(message);
                if (fixture.works() == 1) {
                    delivery.deadLetter("not now");
                }
            });

            fixture.schedule("a");
            await().atMost(LIMIT).until(() -> fixture.stats().dead() == 1);
            assertThat(fixture.recorded()).isZero();
            fixture.client.deadLetters(InboxFixture.TOPIC).redrive(List.of("a"));
            await().atMost(LIMIT).until(() -> fixture.stats().totals().acked() == 1);

            assertThat(fixture.works("a")).hasSize(2);
            assertThat(fixture.recorded()).isOne();
        }
    }

    @EachDatabase
    void theLastWordOfAFailureCounts(TestDatabase database) {
        try (InboxFixture fixture = fixture(database)) {
            fixture.listen((message, delivery) -> {
                fixture.work(message);
                if (message.attempt() == 1) {
                    delivery.retryAfter(Duration.ofMillis(10));
                    throw new IllegalStateException("and fails");
                }
            });

            fixture.schedule("a");
            await().atMost(LIMIT).until(() -> fixture.stats().totals().acked() == 1);

            // the failure rolled the first attempt's work back
            assertThat(fixture.works("a")).containsExactly(2);
        }
    }
}
