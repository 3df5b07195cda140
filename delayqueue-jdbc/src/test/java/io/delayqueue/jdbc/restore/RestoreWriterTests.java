package io.delayqueue.jdbc.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.support.JournalTransaction;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.test.EmbeddedRedis;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;

/** Rows of messages that another transaction changes while a comparison writes them. */
class RestoreWriterTests {

    private static final String TOPIC = RestoreFixture.TOPIC;

    private final EmbeddedRedis server = EmbeddedRedis.start();

    @AfterEach
    void close() {
        server.close();
    }

    /** Handlers of another instance have failed, and its audit records that they are tried again. */
    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void noRowIsLeftOutThatAnotherTransactionChanges(TestDatabase database) throws Exception {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            List<String> ids = here.schedule("a", 3, Duration.ofHours(1));
            here.jdbc.sql("UPDATE delayqueue_message SET status = 'SCHEDULED'").update();
            RestoreContext context =
                    RestoreContext.of(here.client, here.database, here.seen, PendingEnds.NONE, RestoreFixture.SETTINGS);
            List<RecordedMessage> messages = context.recorded().ofIds(TOPIC, ids).values().stream()
                    .flatMap(List::stream)
                    .toList();

            CompletableFuture<Integer> writing = new JournalTransaction(
                            here.database.dataSource(), here.database.dialect())
                    .execute(() -> {
                        here.jdbc
                                .sql("UPDATE delayqueue_message SET status = 'IN_FLIGHT', attempts = 1")
                                .update();
                        CompletableFuture<Integer> begun = CompletableFuture.supplyAsync(
                                () -> context.writer().unrecorded(TOPIC, messages));
                        RestoreFixture.await().until(database::isSomebodyWaiting);
                        return begun;
                    });

            assertThat(writing.get(1, TimeUnit.MINUTES)).isEqualTo(3);
            assertThat(here.count("status = 'UNRECORDED'")).isEqualTo(3);
        }
    }
}
