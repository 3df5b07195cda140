package io.delayqueue.jdbc.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.test.EmbeddedRedis;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** After a loss, claims wait for the removal of what came back, as long as it gets on, and for the hold timeout if it does not. */
@Tag("slow")
class ClaimsWaitForTheRemovalTests {

    private static final int SOME = 100;

    /** A busy machine must not look like a removal that hangs, which tells its progress each second. */
    private static final Duration LONG = Duration.ofSeconds(10);

    /** Longer than another removal takes to be told. */
    private static final Duration SHORT = Duration.ofSeconds(3);

    private final EmbeddedRedis server = EmbeddedRedis.start();

    @AfterEach
    void close() {
        server.close();
    }

    @EachDatabase({DatabaseKind.H2, DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void noneIsClaimedWhileALongRemovalGetsOn(TestDatabase database) {
        DataSource slow = new SlowForRemovals(database.withSchema().dataSource());
        RestoreSettings settings = settings(RestoreMode.AUTOMATIC, LONG);
        try (RestoreFixture here = new RestoreFixture(slow, server.uri(), settings, true)) {
            int many = 5_000;
            reviveHandled(here, server, many);
            awaitLoss(here);
            long began = System.nanoTime();
            awaitRemoved(here, many);
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThan(LONG);
            here.schedule("new", 10, Duration.ZERO);
            here.awaitAllDone();
            assertThat(here.delivered).hasSize(10);
        }
    }

    @EachDatabase({DatabaseKind.H2, DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void noneIsClaimedWhileTheRemovalOfAnotherInstanceGetsOn(TestDatabase database) {
        try (RestoreFixture here = withHoldTimeout(database, LONG);
                AnotherRemoval another = new AnotherRemoval(here)) {
            reviveHandled(here, server, SOME);
            awaitLoss(here);
            another.goOnFor(LONG.multipliedBy(2));
            another.close();
            awaitRemoved(here, SOME);
            here.schedule("new", 10, Duration.ZERO);
            here.awaitAllDone();
            assertThat(here.delivered).hasSize(10);
        }
    }

    /** Another instance has the lease of the removal, and does nothing. */
    @EachDatabase(DatabaseKind.H2)
    void aRemovalThatDoesNotBeginHoldsClaimsForTheHoldTimeout(TestDatabase database) {
        try (RestoreFixture here = withHoldTimeout(database, SHORT);
                AnotherRemoval another = new AnotherRemoval(here)) {
            reviveHandled(here, server, SOME);
            awaitClaimed(here, another);
        }
    }

    @EachDatabase(DatabaseKind.H2)
    void aRemovalThatHangsMidwayHoldsClaimsForTheHoldTimeout(TestDatabase database) {
        try (RestoreFixture here = withHoldTimeout(database, SHORT);
                AnotherRemoval another = new AnotherRemoval(here)) {
            reviveHandled(here, server, SOME);
            awaitLoss(here);
            another.goOnFor(Duration.ofSeconds(3));
            awaitClaimed(here, another);
        }
    }

    /** It shows as much life as one that gets on. */
    @EachDatabase(DatabaseKind.H2)
    void aRemovalThatAlwaysFailsMidwayHoldsClaimsForTheHoldTimeout(TestDatabase database) {
        try (RestoreFixture here = withHoldTimeout(database, SHORT);
                AnotherRemoval another = new AnotherRemoval(here)) {
            reviveHandled(here, server, SOME);
            awaitLoss(here);
            long began = System.nanoTime();
            RestoreFixture.await().until(() -> {
                if (another.runs(Duration.ofSeconds(3))) {
                    another.begin();
                }
                another.step(20);
                return !here.violations.isEmpty();
            });
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThan(SHORT.dividedBy(2));
        }
    }

    private RestoreFixture withHoldTimeout(TestDatabase database, Duration holdTimeout) {
        return new RestoreFixture(database, server.uri(), settings(RestoreMode.AUTOMATIC, holdTimeout));
    }

    static RestoreSettings settings(RestoreMode mode, Duration holdTimeout) {
        return new RestoreSettings(
                mode,
                100_000,
                Duration.ofMillis(500),
                Duration.ZERO,
                holdTimeout,
                Duration.ofSeconds(30),
                Duration.ofMillis(300));
    }

    /** Redis has messages again whose acks the journal recorded, and a consumer that would claim them. */
    static void reviveHandled(RestoreFixture here, EmbeddedRedis server, int count) {
        here.relay.start();
        List<String> ids = here.schedule("m", count, Duration.ZERO);
        here.awaitSent();
        here.redis().save();
        new JdbcTemplate(here.database.dataSource())
                .update("UPDATE delayqueue_message SET status = 'ACKED', finished = 1");
        here.recordedAcks.addAll(ids);
        // as if instances had recorded all acks
        here.jdbc
                .sql("UPDATE delayqueue_partition SET ended = ? WHERE instance = 'here'")
                .param(count)
                .update();
        server.kill();
        here.watch.start();
        here.consume();
        server.restart();
    }

    private static void awaitLoss(RestoreFixture here) {
        RestoreFixture.await().until(() -> !here.losses.isEmpty());
    }

    private static void awaitRemoved(RestoreFixture here, int count) {
        RestoreFixture.await()
                .atMost(Duration.ofMinutes(3))
                .ignoreExceptions()
                .untilAsserted(() -> assertThat(
                                here.client.stats(RestoreFixture.TOPIC).totals().purged())
                        .isEqualTo(count));
        assertThat(here.violations).isEmpty();
    }

    /** Messages that came back are claimed: delivery is worth more. */
    private static void awaitClaimed(RestoreFixture here, AnotherRemoval another) {
        RestoreFixture.await().until(() -> {
            another.hold();
            return !here.violations.isEmpty();
        });
        awaitLoss(here);
        assertThat(here.client.stats(RestoreFixture.TOPIC).totals().purged()).isZero();
    }

    /** The removal of another instance, as far as others see it: its lease, and the progress that it tells. */
    private static final class AnotherRemoval implements AutoCloseable {

        private final RestoreFixture here;
        private final RestoreLease lease;
        private RestoreWork work;

        AnotherRemoval(RestoreFixture here) {
            this.here = here;
            RestoreContext context =
                    RestoreContext.of(here.client, here.database, here.seen, PendingEnds.NONE, RestoreFixture.SETTINGS);
            this.lease = RestoreLease.ofRemoval(context, RestoreFixture.TOPIC, () -> false);
            begin();
            // Redis may take long to start
            here.jdbc
                    .sql("UPDATE delayqueue_lease SET expires = expires + ? WHERE name LIKE 'restore:%'")
                    .param(TimeUnit.SECONDS.toMicros(45))
                    .update();
        }

        void hold() {
            assertThat(lease.tryHold()).isTrue();
        }

        /** Begins, or begins again. */
        void begin() {
            hold();
            work = new RestoreWork(
                    RestoreFixture.TOPIC,
                    new RestorePace(1),
                    new RestoreTally(new AtomicLong()),
                    progress -> lease.keep(progress, 0));
        }

        /** Compares a message, but no more than so many. */
        void step(int most) {
            work.tally.scanned.updateAndGet(scanned -> Math.min(scanned + 1, most));
            work.step(0, () -> 0);
        }

        boolean runs(Duration duration) {
            return work.progress().running().compareTo(duration) >= 0;
        }

        void goOnFor(Duration duration) {
            long until = System.nanoTime() + duration.toNanos();
            RestoreFixture.await().until(() -> {
                step(Integer.MAX_VALUE);
                assertThat(here.violations).isEmpty();
                return System.nanoTime() - until > 0;
            });
        }

        @Override
        public void close() {
            lease.release();
        }
    }

    /** Each page of a removal takes long. */
    private static final class SlowForRemovals extends DelegatingDataSource {

        private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

        SlowForRemovals(DataSource fast) {
            super(fast);
        }

        @Override
        public Connection getConnection() throws SQLException {
            Connection connection = super.getConnection();
            AtomicBoolean paused = new AtomicBoolean();
            return (Connection) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {Connection.class}, (self, method, arguments) -> {
                        // some databases read a page by several statements
                        if (method.getName().equals("prepareStatement")
                                && arguments[0].toString().startsWith("SELECT id, generation, ")
                                && Thread.currentThread().getName().equals("delayqueue-restore")
                                && paused.compareAndSet(false, true)) {
                            LockSupport.parkNanos(PAUSE_NANOS);
                        }
                        try {
                            return method.invoke(connection, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
        }
    }
}
