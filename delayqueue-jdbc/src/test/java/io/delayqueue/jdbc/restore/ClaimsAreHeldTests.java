package io.delayqueue.jdbc.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.test.EmbeddedRedis;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.springframework.dao.DataAccessResourceFailureException;

/** Claims after a new connection: held while messages come back that ended, and hardly at all otherwise. */
@Tag("slow")
class ClaimsAreHeldTests {

    private static final int SOME = 100;

    private final EmbeddedRedis server = EmbeddedRedis.start();

    @AfterEach
    void close() {
        server.close();
    }

    /** Many are due at once, so a claim that comes before the removal has some of them. */
    @EachDatabase(DatabaseKind.POSTGRESQL)
    void noneOfManyRevivedMessagesIsClaimed(TestDatabase database) {
        int count = 3_000;
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            ClaimsWaitForTheRemovalTests.reviveHandled(here, server, count);
            RestoreFixture.await()
                    .ignoreExceptions()
                    .untilAsserted(() -> assertThat(here.client
                                    .stats(RestoreFixture.TOPIC)
                                    .totals()
                                    .purged())
                            .isEqualTo(count));
            here.schedule("new", 10, Duration.ZERO);
            here.awaitAllDone();
            assertThat(here.delivered).hasSize(10);
        }
    }

    /** Shows that the test above could fail. */
    @EachDatabase(DatabaseKind.POSTGRESQL)
    void withoutTheGateSomeAreClaimed(TestDatabase database) {
        try (RestoreFixture here =
                new RestoreFixture(database.withSchema().dataSource(), server.uri(), RestoreFixture.SETTINGS, false)) {
            ClaimsWaitForTheRemovalTests.reviveHandled(here, server, 3_000);
            RestoreFixture.await().until(() -> !here.violations.isEmpty());
        }
    }

    @EachDatabase(DatabaseKind.H2)
    void modeReportTellsOfALossAndHoldsNoClaims(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(
                database,
                server.uri(),
                ClaimsWaitForTheRemovalTests.settings(RestoreMode.REPORT, Duration.ofHours(1)))) {
            ClaimsWaitForTheRemovalTests.reviveHandled(here, server, SOME);

            RestoreFixture.await().until(() -> !here.violations.isEmpty());
            RestoreFixture.await().until(() -> !here.losses.isEmpty());
        }
    }

    @EachDatabase(DatabaseKind.H2)
    void modeOffLooksAtNothingAndHoldsNoClaims(TestDatabase database) {
        RestoreSettings off = ClaimsWaitForTheRemovalTests.settings(RestoreMode.OFF, Duration.ofHours(1));
        try (RestoreFixture here = new RestoreFixture(database, server.uri(), off)) {
            ClaimsWaitForTheRemovalTests.reviveHandled(here, server, SOME);

            RestoreFixture.await().until(() -> !here.violations.isEmpty());
            assertThat(here.watch.isRunning()).isFalse();
            assertThat(here.losses).isEmpty();
            assertThat(here.openRefills()).isZero();

            AtomicInteger looks = new AtomicInteger();
            JournalClaimGate gate = new JournalClaimGate(
                    () -> {
                        looks.incrementAndGet();
                        return here.restore;
                    },
                    () -> here.watch,
                    off);
            assertThat(gate.beforeClaims(RestoreFixture.TOPIC, 0)).isCompleted();
            assertThat(looks).hasValue(0);
            gate.close();
        }
    }

    @EachDatabase(DatabaseKind.H2)
    void anIntactRedisIsClaimedAtOnce(TestDatabase database) throws Exception {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.start();
            here.schedule("m", 10, Duration.ofHours(1));
            here.awaitSent();
            JournalClaimGate gate = new JournalClaimGate(() -> here.restore, () -> here.watch, RestoreFixture.SETTINGS);
            long[] tookMillis = new long[21];
            for (int i = 0; i < tookMillis.length; i++) {
                long began = System.nanoTime();
                gate.beforeClaims(RestoreFixture.TOPIC, 0).toCompletableFuture().get(20, TimeUnit.SECONDS);
                tookMillis[i] = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
            }
            Arrays.sort(tookMillis);
            // a timer of the gate would show
            assertThat(tookMillis[10]).isLessThan(200);
            gate.close();
        }
    }

    /** A look tells of all partitions of a topic. */
    @EachDatabase(DatabaseKind.H2)
    void partitionsThatWaitTogetherShareALook(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            AtomicInteger looks = new AtomicInteger();
            // the first look is slow, so all others come while it is under way
            CompletableFuture<Void> allWait = new CompletableFuture<>();
            JournalClaimGate gate = new JournalClaimGate(
                    () -> {
                        looks.incrementAndGet();
                        allWait.join();
                        return here.restore;
                    },
                    () -> here.watch,
                    RestoreFixture.SETTINGS);
            List<CompletableFuture<Void>> held = IntStream.range(0, 1_000)
                    .mapToObj(i -> gate.beforeClaims(RestoreFixture.TOPIC, i).toCompletableFuture())
                    .toList();
            allWait.complete(null);
            RestoreFixture.await().until(() -> held.stream().allMatch(CompletableFuture::isDone));
            assertThat(looks.get()).isBetween(1, 100);
            gate.close();
        }
    }

    /** As a machine does that has no memory or no thread left for a moment. */
    @EachDatabase(DatabaseKind.H2)
    void aLookThatEndsWithAnErrorIsRepeated(TestDatabase database) throws Exception {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            AtomicInteger looks = new AtomicInteger();
            JournalClaimGate gate = new JournalClaimGate(
                    () -> {
                        if (looks.incrementAndGet() <= 5) {
                            throw new OutOfMemoryError("unable to create native thread");
                        }
                        return here.restore;
                    },
                    () -> here.watch,
                    new RestoreSettings(
                            RestoreMode.AUTOMATIC,
                            100,
                            Duration.ofHours(1),
                            Duration.ZERO,
                            Duration.ofHours(1),
                            Duration.ofHours(1),
                            Duration.ZERO));

            gate.beforeClaims(RestoreFixture.TOPIC, 0).toCompletableFuture().get(60, TimeUnit.SECONDS);

            assertThat(looks).hasValueGreaterThan(5);
            gate.close();
        }
    }

    /** A hundred partitions wait at once while the database is away; all of them go on. */
    @EachDatabase(DatabaseKind.H2)
    void aDatabaseThatIsDownHoldsClaimsForABoundedTime(TestDatabase database) {
        RestoreSettings settings = new RestoreSettings(
                RestoreMode.AUTOMATIC,
                100,
                Duration.ofHours(1),
                Duration.ZERO,
                // the check timeout alone is to end the wait
                Duration.ofHours(1),
                Duration.ofSeconds(3),
                Duration.ZERO);
        JournalClaimGate gate = new JournalClaimGate(
                () -> {
                    throw new DataAccessResourceFailureException("the database is away");
                },
                () -> null,
                settings);
        List<CompletableFuture<Void>> held = IntStream.range(0, 100)
                .mapToObj(i -> gate.beforeClaims("t", i).toCompletableFuture())
                .toList();
        assertThat(held).noneMatch(CompletableFuture::isDone);
        RestoreFixture.await().until(() -> held.stream().allMatch(CompletableFuture::isDone));
        gate.close();
    }
}
