package io.delayqueue.jdbc.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.test.EmbeddedRedis;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;

/** Somebody empties Redis. */
class FlushAllTests {

    private final EmbeddedRedis server = EmbeddedRedis.start();

    @AfterEach
    void close() {
        server.close();
    }

    @EachDatabase
    void whatIsUnfinishedComesBackInTheMiddleOfTraffic(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.start().consume();
            List<String> later = here.schedule("later", 20, Duration.ofHours(1));
            here.schedule("a", 200, Duration.ZERO, Duration.ofMillis(10));
            RestoreFixture.await().until(() -> here.recordedAcks.size() > 50);

            here.redis().flushall();
            here.schedule("b", 100, Duration.ZERO, Duration.ofMillis(10));
            RestoreFixture.await().until(() -> here.restore.restored() >= later.size());
            here.awaitSent();
            later.forEach(here::cancel);

            here.awaitAllDone();
            assertThat(here.delivered).hasSize(300);
            assertThat(here.count("status = 'ACKED'")).isEqualTo(300);
            assertThat(here.losses)
                    .extracting(RedisLossDetectedEvent::loss)
                    .isNotEmpty()
                    .isSubsetOf(Loss.EMPTY, Loss.OTHER_EPOCH);
            assertThat(here.count("status = 'CANCELLED'")).isEqualTo(20);
        }
    }

    /** Somebody has to mend its row: until then it is told as lost, and the others are back. */
    @EachDatabase({DatabaseKind.H2, DatabaseKind.POSTGRESQL})
    void aMessageThatCantBeReadIsNotForgotten(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri()).start()) {
            here.schedule("a", 10, Duration.ofHours(1));
            here.awaitSent();
            here.jdbc
                    .sql("UPDATE delayqueue_message SET duplicates = 'NONSENSE' WHERE id = ?")
                    .param(here.name("a3"))
                    .update();

            here.redis().flushall();

            RestoreFixture.await().until(() -> here.scheduled() == 9);
            RestoreFixture.await()
                    .untilAsserted(() -> assertThat(here.jdbc
                                    .sql("SELECT error FROM delayqueue_outbox")
                                    .query(String.class)
                                    .list())
                            .singleElement()
                            .asString()
                            .contains("can't be read"));
            assertThat(here.openRefills()).isEqualTo(1);
            here.jdbc
                    .sql("UPDATE delayqueue_message SET duplicates = 'REJECT' WHERE id = ?")
                    .param(here.name("a3"))
                    .update();
            here.endClaims();
            RestoreFixture.await().until(() -> here.scheduled() == 10);
        }
    }

    /** Nobody sends and no connection breaks: the counters tell. */
    @EachDatabase({DatabaseKind.H2, DatabaseKind.POSTGRESQL})
    void anIdleRedisIsRefilled(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.start();
            here.schedule("a", 700, Duration.ofHours(1));
            here.awaitSent();

            here.redis().flushall();

            RestoreFixture.await()
                    .untilAsserted(() -> assertThat(here.client
                                    .stats(RestoreFixture.TOPIC)
                                    .pending()
                                    .scheduled())
                            .isEqualTo(700));
            assertThat(here.losses).containsExactly(new RedisLossDetectedEvent(RestoreFixture.TOPIC, 0, Loss.EMPTY));
            RestoreFixture.await()
                    .untilAsserted(() -> assertThat(here.reports)
                            .singleElement()
                            .satisfies(report -> {
                                assertThat(report.restored()).isEqualTo(700);
                                assertThat(report.dryRun()).isFalse();
                            }));
            // a look that began before the end may come back behind it
            RestoreFixture.await().until(() -> here.restore.losses().isEmpty());
        }
    }

    /** In mode report, a person decides. */
    @EachDatabase(DatabaseKind.H2)
    void aLossIsReportedAndLeftAlone(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri(), RestoreFixture.REPORTING)) {
            here.start().consume();
            here.schedule("a", 5, Duration.ofHours(1));
            here.awaitSent();
            here.redis().flushall();

            RestoreFixture.await().until(() -> !here.restore.losses().isEmpty());
            assertThat(here.client.stats(RestoreFixture.TOPIC).pending().total())
                    .isZero();
            RestoreReport report = here.restore.restore(RestoreRequest.all(), false);
            assertThat(report.restored()).isEqualTo(5);
            RestoreFixture.await()
                    .untilAsserted(() -> assertThat(here.client
                                    .stats(RestoreFixture.TOPIC)
                                    .pending()
                                    .scheduled())
                            .isEqualTo(5));
            RestoreFixture.await().until(() -> here.restore.losses().isEmpty());

            here.awaitSent();
            here.redis().flushall();
            // a look that began before the former loss ended may have told it once more
            RestoreFixture.await().until(() -> here.restore.losses().size() == 1);
            assertThat(here.losses).hasSizeGreaterThanOrEqualTo(2);
        }
    }
}
