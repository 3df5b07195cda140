package io.delayqueue.jdbc.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.test.EmbeddedRedis;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.springframework.dao.DuplicateKeyException;

/** A restore ends although ids of its topic are changed all the time. */
@Tag("slow")
class RefillUnderTrafficTests {

    private static final String TOPIC = RestoreFixture.TOPIC;
    private static final Duration HOUR = Duration.ofHours(1);
    private static final int COUNT = 4_000;

    private final EmbeddedRedis server = EmbeddedRedis.start();

    @AfterEach
    void close() {
        server.close();
    }

    /** Each message has a change at most; most changes meet messages that were lost. */
    @EachDatabase
    void aLossEndsWhileOtherIdsAreCancelledAndRescheduled(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.start();
            List<String> ids = here.schedule("a", COUNT, HOUR, Duration.ofSeconds(1));
            here.awaitSent();
            block(here);
            try (Traffic traffic = new Traffic(here, ids)) {
                RestoreFixture.await().until(() -> traffic.changes.get() > 50);

                here.redis().flushall();

                RestoreFixture.await().until(() -> !here.losses.isEmpty());
                RestoreFixture.await().until(() -> here.restore.losses().isEmpty());
                int before = traffic.changes.get();
                RestoreFixture.await().until(() -> traffic.changes.get() > before);
                assertThat(here.openRefills()).isZero();
            }
            awaitOnlyBlocked(here);
            assertThat(here.reports).hasSize(1);
            assertThat(here.scheduled()).isEqualTo(here.count("status = 'SCHEDULED'"));
            RestoreReport after = here.restore.restore(RestoreRequest.all(), true);
            assertThat(after.differences()).isEmpty();
            assertThat(after.waiting()).isZero();
        }
    }

    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.H2})
    void aRestoreByHandEndsTheLossUnderTraffic(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri(), RestoreFixture.REPORTING)) {
            here.start();
            // so few that a slow relay sends changes behind all of them while the restore looks for what waits
            List<String> ids = here.schedule("a", COUNT / 2, HOUR, Duration.ofSeconds(1));
            here.awaitSent();
            try (Traffic traffic = new Traffic(here, ids)) {
                here.redis().flushall();
                RestoreFixture.await().until(() -> !here.restore.losses().isEmpty());
                RestoreFixture.await().until(() -> traffic.changes.get() > 50);
                // a poll before the loss was noticed has left rows claimed
                here.endClaims();

                RestoreReport report = here.restore.restore(RestoreRequest.all(), false);

                assertThat(report.waiting()).isZero();
                assertThat(here.restore.losses()).isEmpty();
                assertThat(traffic.isRunning()).isTrue();
            }
            here.awaitSent();
            assertThat(here.scheduled()).isEqualTo(here.count("status = 'SCHEDULED'"));
        }
    }

    /** An id whose message Redis refused, until somebody comes. */
    private static void block(RestoreFixture here) {
        here.relay.close();
        here.schedule("blocked", 1, HOUR);
        here.jdbc
                .sql("UPDATE delayqueue_outbox SET send_at = ?, failures = 10")
                .param(Long.MAX_VALUE)
                .update();
        here.jdbc
                .sql("UPDATE delayqueue_message SET status = 'BLOCKED' WHERE status = 'OUTBOX'")
                .update();
        here.relay.start();
    }

    private static void awaitOnlyBlocked(RestoreFixture here) {
        RestoreFixture.await()
                .untilAsserted(() -> assertThat(here.jdbc
                                .sql("SELECT COUNT(*) FROM delayqueue_outbox")
                                .query(Long.class)
                                .single())
                        .isEqualTo(1));
    }

    /** Changes one id after the other: of the messages due first, some after others have passed them. */
    private static final class Traffic implements AutoCloseable {

        private static final long PAUSE_NANOS = 25_000_000;

        /** From here on there are few changes: some are left however long the restore takes. */
        private static final int RESERVE = 500;

        private static final long LONG_PAUSE_NANOS = 1_000_000_000;

        final AtomicInteger changes = new AtomicInteger();
        private final AtomicBoolean stopped = new AtomicBoolean();
        private final CompletableFuture<Void> running;

        Traffic(RestoreFixture here, List<String> ids) {
            Deque<String> left = new ArrayDeque<>(everyOther(ids));
            running = CompletableFuture.runAsync(
                    () -> {
                        while (!stopped.get() && !left.isEmpty()) {
                            if (tryChange(here, left.peek())) {
                                left.remove();
                                changes.incrementAndGet();
                            }
                            LockSupport.parkNanos(left.size() > RESERVE ? PAUSE_NANOS : LONG_PAUSE_NANOS);
                        }
                    },
                    task -> new Thread(task, "traffic").start());
        }

        private static List<String> everyOther(List<String> ids) {
            List<String> some = new ArrayList<>();
            for (int i = 0; i < ids.size() / 2; i++) {
                some.add(ids.get(i));
                // those behind come to the front
                some.add(ids.get(ids.size() - 1 - i));
            }
            return some;
        }

        /** False while the id's row is that of its restore. */
        private boolean tryChange(RestoreFixture here, String id) {
            try {
                switch (changes.get() % 3) {
                    case 0 -> here.cancel(id);
                    case 1 -> here.reschedule(id, HOUR.minusMinutes(10), Duration.ZERO);
                    default -> here.reschedule(id, HOUR.multipliedBy(5), Duration.ZERO);
                }
                return true;
            } catch (DuplicateKeyException e) {
                return false;
            }
        }

        boolean isRunning() {
            return !running.isDone();
        }

        @Override
        public void close() {
            stopped.set(true);
            running.join();
        }
    }
}
