package io.delayqueue.jdbc.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.relay.RelayProcess.Step;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Many relays drain one table: each row is sent once, and none is lost. */
class ManyRelaysTests {

    private static final int RELAYS = 4;

    @RegisterExtension
    private static final RedisFixture redis = new RedisFixture();

    @EachDatabase
    void instancesShareTheRows(TestDatabase database) throws Exception {
        int rowCount = 4_000;
        OutboxFixture rows = new OutboxFixture(database);
        rows.scheduled(rowCount, "m");
        CyclicBarrier allTaken = new CyclicBarrier(RELAYS);
        List<Integer> sent = new ArrayList<>();
        ExecutorService threads = Executors.newFixedThreadPool(RELAYS);
        try {
            List<Future<Integer>> relays = new ArrayList<>();
            for (int i = 0; i < RELAYS; i++) {
                relays.add(threads.submit(() -> drain(rows, allTaken)));
            }
            for (Future<Integer> relay : relays) {
                sent.add(relay.get(2, TimeUnit.MINUTES));
            }
        } finally {
            threads.shutdownNow();
        }

        assertThat(sent).allSatisfy(share -> assertThat(share).isPositive());
        assertThat(sent.stream().mapToInt(share -> share).sum()).isEqualTo(rowCount);
        assertSentOnce(rows, rowCount);
        assertThat(redis.outbox.appliedTokens()).hasSize(rowCount).doesNotHaveDuplicates();
    }

    /** Each relay has taken its first batch before any is sent. */
    private static int drain(OutboxFixture rows, CyclicBarrier allTaken) {
        WatchedOutbox outbox = new WatchedOutbox(redis.outbox);
        outbox.beforeCall = operations -> {
            if (outbox.calls.get() == 1) {
                meet(allTaken);
            }
        };
        OutboxSettings settings = new OutboxSettings(Duration.ofMinutes(10), 200, Duration.ofSeconds(1), 10, 10);
        try (Relay relay = new Relay(rows.database, outbox, OutboxListener.NONE, settings)) {
            return OutboxFixture.drain(relay);
        }
    }

    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void processesShareTheRows(TestDatabase database) throws Exception {
        int rowCount = 2_000;
        OutboxFixture rows = new OutboxFixture(database);
        rows.scheduled(rowCount, "m");
        List<Integer> sent = new ArrayList<>();
        try (RelayProcesses processes = new RelayProcesses(database, redis)) {
            List<RelayProcesses.One> relays = new ArrayList<>();
            for (int i = 0; i < RELAYS; i++) {
                relays.add(processes.start(Step.TAKEN, Duration.ofMinutes(10), 200));
            }
            for (RelayProcesses.One relay : relays) {
                relay.awaitLine(Step.TAKEN.name());
            }
            for (RelayProcesses.One relay : relays) {
                relay.goOn();
            }
            for (RelayProcesses.One relay : relays) {
                sent.add(relay.awaitSent());
            }
        }
        assertThat(sent).allSatisfy(share -> assertThat(share).isPositive());
        assertThat(sent.stream().mapToInt(share -> share).sum()).isEqualTo(rowCount);
        assertSentOnce(rows, rowCount);
    }

    private static void assertSentOnce(OutboxFixture rows, int rowCount) {
        assertThat(rows.outboxRows()).isZero();
        assertThat(rows.statuses()).isEqualTo(Map.of("SCHEDULED", rowCount));
        assertThat(redis.accepted()).isEqualTo(rowCount);
        assertThat(redis.client.stats(OutboxFixture.TOPIC).pending().scheduled())
                .isEqualTo(rowCount);
    }

    private static void meet(CyclicBarrier barrier) {
        try {
            barrier.await(1, TimeUnit.MINUTES);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
