package io.delayqueue.jdbc.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.test.EmbeddedRedis;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;

/** A Redis that keeps nothing on disk restarts. */
class RestartWithoutPersistenceTests {

    private final EmbeddedRedis server = EmbeddedRedis.start();

    @AfterEach
    void close() {
        server.close();
    }

    @EachDatabase({DatabaseKind.H2, DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void everyUnfinishedMessageIsDelivered(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.start().consume();
            here.schedule("a", 200, Duration.ZERO, Duration.ofMillis(10));
            RestoreFixture.await().until(() -> here.recordedAcks.size() > 50);

            server.kill();
            server.restart();
            here.awaitRedis();
            here.schedule("b", 100, Duration.ZERO, Duration.ofMillis(10));

            here.awaitAllDone();
            assertThat(here.delivered).hasSize(300);
            assertThat(here.losses).isNotEmpty();
        }
    }
}
