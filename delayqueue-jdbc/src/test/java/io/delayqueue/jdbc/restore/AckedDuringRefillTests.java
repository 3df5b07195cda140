package io.delayqueue.jdbc.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.database.EachDatabase;
import io.delayqueue.jdbc.database.TestDatabase;
import io.delayqueue.jdbc.restore.RestoreWork.Keeper;
import io.delayqueue.test.EmbeddedRedis;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;

/** Messages that were sent after a loss are handled while a refill looks for those that were lost. */
class AckedDuringRefillTests {

    private static final String TOPIC = RestoreFixture.TOPIC;
    private static final Duration HOUR = Duration.ofHours(1);

    private final EmbeddedRedis server = EmbeddedRedis.start();
    private final RestoreTally tally = new RestoreTally(new AtomicLong());

    @AfterEach
    void close() {
        server.close();
    }

    /** Another instance acked it just before the look at Redis, and records that just after it. */
    @EachDatabase
    void aMessageWhoseAckIsRecordedAfterTheLookIsNotScheduledAgain(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.relay.start();
            here.schedule("lost", 1, HOUR);
            here.awaitSent();
            here.redis().flushall();
            here.restore.check(TOPIC);
            here.restore.removeRevived(TOPIC, () -> false);
            here.auditing = false;
            here.schedule("sent", 1, Duration.ZERO);
            here.awaitSent();
            here.consume();
            RestoreFixture.await()
                    .until(() -> here.client.stats(TOPIC).totals().acked() == 1);
            here.relay.close();

            refill(here, progress -> here.finish("sent0", null, "ACKED"));

            assertThat(isInOutbox(here, "lost0")).isTrue();
            assertThat(isInOutbox(here, "sent0")).isFalse();
            assertThat(here.status("sent0")).isEqualTo("ACKED");
        }
    }

    private void refill(RestoreFixture here, Keeper keeper) {
        RestoreSettings settings = RestoreFixture.SETTINGS;
        RestoreContext context = RestoreContext.of(here.client, here.database, here.seen, PendingEnds.NONE, settings);
        RestoreWork work = new RestoreWork(TOPIC, settings.rate(), tally, keeper);
        new TopicRefill(context, TOPIC, work).run(new OpenRefill(tally), settings.settleTime());
    }

    private static boolean isInOutbox(RestoreFixture here, String id) {
        return here.jdbc
                        .sql("SELECT COUNT(*) FROM delayqueue_outbox WHERE id = ?")
                        .param(here.name(id))
                        .query(Long.class)
                        .single()
                == 1;
    }
}
