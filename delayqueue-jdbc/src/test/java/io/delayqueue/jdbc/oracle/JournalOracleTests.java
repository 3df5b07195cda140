package io.delayqueue.jdbc.oracle;

import io.delayqueue.jdbc.testsupport.MovedClock;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Through faults by which Redis loses nothing, and steps of clocks. */
@DisabledOnOs(OS.WINDOWS)
class JournalOracleTests extends JournalOracleFixture {

    /** Longer than leases, send timeouts, and Redis' memory of what it applied. */
    private static final Duration STEP = Duration.ofSeconds(10);

    @TempDir
    private Path directory;

    /**
     * Nothing that Redis had is lost. It is killed, replies are lost or cut, calls come late, it is full, it lacks replicas, it forgets
     * scripts, closes connections, takes no calls for a while, stands still, is busy with another program's script, and denies a command of
     * scripts; the database goes away, crashes and stands still; an instance freezes, and one is killed.
     */
    @Tag("slow")
    @EachDatabase(DatabaseKind.POSTGRESQL)
    void committedWorkTakesEffectThroughFaults(TestDatabase database) throws Exception {
        try (Run run = new Run(database, seed())) {
            run.instances.start(INSTANCES);
            run.instances.awaitProgress();
            Faults faults = new Faults(run);
            DatabaseFaults ofDatabase = new DatabaseFaults(run);
            Refusals refusals = new Refusals(run);
            faults.killRedis();
            ofDatabase.takeAway();
            ofDatabase.crash();
            ofDatabase.freeze();
            faults.loseReplies();
            faults.cutReplies();
            faults.holdUpCalls();
            refusals.fillRedis();
            refusals.missReplicas();
            refusals.flushScripts();
            faults.killClients();
            faults.pauseClients();
            faults.pauseRedisBriefly();
            refusals.runLongScript();
            refusals.denyWakeUps();
            faults.freezeInstance(0);
            faults.killInstance(1);

            judge(run);
        }
    }

    /**
     * Redis' clock is set ahead and back, by more than any lease, time-out or memory. Needs Linux and a C compiler; without them the test
     * is skipped with a message.
     */
    @Tag("slow")
    @EachDatabase(DatabaseKind.POSTGRESQL)
    void aStepOfRedisClockLosesNothing(TestDatabase database) throws Exception {
        MovedClock clock = clock("redis", Duration.ZERO);
        try (Run run = new Run(database, seed(), ServedRedis.atAddress(clock.environment()))) {
            run.instances.start(INSTANCES);
            run.instances.awaitProgress();
            Faults faults = new Faults(run);
            faults.setRedisClock(clock, STEP);
            faults.setRedisClock(clock, Duration.ZERO);

            judge(run);
        }
    }

    /**
     * The clocks of two instances are hours apart from the machine's, and are set forward and back while Redis loses replies and data.
     * Needs Linux and a C compiler; without them the test is skipped with a message.
     */
    @Tag("soak")
    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void noClockOfAnInstanceCounts(TestDatabase database) throws Exception {
        MovedClock ahead = clock("ahead", Duration.ofHours(5));
        MovedClock behind = clock("behind", Duration.ofHours(-5));
        try (Run run = new Run(database, seed())) {
            run.instances.start(List.of(ahead.environment(), behind.environment(), Map.of()));
            run.instances.awaitProgress();
            Faults faults = new Faults(run);
            faults.setClock(0, ahead, Duration.ofHours(-7));
            faults.loseReplies();
            faults.cutReplies();
            faults.setClock(1, behind, Duration.ofDays(3));
            new Losses(run).emptyRedis();
            faults.setClock(0, ahead, Duration.ZERO);
            faults.freezeInstance(1);
            faults.setClock(1, behind, Duration.ofHours(-1));
            faults.killInstance(2);

            judge(run);
        }
    }

    private MovedClock clock(String name, Duration ahead) throws Exception {
        return MovedClock.in(Files.createDirectory(directory.resolve(name)), ahead);
    }

    /** The long form: each of these faults, and a few more, at random. */
    @Tag("soak")
    @Timeout(value = 1, unit = TimeUnit.DAYS)
    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void committedWorkTakesEffectThroughManyFaults(TestDatabase database) throws Exception {
        long seed = seed();
        System.out.println("Journal soak of " + DURATION + " on " + database);
        Random random = new Random(seed);
        try (Run run = new Run(database, seed)) {
            run.instances.start(INSTANCES);
            Faults faults = new Faults(run);
            long end = end();
            while (System.nanoTime() - end < 0) {
                run.instances.awaitProgress();
                faults.any(random);
            }
            judge(run);
        }
    }

    /** Each fault of the other long form strikes between steps of Redis' clock. */
    @Tag("soak")
    @Timeout(value = 1, unit = TimeUnit.DAYS)
    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void manyStepsOfRedisClockLoseNothing(TestDatabase database) throws Exception {
        long seed = seed();
        Random random = new Random(seed);
        MovedClock clock = clock("redis", Duration.ZERO);
        try (Run run = new Run(database, seed, ServedRedis.atAddress(clock.environment()))) {
            run.instances.start(INSTANCES);
            Faults faults = new Faults(run);
            boolean isAhead = false;
            long end = end();
            while (System.nanoTime() - end < 0) {
                run.instances.awaitProgress();
                isAhead = !isAhead;
                faults.setRedisClock(clock, isAhead ? STEP : Duration.ZERO);
                faults.any(random);
            }
            judge(run);
        }
    }
}
