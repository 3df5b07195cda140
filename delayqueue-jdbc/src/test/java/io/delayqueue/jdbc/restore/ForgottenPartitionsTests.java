package io.delayqueue.jdbc.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.test.EmbeddedRedis;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;

/** A partition is lost, and Redis has forgotten the former number of partitions that put messages there. */
@Tag("slow")
class ForgottenPartitionsTests {

    private static final String TOPIC = RestoreFixture.TOPIC;

    private final EmbeddedRedis server = EmbeddedRedis.start();

    @AfterEach
    void close() {
        server.close();
    }

    /** The refill looks for those only that the present number puts there. The others are late, and none is lost. */
    @EachDatabase(DatabaseKind.POSTGRESQL)
    void aComparisonBringsBackWhatTheRefillDoesNotLookFor(TestDatabase database) {
        DataSource dataSource = database.withSchema().dataSource();
        try (RestoreFixture here = instance(dataSource, "here", 2);
                RestoreFixture growing = instance(dataSource, "growing", 3)) {
            here.relay.start();
            List<String> ids = here.schedule("a", 60, Duration.ofHours(1));
            here.awaitSent();
            growing.client.stats(TOPIC);
            here.redis().hdel(key(0, "meta"), "former", "increased");
            List<String> lost = ids.stream()
                    .filter(id -> here.redis().hexists(key(1, "messages"), id))
                    .toList();
            here.redis().del(here.redis().keys(key(1, "*")).toArray(String[]::new));

            assertThat(here.restore.check(TOPIC)).isTrue();
            here.restore.removeRevived(TOPIC, () -> false);
            RestoreFixture.await().ignoreExceptions().until(() -> {
                here.restore.refill(TOPIC, () -> false);
                return here.restore.losses().isEmpty();
            });
            here.awaitSent();
            List<String> late = lost.stream().filter(id -> !isInRedis(here, id)).toList();
            assertThat(late).isNotEmpty().hasSizeLessThan(lost.size());

            // the new partition may be used for the first time meanwhile
            RestoreFixture.await()
                    .until(() -> here.restore.compare(TOPIC, () -> false) != JournalRestore.Outcome.AGAIN);
            here.awaitSent();
            assertThat(late).allMatch(id -> isInRedis(here, id));
            assertThat(here.count("status = 'SCHEDULED'")).isEqualTo(ids.size());
        }
    }

    private RestoreFixture instance(DataSource dataSource, String name, int partitions) {
        return new RestoreFixture(dataSource, server.uri(), RestoreFixture.SETTINGS, true, name, partitions);
    }

    private static boolean isInRedis(RestoreFixture here, String id) {
        return IntStream.range(0, 3).anyMatch(part -> here.redis().hexists(key(part, "messages"), id));
    }

    private static String key(int partition, String name) {
        return "dq:{" + TOPIC + ":" + partition + "}:" + name;
    }
}
