package io.delayqueue.jdbc.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.jdbc.testsupport.ChildJvm;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.test.EmbeddedRedis;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;

/** A process is killed with SIGKILL after its handler's work was committed, and before the message was acked. */
class KilledBetweenCommitAndAckTests {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final EmbeddedRedis redis = EmbeddedRedis.start();

    @AfterEach
    void close() {
        redis.close();
    }

    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void theWorkIsThereOnceAfterTheRedelivery(TestDatabase database) throws Exception {
        try (InboxFixture next = new InboxFixture(database.withSchema().dataSource(), redis.uri())) {
            killed(next, database, true);

            next.listen((message, delivery) -> next.work(message));
            await().atMost(LIMIT).until(() -> next.stats().totals().acked() == 1);
            assertThat(next.works("a")).containsExactly(1);
            assertThat(next.decorator.duplicates()).isOne();
        }
    }

    /** The fault strikes: without the inbox, the work is done twice. */
    @EachDatabase(DatabaseKind.POSTGRESQL)
    void withoutTheInboxItIsThereTwice(TestDatabase database) throws Exception {
        try (InboxFixture next = new InboxFixture(database.withSchema().dataSource(), redis.uri())) {
            killed(next, database, false);

            next.listen((message, delivery) -> next.work(message), false, Duration.ofSeconds(30));
            await().atMost(LIMIT).until(() -> next.stats().totals().acked() == 1);
            assertThat(next.works("a")).containsExactly(1, 2);
        }
    }

    private void killed(InboxFixture fixture, TestDatabase database, boolean idempotent) throws Exception {
        fixture.jdbc.sql(InboxFixture.CREATE_WORK).update();
        fixture.schedule("a");
        Process process = ChildJvm.running(
                        InboxProcess.class,
                        List.of("-Xmx256m", ChildJvm.STARTS_FAST),
                        List.of(database.url(), redis.uri(), String.valueOf(idempotent)))
                .start();
        try {
            awaitLine(process, "COMMITTED");
        } finally {
            process.destroyForcibly();
        }
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        fixture.endLease("a");
        assertThat(fixture.works("a")).containsExactly(1);
        assertThat(fixture.stats().totals().acked()).isZero();
    }

    private static void awaitLine(Process process, String wanted) throws IOException {
        BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.equals(wanted)) {
                return;
            }
        }
        throw new AssertionError("the process ended without " + wanted);
    }
}
